/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 */
#include <gamewire/squirrel.h>

static const struct {
    const char *text;
    gw_fault_class fault_class;
} faults[GW_SQUIRREL_FAULTS] = {
    [GW_SQUIRREL_FAULT_NONE] = { "No fault", GW_FAULT_NONE },
    [GW_SQUIRREL_FAULT_VALUE_MISSING] = { "The data ends where a value has to begin", GW_FAULT_TRUNCATED },
    [GW_SQUIRREL_FAULT_VALUE_TRUNCATED] = { "The data ends inside a value", GW_FAULT_TRUNCATED },
    [GW_SQUIRREL_FAULT_STRING_TRUNCATED] = { "A string is longer than the data", GW_FAULT_TRUNCATED },
    [GW_SQUIRREL_FAULT_BLOB_TRUNCATED] = { "A blob is longer than the data", GW_FAULT_TRUNCATED },
    [GW_SQUIRREL_FAULT_LENGTH_TRUNCATED] = { "A container or call is longer than the data", GW_FAULT_TRUNCATED },
    [GW_SQUIRREL_FAULT_COUNT_TRUNCATED] = { "A count is more than there is", GW_FAULT_TRUNCATED },
    [GW_SQUIRREL_FAULT_UNKNOWN_TAG] = { "Unknown tag", GW_FAULT_UNSUPPORTED },
    [GW_SQUIRREL_FAULT_LEFT_OVER] = { "Bytes left over behind the value", GW_FAULT_MALFORMED },
    [GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER] = { "More operands than the command takes", GW_FAULT_MALFORMED },
    [GW_SQUIRREL_FAULT_TOO_DEEP] = { "Nested too deep to be followed", GW_FAULT_LIMIT },
    [GW_SQUIRREL_FAULT_TOO_LONG] = { "The data is too long", GW_FAULT_LIMIT },
    [GW_SQUIRREL_FAULT_HEAD_TRUNCATED] = { "The data ends inside the head of a frame", GW_FAULT_TRUNCATED },
    [GW_SQUIRREL_FAULT_UNKNOWN_FRAME] = { "Unknown frame", GW_FAULT_UNSUPPORTED },
};

const char *gw_squirrel_fault_text(uint32_t code)
{
    return code < GW_SQUIRREL_FAULTS ? faults[code].text : "Unknown fault";
}

gw_fault_class gw_squirrel_fault_class(uint32_t code)
{
    return code < GW_SQUIRREL_FAULTS ? faults[code].fault_class : GW_FAULT_NONE;
}
