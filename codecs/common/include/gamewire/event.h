/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Members that the events of all codecs have in common. Each codec has its own event type; members with the same
 * meaning have the same names in all of them:
 *
 *   kind      gw_kind
 *   depth     number of open containers around the item; 0 for the outermost
 *   index     position among the items of the same parent, from 0; which items count together is the codec's
 *   odd       bits of the codec's own enumeration: oddities of an item that could be read;
 *             gw_<codec>_odd_text() describes one bit
 *   header    the bytes before the payload: type, flags, length, count
 *   payload   the value's own bytes
 *   padding   bytes after the payload that belong to the item and have no meaning, in formats that have such bytes
 *
 * Which members an event has, and the ranges of GW_OPEN and GW_CLOSE, are in a table at the codec's event or at the top
 * of its header; do not read others.
 *
 * Rules of all functions: pointers to bytes may be NULL if their length is 0. Pointers to options may be NULL where the
 * function says so; the options are copied, memory that they point to is not. Other pointers must not be NULL. Nothing
 * is kept outside the caller's structs, so that threads with structs of their own need no lock.
 */
#ifndef GAMEWIRE_EVENT_H
#define GAMEWIRE_EVENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest input of all readers, in bytes. A longer input is rejected before it is read, with the codec's fault
 * TOO_LONG (class GW_FAULT_LIMIT). */
#define GW_LONGEST_INPUT UINT32_C(0x7FFFFFFF)

/* Offsets and lengths count bytes from the start of the caller's input. */
typedef struct gw_span {
    uint32_t offset;
    uint32_t length;
} gw_span;

/* The offset of the first byte after the span. */
static inline uint32_t gw_span_end(gw_span span)
{
    return span.offset + span.length;
}

typedef enum gw_kind {
    GW_VALUE,  /* one whole value */
    GW_PACKED, /* an array of equal elements: one event, the elements are read by index */
    GW_OPEN,   /* a container begins; its members follow, then its GW_CLOSE */
    GW_CLOSE,  /* the container ends: its whole length is known */
    GW_OPAQUE  /* bytes that cannot be split further; `odd` has the reason */
} gw_kind;

#ifdef __cplusplus
}
#endif

#endif
