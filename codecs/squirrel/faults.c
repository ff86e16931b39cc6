/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/faults.h>
#include <gamewire/squirrel.h>

/* ---- oddities ------------------------------------------------------------------------------------------ */

static const struct {
    uint32_t odd;
    const char *text;
} odds[] = {
    { GW_SQUIRREL_ODD_BOOL, "A bool that is neither 0 nor 1; the real reader reads it as true" },
    { GW_SQUIRREL_ODD_UTF8, "Not UTF-8: most likely text in a Windows code page" },
    { GW_SQUIRREL_ODD_EMPTY_ARRAY, "An empty array by length: the real client reads the next value as an element" },
    { GW_SQUIRREL_ODD_ERROR_INSIDE, "An error that is not the whole value of a reply" },
    { GW_SQUIRREL_ODD_RECEIVER, "The receiver of this frame does not know this tag" },
    { GW_SQUIRREL_ODD_LENGTH, "The length is not that of the content" },
    { GW_SQUIRREL_ODD_OPERAND_MISSING, "Operand missing" },
    { GW_SQUIRREL_ODD_KEY_ALONE, "A table with an odd number of values: the last key has no value" },
    { GW_SQUIRREL_ODD_COUNT, "The count is above the number of values in the content" },
    { GW_SQUIRREL_ODD_BEYOND, "The length exceeds the room in the container" },
    { GW_SQUIRREL_ODD_UNKNOWN_TAG,
      "Unknown tag: the real client reads null, the server fails; skipped to the end of the container" },
    { GW_SQUIRREL_ODD_TOO_DEEP, "Nested too deep to be shown: skipped as one item" },
};

const char *gw_squirrel_odd_text(uint32_t odd)
{
    for (size_t i = 0; i < sizeof odds / sizeof odds[0]; i++)
        if (odds[i].odd == odd)
            return odds[i].text;
    return "Unknown oddity";
}

/* ---- faults -------------------------------------------------------------------------------------------- */

#define CLIENT_FAILS "the real client raises an error"

static const gw_fault_row faults[GW_SQUIRREL_FAULTS] = {
    [GW_SQUIRREL_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_SQUIRREL_FAULT_VALUE_MISSING] = { GW_FAULT_TRUNCATED, "The data ends where a value has to begin",
                                          CLIENT_FAILS },
    [GW_SQUIRREL_FAULT_VALUE_TRUNCATED] = { GW_FAULT_TRUNCATED, "The data ends inside a value", NULL },
    [GW_SQUIRREL_FAULT_STRING_TRUNCATED] = { GW_FAULT_TRUNCATED, "A string is longer than the data", NULL },
    [GW_SQUIRREL_FAULT_BLOB_TRUNCATED] = { GW_FAULT_TRUNCATED, "A blob is longer than the data", NULL },
    [GW_SQUIRREL_FAULT_LENGTH_TRUNCATED] = { GW_FAULT_TRUNCATED, "A container or call is longer than the data",
                                             CLIENT_FAILS },
    [GW_SQUIRREL_FAULT_COUNT_TRUNCATED] = { GW_FAULT_TRUNCATED, "A count is above the number of values", NULL },
    [GW_SQUIRREL_FAULT_TAG_UNKNOWN] = { GW_FAULT_UNSUPPORTED, "Unknown tag",
                                        "the real client reads null, the server fails" },
    [GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER] = { GW_FAULT_MALFORMED, "Bytes left over after the value", NULL },
    [GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER] = { GW_FAULT_MALFORMED, "More operands than the command takes",
                                              "the real client ignores them" },
    [GW_SQUIRREL_FAULT_TOO_DEEP] = { GW_FAULT_LIMIT, "Nested too deep to be read", NULL },
    [GW_SQUIRREL_FAULT_TOO_LONG] = { GW_FAULT_LIMIT, "The data is too long", NULL },
    [GW_SQUIRREL_FAULT_HEAD_TRUNCATED] = { GW_FAULT_TRUNCATED, "The data ends inside the head of a frame", NULL },
    [GW_SQUIRREL_FAULT_FRAME_UNKNOWN] = { GW_FAULT_UNSUPPORTED, "Unknown frame", NULL },
};

const char *gw_squirrel_fault_text(uint32_t code)
{
    return gw_fault_row_of(faults, GW_SQUIRREL_FAULTS, code).text;
}

gw_fault_class gw_squirrel_fault_class(uint32_t code)
{
    return gw_fault_row_of(faults, GW_SQUIRREL_FAULTS, code).fault_class;
}

const char *gw_squirrel_fault_consequence(uint32_t code)
{
    return gw_fault_row_of(faults, GW_SQUIRREL_FAULTS, code).consequence;
}
