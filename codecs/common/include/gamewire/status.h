/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Results of all readers: an event, the end, or a fault.
 */
#ifndef GAMEWIRE_STATUS_H
#define GAMEWIRE_STATUS_H

#include <stdint.h>

#include <gamewire/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The four classes of faults:
 *  truncated    the bytes end too early; with more bytes this may be a value
 *  malformed    no continuation of these bytes is a value
 *  unsupported  well-formed as far as can be checked, but its meaning is not published
 *  limit        a limit of this reader (depth, work), not of the format */
typedef enum gw_fault_class {
    GW_FAULT_NONE,
    GW_FAULT_TRUNCATED,
    GW_FAULT_MALFORMED,
    GW_FAULT_UNSUPPORTED,
    GW_FAULT_LIMIT
} gw_fault_class;

/* `code` is from the codec's enumeration: gw_fault_text() describes it, gw_fault_consequence() the reaction of the real
 * receiver (gamewire/faults.h). `offset` is where the item that failed begins or, inside it, the first wrong byte.
 * `needed`, for GW_FAULT_TRUNCATED only, is how many bytes beyond the end of the input are needed at least to get past
 * this item: when they have arrived, begin again with a new reader, which may need more. */
typedef struct gw_fault {
    uint64_t needed;
    uint32_t offset;
    uint32_t code;
    uint8_t fault_class; /* gw_fault_class */
} gw_fault;

/* The result of every `next` function. After GW_NEXT_END or GW_NEXT_FAULT further calls return the
 * same. */
typedef enum gw_next { GW_NEXT_END, GW_NEXT_EVENT, GW_NEXT_FAULT } gw_next;

#ifdef __cplusplus
}
#endif

#endif
