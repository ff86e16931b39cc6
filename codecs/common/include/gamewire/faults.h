/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * For codecs: the tables of gw_<codec>_fault_text, _class, _consequence and gw_<codec>_odd_text.
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
    const char *text;        /* what is wrong */
    const char *consequence; /* what the real receiver does; NULL when unknown */
} gw_fault_row;

/* The row of a code in a table of `count` rows; for an unknown code, a row with a text that says so. */
static inline gw_fault_row gw_fault_row_of(const gw_fault_row *rows, uint32_t count, uint32_t code)
{
    const gw_fault_row unknown = { GW_FAULT_NONE, "Unknown fault", NULL };
    return code < count ? rows[code] : unknown;
}

/* The text of one bit in a table of `count` texts by bit. */
static inline const char *gw_odd_text_of(const char *const *texts, uint32_t count, uint32_t odd)
{
    for (uint32_t bit = 0; bit < count; bit++)
        if (odd == UINT32_C(1) << bit)
            return texts[bit];
    return "Unknown oddity";
}

#ifdef __cplusplus
}
#endif

#endif
