/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/squirrel.h>

/* ---- oddities ------------------------------------------------------------------------------------------ */

/* By bit. */
static const char *const oddities[GW_SQUIRREL_ODDS] = {
    "A bool that is neither 0 nor 1; the real reader reads it as true",
    "Not UTF-8: most likely text in a Windows code page",
    "An empty array by length: a real client that receives it reads what follows as an element, or raises an error",
    "An error that is not the whole value of a reply",
    "The receiver of this frame does not know this tag",
    NULL,
    NULL,
    NULL,
    "The length is not that of the content",
    "Operand missing",
    "A table with an odd number of values: the last key has no value",
    "The count is above the number of values in the content",
    "The length exceeds the room in the container",
    "Unknown tag: the real client reads null, the server fails; skipped to the end of the container",
    "Nested too deep to be shown: skipped as one item",
};

/* ---- faults -------------------------------------------------------------------------------------------- */

/* Only the client's reader is known to do so: the receiver may be the server. */
#define CLIENT_FAILS "a real client that receives it raises an error"

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
                                              "a real client that receives it ignores them" },
    [GW_SQUIRREL_FAULT_TOO_DEEP] = { GW_FAULT_LIMIT, "Nested too deep to be read", NULL },
    [GW_SQUIRREL_FAULT_TOO_LONG] = { GW_FAULT_LIMIT, "The data is too long", NULL },
    [GW_SQUIRREL_FAULT_HEAD_TRUNCATED] = { GW_FAULT_TRUNCATED, "The data ends inside the head of a frame", NULL },
    [GW_SQUIRREL_FAULT_FRAME_UNKNOWN] = { GW_FAULT_UNSUPPORTED, "Unknown frame", NULL },
};

const gw_fault_table gw_squirrel_faults = { faults, GW_SQUIRREL_FAULTS, oddities, GW_SQUIRREL_ODDS };
