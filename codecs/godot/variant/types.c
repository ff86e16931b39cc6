/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The three numberings, and the parts of each type.
 */
#include "internal.h"

#include <stddef.h>

/* Flags, see gw_godot_wire.flags. */
enum {
    WIDE = 1,      /* bit 16: 64-bit numbers */
    AS_ID = 1,     /* bit 16 of an object */
    ELEMENT = 0x3, /* bits 16-17: declared element or key */
    PAIR = 0xF     /* bits 16-19: declared key and value */
};

/* clang-format off */
/* Godot 2.1 (source): the whole header is compared with 29, so that types have no flags. */
static const gw_godot_wire generation_2[] = {
    { GW_GODOT_NIL, SHAPE_EMPTY, 0, 0 },                { GW_GODOT_BOOL, SHAPE_BOOL, 1, 0 },
    { GW_GODOT_INT, SHAPE_INT, 1, 0 },                  { GW_GODOT_FLOAT, SHAPE_FLOAT, 1, 0 },
    { GW_GODOT_STRING, SHAPE_TEXT, 0, 0 },              { GW_GODOT_VECTOR2, SHAPE_NUMBERS, 2, 0 },
    { GW_GODOT_RECT2, SHAPE_NUMBERS, 4, 0 },            { GW_GODOT_VECTOR3, SHAPE_NUMBERS, 3, 0 },
    { GW_GODOT_TRANSFORM2D, SHAPE_NUMBERS, 6, 0 },      { GW_GODOT_PLANE, SHAPE_NUMBERS, 4, 0 },
    { GW_GODOT_QUATERNION, SHAPE_NUMBERS, 4, 0 },       { GW_GODOT_AABB, SHAPE_NUMBERS, 6, 0 },
    { GW_GODOT_BASIS, SHAPE_NUMBERS, 9, 0 },            { GW_GODOT_TRANSFORM3D, SHAPE_NUMBERS, 12, 0 },
    { GW_GODOT_COLOR, SHAPE_NUMBERS, 4, 0 },            { GW_GODOT_IMAGE, SHAPE_IMAGE, 0, 0 },
    { GW_GODOT_NODE_PATH, SHAPE_NODE_PATH, 0, 0 },      { GW_GODOT_RID, SHAPE_EMPTY, 0, 0 },
    { GW_GODOT_OBJECT, SHAPE_EMPTY, 0, 0 },             { GW_GODOT_INPUT_EVENT, SHAPE_INPUT_EVENT, 0, 0 },
    { GW_GODOT_DICTIONARY, SHAPE_DICTIONARY, 0, 0 },    { GW_GODOT_ARRAY, SHAPE_ARRAY, 0, 0 },
    { GW_GODOT_BYTE_ARRAY, SHAPE_BYTES, 0, 0 },         { GW_GODOT_INT32_ARRAY, SHAPE_PACKED, 1, 0 },
    { GW_GODOT_FLOAT32_ARRAY, SHAPE_PACKED, 1, 0 },     { GW_GODOT_STRING_ARRAY, SHAPE_STRINGS, 0, 0 },
    { GW_GODOT_VECTOR2_ARRAY, SHAPE_PACKED, 2, 0 },     { GW_GODOT_VECTOR3_ARRAY, SHAPE_PACKED, 3, 0 },
    { GW_GODOT_COLOR_ARRAY, SHAPE_PACKED, 4, 0 },
};

