/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Reads the tables of faults and oddities.
 */
#include <gamewire/faults.h>

/* The row of a code; for a code that the table does not have, "Unknown fault", of the class "no fault". */
static const gw_fault_row *find_row(const gw_fault_table *table, uint32_t code)
{
    static const gw_fault_row unknown = { GW_FAULT_NONE, "Unknown fault", NULL };
    return code < table->fault_count ? &table->faults[code] : &unknown;
}

/* The sentence that describes the fault. */
const char *gw_fault_text(const gw_fault_table *table, uint32_t code)
{
    return find_row(table, code)->text;
}

/* Truncated, malformed, unsupported or a limit. */
gw_fault_class gw_fault_class_of(const gw_fault_table *table, uint32_t code)
{
    return find_row(table, code)->fault_class;
}

/* The reaction of the real receiver to the fault, as a text; NULL when unknown. */
const char *gw_fault_consequence(const gw_fault_table *table, uint32_t code)
{
    return find_row(table, code)->consequence;
}

/* The text of an oddity, a value with exactly one bit set; the number of the bit is the index in the table. */
const char *gw_odd_text(const gw_fault_table *table, uint32_t odd)
{
    for (uint32_t bit = 0; bit < table->odd_count; bit++)
        if (odd == UINT32_C(1) << bit && table->odds[bit])
            return table->odds[bit];
    return "Unknown oddity";
}

/* Sets all members of a fault, its class by the table. `needed`, a number of bytes beyond the end, has a meaning for
 * truncated input only: 0 for the other classes. */
void gw_set_fault(gw_fault *fault, const gw_fault_table *table, uint32_t code, uint32_t offset, uint64_t needed)
{
    gw_fault_class fault_class = gw_fault_class_of(table, code);
    fault->needed = fault_class == GW_FAULT_TRUNCATED ? needed : 0;
    fault->offset = offset;
    fault->code = code;
    fault->fault_class = (uint8_t)fault_class;
}
