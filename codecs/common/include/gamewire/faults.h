/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The sentences for the faults and oddities of each codec.
 */
#ifndef GAMEWIRE_FAULTS_H
#define GAMEWIRE_FAULTS_H

#include <stddef.h>
#include <stdint.h>

#include <gamewire/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gw_fault_row {
    gw_fault_class fault_class;
    const char *text;        /* the error */
    const char *consequence; /* the reaction of the real receiver; NULL when unknown */
} gw_fault_row;

/* The sentences of a codec, gw_<codec>_faults: static, without a full stop. */
typedef struct gw_fault_table {
    const gw_fault_row *faults; /* by code */
    uint32_t fault_count;
    const char *const *odds; /* by number of the bit; NULL where a bit is not used */
    uint32_t odd_count;
} gw_fault_table;

/* The text of a fault's code; "Unknown fault" for a code that the table does not have. */
const char *gw_fault_text(const gw_fault_table *table, uint32_t code);
/* The class of a fault's code; GW_FAULT_NONE for a code that the table does not have. */
gw_fault_class gw_fault_class_of(const gw_fault_table *table, uint32_t code);
/* The reaction of the real receiver; NULL when unknown, and for limits of the reader. */
const char *gw_fault_consequence(const gw_fault_table *table, uint32_t code);

/* The text of one bit of an event's `odd`; "Unknown oddity" for other numbers. */
const char *gw_odd_text(const gw_fault_table *table, uint32_t odd);

/* For codecs: sets a fault with the class of its code. `needed` is kept where that class is GW_FAULT_TRUNCATED. */
void gw_set_fault(gw_fault *fault, const gw_fault_table *table, uint32_t code, uint32_t offset, uint64_t needed);

#ifdef __cplusplus
}
#endif

#endif