/* Godot 3.0 to 3.6 (observed). */
static const gw_godot_wire generation_3[] = {
    { GW_GODOT_NIL, SHAPE_EMPTY, 0, 0 },                { GW_GODOT_BOOL, SHAPE_BOOL, 1, 0 },
    { GW_GODOT_INT, SHAPE_INT, 1, WIDE },               { GW_GODOT_FLOAT, SHAPE_FLOAT, 1, WIDE },
    { GW_GODOT_STRING, SHAPE_TEXT, 0, 0 },              { GW_GODOT_VECTOR2, SHAPE_NUMBERS, 2, 0 },
    { GW_GODOT_RECT2, SHAPE_NUMBERS, 4, 0 },            { GW_GODOT_VECTOR3, SHAPE_NUMBERS, 3, 0 },
    { GW_GODOT_TRANSFORM2D, SHAPE_NUMBERS, 6, 0 },      { GW_GODOT_PLANE, SHAPE_NUMBERS, 4, 0 },
    { GW_GODOT_QUATERNION, SHAPE_NUMBERS, 4, 0 },       { GW_GODOT_AABB, SHAPE_NUMBERS, 6, 0 },
    { GW_GODOT_BASIS, SHAPE_NUMBERS, 9, 0 },            { GW_GODOT_TRANSFORM3D, SHAPE_NUMBERS, 12, 0 },
    { GW_GODOT_COLOR, SHAPE_NUMBERS, 4, 0 },            { GW_GODOT_NODE_PATH, SHAPE_NODE_PATH, 0, 0 },
    { GW_GODOT_RID, SHAPE_EMPTY, 0, 0 },                { GW_GODOT_OBJECT, SHAPE_OBJECT, 0, AS_ID },
    { GW_GODOT_DICTIONARY, SHAPE_DICTIONARY, 0, 0 },    { GW_GODOT_ARRAY, SHAPE_ARRAY, 0, 0 },
    { GW_GODOT_BYTE_ARRAY, SHAPE_BYTES, 0, 0 },         { GW_GODOT_INT32_ARRAY, SHAPE_PACKED, 1, 0 },
    { GW_GODOT_FLOAT32_ARRAY, SHAPE_PACKED, 1, 0 },     { GW_GODOT_STRING_ARRAY, SHAPE_STRINGS, 0, 0 },
    { GW_GODOT_VECTOR2_ARRAY, SHAPE_PACKED, 2, 0 },     { GW_GODOT_VECTOR3_ARRAY, SHAPE_PACKED, 3, 0 },
    { GW_GODOT_COLOR_ARRAY, SHAPE_PACKED, 4, 0 },
};

/* Godot 4.0 to 4.6 (observed with 4.6.3; 38 since 4.3). Only types made of real_t have 64 bits in double-precision
 * builds: colors do not (source). */
