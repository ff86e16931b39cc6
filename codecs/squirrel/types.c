/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The tags, the format after each, and the receivers that support it.
 */
#include "step.h"

/* The client, the server's reply reader, the server's Exec reader. */
#define C GW_SQUIRREL_RECEIVER_CLIENT
#define R GW_SQUIRREL_RECEIVER_REPLY
#define X GW_SQUIRREL_RECEIVER_EXEC

/* clang-format off */
#define FIXED(tag, name, size, receivers) \
    { name, name, tag, GW_SQUIRREL_FORM_FIXED, size, 0, 0, receivers, { 0 } }
#define SIZED(tag, name, form, pairs, receivers, first, second) \
    { name, name, tag, form, 0, 0, pairs, receivers, \
      { GW_SQUIRREL_ROLE_##first, GW_SQUIRREL_ROLE_##second, GW_SQUIRREL_ROLE_##second } }
#define COMMAND(tag, name, spelling, form, operands, first, second, third) \
    { name, spelling, tag, form, 0, operands, 0, C | X, \
      { GW_SQUIRREL_ROLE_##first, GW_SQUIRREL_ROLE_##second, GW_SQUIRREL_ROLE_##third } }
#define NAMED(tag, name, form, operands, first, second, third) \
    COMMAND(tag, name, name, form, operands, first, second, third)
#define BINARY(tag, name, sign) COMMAND(tag, name, sign, GW_SQUIRREL_FORM_COMMAND, 2, LEFT, OPERAND, OPERAND)

/* The reply reader is regarded as supporting a tag if the reader of either release does. */
const gw_squirrel_type gw_squirrel_type_table[] = {
    { "unknown", "unknown", 0, GW_SQUIRREL_FORM_UNKNOWN, 0, 0, 0, 0, { 0 } },
    FIXED(GW_SQUIRREL_NULL, "null", 0, C | R | X),
    FIXED(GW_SQUIRREL_INT32, "int32", 4, C | R | X),
    FIXED(GW_SQUIRREL_INT16, "int16", 2, C | R | X),
    FIXED(GW_SQUIRREL_FLOAT, "float", 4, C | R | X),
    FIXED(GW_SQUIRREL_BOOL, "bool", 1, C | R | X),
    SIZED(GW_SQUIRREL_STRING, "string", GW_SQUIRREL_FORM_STRING, 0, C | R | X, BODY, BODY),
    SIZED(GW_SQUIRREL_ERROR, "error", GW_SQUIRREL_FORM_STRING, 0, C | R, BODY, BODY),
    FIXED(GW_SQUIRREL_VECTOR, "vector", 12, C | R | X),
    FIXED(GW_SQUIRREL_QUATERNION, "quaternion", 16, C | X),
    SIZED(GW_SQUIRREL_ARRAY, "array", GW_SQUIRREL_FORM_SIZED, 0, C | R | X, ELEMENT, ELEMENT),
    SIZED(GW_SQUIRREL_TABLE, "table", GW_SQUIRREL_FORM_SIZED, 1, C | R | X, KEY, VALUE),
    SIZED(GW_SQUIRREL_COUNTED_ARRAY, "counted array", GW_SQUIRREL_FORM_COUNTED, 0, C | R, ELEMENT, ELEMENT),
    SIZED(GW_SQUIRREL_COUNTED_TABLE, "counted table", GW_SQUIRREL_FORM_COUNTED, 1, C | R, KEY, VALUE),
    SIZED(GW_SQUIRREL_CLASS, "class", GW_SQUIRREL_FORM_COUNTED, 1, R, KEY, VALUE),
    SIZED(GW_SQUIRREL_BLOB, "blob", GW_SQUIRREL_FORM_BLOB, 0, C | R | X, BODY, BODY),
    NAMED(GW_SQUIRREL_GET, "GetRemoteValue", GW_SQUIRREL_FORM_COMMAND, 1, KEY, KEY, KEY),
    NAMED(GW_SQUIRREL_GET_EX, "GetRemoteValueEx", GW_SQUIRREL_FORM_COMMAND, 2, OBJECT, KEY, KEY),
    NAMED(GW_SQUIRREL_SET, "SetRemoteValue", GW_SQUIRREL_FORM_COMMAND, 2, KEY, VALUE, VALUE),
    /* The documentation prints 0x6B next to the letter j, which is 0x6A (observed). */
    NAMED(GW_SQUIRREL_SET_EX, "SetRemoteValueEx", GW_SQUIRREL_FORM_COMMAND, 3, OBJECT, KEY, VALUE),
    NAMED(GW_SQUIRREL_CALL, "CallRemoteFunc", GW_SQUIRREL_FORM_CALL, 1, FUNCTION, PARAMETER, PARAMETER),
    NAMED(GW_SQUIRREL_CALL_EX, "CallRemoteFuncEx", GW_SQUIRREL_FORM_CALL, 2, FUNCTION, ENVIRONMENT, PARAMETER),
    BINARY(GW_SQUIRREL_ADD, "_add", "+"),
    BINARY(GW_SQUIRREL_SUBTRACT, "_sub", "-"),
    BINARY(GW_SQUIRREL_MULTIPLY, "_mul", "*"),
    BINARY(GW_SQUIRREL_DIVIDE, "_div", "/"),
    BINARY(GW_SQUIRREL_MODULO, "_modulo", "%"),
    COMMAND(GW_SQUIRREL_NEGATE, "_unm", "-", GW_SQUIRREL_FORM_COMMAND, 1, LEFT, LEFT, LEFT)
};

/* clang-format on */

#define TYPE_COUNT (sizeof gw_squirrel_type_table / sizeof gw_squirrel_type_table[0])

/* The index of each tag in the table above; 0 is the unknown one. */
const uint8_t gw_squirrel_type_index[256] = {
    [GW_SQUIRREL_NULL] = 1,           [GW_SQUIRREL_INT32] = 2,     [GW_SQUIRREL_INT16] = 3,
    [GW_SQUIRREL_FLOAT] = 4,          [GW_SQUIRREL_BOOL] = 5,      [GW_SQUIRREL_STRING] = 6,
    [GW_SQUIRREL_ERROR] = 7,          [GW_SQUIRREL_VECTOR] = 8,    [GW_SQUIRREL_QUATERNION] = 9,
    [GW_SQUIRREL_ARRAY] = 10,         [GW_SQUIRREL_TABLE] = 11,    [GW_SQUIRREL_COUNTED_ARRAY] = 12,
    [GW_SQUIRREL_COUNTED_TABLE] = 13, [GW_SQUIRREL_CLASS] = 14,    [GW_SQUIRREL_BLOB] = 15,
    [GW_SQUIRREL_GET] = 16,           [GW_SQUIRREL_GET_EX] = 17,   [GW_SQUIRREL_SET] = 18,
    [GW_SQUIRREL_SET_EX] = 19,        [GW_SQUIRREL_CALL] = 20,     [GW_SQUIRREL_CALL_EX] = 21,
    [GW_SQUIRREL_ADD] = 22,           [GW_SQUIRREL_SUBTRACT] = 23, [GW_SQUIRREL_MULTIPLY] = 24,
    [GW_SQUIRREL_DIVIDE] = 25,        [GW_SQUIRREL_MODULO] = 26,   [GW_SQUIRREL_NEGATE] = 27,
};

/* The type of a tag byte; for an unknown one the first row of the table. */
const gw_squirrel_type *gw_squirrel_type_of(uint8_t tag)
{
    return gw_squirrel_find_type(tag);
}

/* All known types: the first row of the table, for unknown tags, is left out. */
const gw_squirrel_type *gw_squirrel_types(size_t *count)
{
    *count = TYPE_COUNT - 1;
    return gw_squirrel_type_table + 1;
}