static const gw_godot_wire generation_4[] = {
    { GW_GODOT_NIL, SHAPE_EMPTY, 0, 0 },                { GW_GODOT_BOOL, SHAPE_BOOL, 1, 0 },
    { GW_GODOT_INT, SHAPE_INT, 1, WIDE },               { GW_GODOT_FLOAT, SHAPE_FLOAT, 1, WIDE },
    { GW_GODOT_STRING, SHAPE_TEXT, 0, 0 },              { GW_GODOT_VECTOR2, SHAPE_NUMBERS, 2, WIDE },
    { GW_GODOT_VECTOR2I, SHAPE_NUMBERS, 2, 0 },         { GW_GODOT_RECT2, SHAPE_NUMBERS, 4, WIDE },
    { GW_GODOT_RECT2I, SHAPE_NUMBERS, 4, 0 },           { GW_GODOT_VECTOR3, SHAPE_NUMBERS, 3, WIDE },
    { GW_GODOT_VECTOR3I, SHAPE_NUMBERS, 3, 0 },         { GW_GODOT_TRANSFORM2D, SHAPE_NUMBERS, 6, WIDE },
    { GW_GODOT_VECTOR4, SHAPE_NUMBERS, 4, WIDE },       { GW_GODOT_VECTOR4I, SHAPE_NUMBERS, 4, 0 },
    { GW_GODOT_PLANE, SHAPE_NUMBERS, 4, WIDE },         { GW_GODOT_QUATERNION, SHAPE_NUMBERS, 4, WIDE },
    { GW_GODOT_AABB, SHAPE_NUMBERS, 6, WIDE },          { GW_GODOT_BASIS, SHAPE_NUMBERS, 9, WIDE },
    { GW_GODOT_TRANSFORM3D, SHAPE_NUMBERS, 12, WIDE },  { GW_GODOT_PROJECTION, SHAPE_NUMBERS, 16, WIDE },
    { GW_GODOT_COLOR, SHAPE_NUMBERS, 4, 0 },            { GW_GODOT_STRING_NAME, SHAPE_TEXT, 0, 0 },
    { GW_GODOT_NODE_PATH, SHAPE_NODE_PATH, 0, 0 },      { GW_GODOT_RID, SHAPE_RID, 2, 0 },
    { GW_GODOT_OBJECT, SHAPE_OBJECT, 0, AS_ID },        { GW_GODOT_CALLABLE, SHAPE_EMPTY, 0, 0 },
    { GW_GODOT_SIGNAL, SHAPE_SIGNAL, 0, 0 },            { GW_GODOT_DICTIONARY, SHAPE_DICTIONARY, 0, PAIR },
    { GW_GODOT_ARRAY, SHAPE_ARRAY, 0, ELEMENT },        { GW_GODOT_BYTE_ARRAY, SHAPE_BYTES, 0, 0 },
    { GW_GODOT_INT32_ARRAY, SHAPE_PACKED, 1, 0 },       { GW_GODOT_INT64_ARRAY, SHAPE_PACKED, 2, 0 },
    { GW_GODOT_FLOAT32_ARRAY, SHAPE_PACKED, 1, 0 },     { GW_GODOT_FLOAT64_ARRAY, SHAPE_PACKED, 2, 0 },
    { GW_GODOT_STRING_ARRAY, SHAPE_STRINGS, 0, 0 },     { GW_GODOT_VECTOR2_ARRAY, SHAPE_PACKED, 2, WIDE },
    { GW_GODOT_VECTOR3_ARRAY, SHAPE_PACKED, 3, WIDE },  { GW_GODOT_COLOR_ARRAY, SHAPE_PACKED, 4, 0 },
    { GW_GODOT_VECTOR4_ARRAY, SHAPE_PACKED, 4, WIDE },
};
/* clang-format on */

#define LENGTH_OF(table) (sizeof(table) / sizeof *(table))

/* The encodings of the generation's types, by their numbers on the wire; of Godot 4, if the generation is not known. */
const gw_godot_wire *gw_godot_wire_table(gw_godot_generation generation)
{
    switch (generation) {
    case GW_GODOT_2:
        return generation_2;
    case GW_GODOT_3:
        return generation_3;
    default:
        return generation_4;
    }
}

/* The number of types that the generation has on the wire, which is the length of gw_godot_wire_table(): numbers from
 * it on are not types. */
uint32_t gw_godot_wire_types(gw_godot_generation generation)
{
    switch (generation) {
    case GW_GODOT_2:
        return LENGTH_OF(generation_2);
    case GW_GODOT_3:
        return LENGTH_OF(generation_3);
    default:
        return LENGTH_OF(generation_4);
    }
}

/* The type with this number on the wire; GW_GODOT_TYPES if the generation has none. */
gw_godot_type gw_godot_type_of_wire(gw_godot_generation generation, uint32_t wire_type)
{
    if (wire_type >= gw_godot_wire_types(generation))
        return GW_GODOT_TYPES;
    return (gw_godot_type)gw_godot_wire_table(generation)[wire_type].type;
}

/* The type of a header that is in big-endian order: with its bytes reversed, it is a type of the generation, other than
 * nil, with flags that this type has. GW_GODOT_TYPES for other headers. */
gw_godot_type gw_godot_big_endian_type(gw_godot_generation generation, uint32_t header)
{
    uint32_t swapped = header << 24 | (header & 0xFF00U) << 8 | (header >> 8 & 0xFF00U) | header >> 24;
    uint32_t number = swapped & GW_GODOT_TYPE_MASK;
    /* Nil: bits 24 to 31 of the header are zero, as in little-endian order. */
    if (number == GW_GODOT_NIL || number >= gw_godot_wire_types(generation))
        return GW_GODOT_TYPES;
    const gw_godot_wire *wire = &gw_godot_wire_table(generation)[number];
    return swapped & gw_godot_idle_bits(wire) ? GW_GODOT_TYPES : (gw_godot_type)wire->type;
}

/* The number of a type on the wire; -1 if the generation does not have the type. */
int gw_godot_wire_type(gw_godot_generation generation, gw_godot_type type)
{
    uint32_t types = gw_godot_wire_types(generation);
    for (uint32_t i = 0; i < types; i++)
        if (gw_godot_type_of_wire(generation, i) == type)
            return (int)i;
    return -1;
}

/* ---- properties of types ------------------------------------------------------------------------------- */

static const char *const xy[] = { "x", "y" };
static const char *const xyzw[] = { "x", "y", "z", "w" };
static const char *const rect[] = { "position.x", "position.y", "size.x", "size.y" };
static const char *const transform2d[] = { "x.x", "x.y", "y.x", "y.y", "origin.x", "origin.y" };
static const char *const plane[] = { "normal.x", "normal.y", "normal.z", "d" };
static const char *const aabb[] = { "position.x", "position.y", "position.z", "size.x", "size.y", "size.z" };
/* Row by row (observed), although the documentation describes columns: x.y is column x, row y. */
static const char *const basis[] = { "x.x", "y.x", "z.x", "x.y", "y.y", "z.y", "x.z", "y.z", "z.z" };
static const char *const transform3d[] = {
    "basis.x.x", "basis.y.x", "basis.z.x", "basis.x.y", "basis.y.y", "basis.z.y",
    "basis.x.z", "basis.y.z", "basis.z.z", "origin.x",  "origin.y",  "origin.z"
};
/* Column by column (observed). */
static const char *const projection[] = { "x.x", "x.y", "x.z", "x.w", "y.x", "y.y", "y.z", "y.w",
                                          "z.x", "z.y", "z.z", "z.w", "w.x", "w.y", "w.z", "w.w" };
static const char *const color[] = { "r", "g", "b", "a" };

/* The names in the engine's scripts; NULL if the generation does not have the type. */
static const struct type_row {
    const char *names[3]; /* Godot 2, 3, 4 */
    uint8_t components;
    bool integers;
    const char *const *component_names;
} types[GW_GODOT_TYPES] = {
    [GW_GODOT_NIL] = { { "Nil", "Nil", "Nil" }, 0, false, NULL },
    [GW_GODOT_BOOL] = { { "bool", "bool", "bool" }, 1, true, NULL },
    [GW_GODOT_INT] = { { "int", "int", "int" }, 1, true, NULL },
    [GW_GODOT_FLOAT] = { { "float", "float", "float" }, 1, false, NULL },
    [GW_GODOT_STRING] = { { "String", "String", "String" }, 0, false, NULL },
    [GW_GODOT_VECTOR2] = { { "Vector2", "Vector2", "Vector2" }, 2, false, xy },
    [GW_GODOT_VECTOR2I] = { { NULL, NULL, "Vector2i" }, 2, true, xy },
    [GW_GODOT_RECT2] = { { "Rect2", "Rect2", "Rect2" }, 4, false, rect },
    [GW_GODOT_RECT2I] = { { NULL, NULL, "Rect2i" }, 4, true, rect },
    [GW_GODOT_VECTOR3] = { { "Vector3", "Vector3", "Vector3" }, 3, false, xyzw },
    [GW_GODOT_VECTOR3I] = { { NULL, NULL, "Vector3i" }, 3, true, xyzw },
    [GW_GODOT_TRANSFORM2D] = { { "Matrix32", "Transform2D", "Transform2D" }, 6, false, transform2d },
    [GW_GODOT_VECTOR4] = { { NULL, NULL, "Vector4" }, 4, false, xyzw },
    [GW_GODOT_VECTOR4I] = { { NULL, NULL, "Vector4i" }, 4, true, xyzw },
    [GW_GODOT_PLANE] = { { "Plane", "Plane", "Plane" }, 4, false, plane },
    [GW_GODOT_QUATERNION] = { { "Quat", "Quat", "Quaternion" }, 4, false, xyzw },
    [GW_GODOT_AABB] = { { "AABB", "AABB", "AABB" }, 6, false, aabb },
    [GW_GODOT_BASIS] = { { "Matrix3", "Basis", "Basis" }, 9, false, basis },
    [GW_GODOT_TRANSFORM3D] = { { "Transform", "Transform", "Transform3D" }, 12, false, transform3d },
    [GW_GODOT_PROJECTION] = { { NULL, NULL, "Projection" }, 16, false, projection },
    [GW_GODOT_COLOR] = { { "Color", "Color", "Color" }, 4, false, color },
    [GW_GODOT_STRING_NAME] = { { NULL, NULL, "StringName" }, 0, false, NULL },
    [GW_GODOT_NODE_PATH] = { { "NodePath", "NodePath", "NodePath" }, 0, false, NULL },
    [GW_GODOT_RID] = { { "RID", "RID", "RID" }, 0, false, NULL },
    [GW_GODOT_OBJECT] = { { "Object", "Object", "Object" }, 0, false, NULL },
    [GW_GODOT_CALLABLE] = { { NULL, NULL, "Callable" }, 0, false, NULL },
    [GW_GODOT_SIGNAL] = { { NULL, NULL, "Signal" }, 0, false, NULL },
    [GW_GODOT_DICTIONARY] = { { "Dictionary", "Dictionary", "Dictionary" }, 0, false, NULL },
    [GW_GODOT_ARRAY] = { { "Array", "Array", "Array" }, 0, false, NULL },
    [GW_GODOT_BYTE_ARRAY] = { { "RawArray", "PoolByteArray", "PackedByteArray" }, 1, true, NULL },
    [GW_GODOT_INT32_ARRAY] = { { "IntArray", "PoolIntArray", "PackedInt32Array" }, 1, true, NULL },
    [GW_GODOT_INT64_ARRAY] = { { NULL, NULL, "PackedInt64Array" }, 1, true, NULL },
    [GW_GODOT_FLOAT32_ARRAY] = { { "RealArray", "PoolRealArray", "PackedFloat32Array" }, 1, false, NULL },
    [GW_GODOT_FLOAT64_ARRAY] = { { NULL, NULL, "PackedFloat64Array" }, 1, false, NULL },
    [GW_GODOT_STRING_ARRAY] = { { "StringArray", "PoolStringArray", "PackedStringArray" }, 0, false, NULL },
    [GW_GODOT_VECTOR2_ARRAY] = { { "Vector2Array", "PoolVector2Array", "PackedVector2Array" }, 2, false, xy },
    [GW_GODOT_VECTOR3_ARRAY] = { { "Vector3Array", "PoolVector3Array", "PackedVector3Array" }, 3, false, xyzw },
    [GW_GODOT_COLOR_ARRAY] = { { "ColorArray", "PoolColorArray", "PackedColorArray" }, 4, false, color },
    [GW_GODOT_VECTOR4_ARRAY] = { { NULL, NULL, "PackedVector4Array" }, 4, false, xyzw },
    [GW_GODOT_IMAGE] = { { "Image", NULL, NULL }, 0, false, NULL },
    [GW_GODOT_INPUT_EVENT] = { { "InputEvent", NULL, NULL }, 0, false, NULL },
};

/* The name of a type in the generation's scripts. */
const char *gw_godot_type_name(gw_godot_generation generation, gw_godot_type type)
{
    unsigned column = generation == GW_GODOT_2 ? 0 : generation == GW_GODOT_3 ? 1 : 2;
    if ((unsigned)type >= GW_GODOT_TYPES)
        return "unknown";
    const char *const *names = types[type].names;
    if (names[column])
        return names[column];
    /* The generation does not have the type: its name in Godot 4, or in Godot 2, which alone has the last two types. */
    return names[2] ? names[2] : names[0];
}

/* How many numbers a value of this type, or an element of this packed array, consists of; 0 for other types. */
uint32_t gw_godot_components(gw_godot_type type)
{
    return (unsigned)type < GW_GODOT_TYPES ? types[type].components : 0;
}

/* The name of a component, such as "x"; NULL if it has none. */
const char *gw_godot_component_name(gw_godot_type type, uint32_t component)
{
    if (component >= gw_godot_components(type) || !types[type].component_names)
        return NULL;
    return types[type].component_names[component];
}

/* True if the components of this type are integers or bools. */
bool gw_godot_components_are_integers(gw_godot_type type)
{
    return (unsigned)type < GW_GODOT_TYPES && types[type].integers;
}

/* ---- elements of typed arrays --------------------------------------------------------------------------- */

#define T(type)        (UINT64_C(1) << GW_GODOT_##type)
#define NUMBERS        (T(BOOL) | T(INT) | T(FLOAT))
#define PAIR(one, two) [GW_GODOT_##one] = (T(one) | T(two)), [GW_GODOT_##two] = (T(one) | T(two))
#define ALONE(type)    [GW_GODOT_##type] = T(type)
#define OR_ARRAY(type) [GW_GODOT_##type] = (T(type) | T(ARRAY))

/* Godot 4, by declared type: the elements that the engine takes; it converts elements of another type. It takes the
 * null of an object, and leaves other elements out. Observed with 4.6.3: all pairs of types. */
/* clang-format off */
static const uint64_t taken[] = {
    [GW_GODOT_NIL] = UINT64_MAX,
    [GW_GODOT_BOOL] = NUMBERS, [GW_GODOT_INT] = NUMBERS, [GW_GODOT_FLOAT] = NUMBERS,
    [GW_GODOT_STRING] = T(STRING) | T(STRING_NAME) | T(NODE_PATH), [GW_GODOT_STRING_NAME] = T(STRING) | T(STRING_NAME),
    PAIR(VECTOR2, VECTOR2I), PAIR(RECT2, RECT2I), PAIR(VECTOR3, VECTOR3I), PAIR(VECTOR4, VECTOR4I),
    ALONE(PLANE), PAIR(QUATERNION, BASIS), ALONE(AABB), [GW_GODOT_TRANSFORM2D] = T(TRANSFORM2D) | T(TRANSFORM3D),
    [GW_GODOT_TRANSFORM3D] = T(TRANSFORM2D) | T(QUATERNION) | T(BASIS) | T(TRANSFORM3D) | T(PROJECTION),
    [GW_GODOT_PROJECTION] = T(TRANSFORM3D) | T(PROJECTION), [GW_GODOT_COLOR] = T(INT) | T(STRING) | T(COLOR),
    [GW_GODOT_NODE_PATH] = T(STRING) | T(NODE_PATH), [GW_GODOT_OBJECT] = T(NIL) | T(OBJECT),
    ALONE(RID), ALONE(CALLABLE), ALONE(SIGNAL), ALONE(DICTIONARY),
    [GW_GODOT_ARRAY] = T(ARRAY) | T(BYTE_ARRAY) | T(INT32_ARRAY) | T(INT64_ARRAY) | T(FLOAT32_ARRAY) |
                       T(FLOAT64_ARRAY) | T(STRING_ARRAY) | T(VECTOR2_ARRAY) | T(VECTOR3_ARRAY) | T(COLOR_ARRAY) |
                       T(VECTOR4_ARRAY),
    OR_ARRAY(BYTE_ARRAY), OR_ARRAY(INT32_ARRAY), OR_ARRAY(INT64_ARRAY), OR_ARRAY(FLOAT32_ARRAY),
    OR_ARRAY(FLOAT64_ARRAY), OR_ARRAY(STRING_ARRAY), OR_ARRAY(VECTOR2_ARRAY), OR_ARRAY(VECTOR3_ARRAY),
    OR_ARRAY(COLOR_ARRAY), OR_ARRAY(VECTOR4_ARRAY),
};
/* clang-format on */

/* True if Godot 4 accepts an element of the second type, converted if necessary, in an array that is declared to hold
 * the first. */
bool gw_godot_takes_element(gw_godot_type declared, gw_godot_type element)
{
    return taken[declared] >> element & 1U;
}
