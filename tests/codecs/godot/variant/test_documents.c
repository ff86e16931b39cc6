/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The three published descriptions of the format, each type of each from bytes as that page lays them out.
 * Where a page is wrong about real engines the bytes are still the page's: the reader has to take them.
 */
#include "reading.h"

struct described {
    gw_godot_type type;
    const char *hex;
    const char *text;
};

/* 1, 2, 3 ... as floats. */
#define F1  "0000803f"
#define F2  F1 "00000040"
#define F3  F2 "00004040"
#define F4  F3 "00008040"
#define F6  F4 "0000a040 0000c040"
#define F9  F6 "0000e040 00000041 00001041"
#define F12 F9 "00002041 00003041 00004041"

static void assert_described(gw_godot_generation generation, const struct described *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(read_value(generation, rows[i].hex)->type, rows[i].type);
        assert_prints(generation, rows[i].hex, rows[i].text);
    }
}

/* Godot 2.1: 29 types, all numbers of 32 bits. */
static const struct described godot_2[] = {
    { GW_GODOT_NIL, "00000000", "null" },
    { GW_GODOT_BOOL, "01000000 00000000", "false" },
    { GW_GODOT_BOOL, "01000000 01000000", "true" },
    { GW_GODOT_INT, "02000000 feffffff", "-2" },
    { GW_GODOT_FLOAT, "03000000 0000003f", "0.5" },
    { GW_GODOT_STRING, "04000000 05000000 68656c6c6f000000", "\"hello\"" },
    { GW_GODOT_VECTOR2, "05000000" F2, "Vector2( 1, 2 )" },
    { GW_GODOT_RECT2, "06000000" F4, "Rect2( 1, 2, 3, 4 )" },
    { GW_GODOT_VECTOR3, "07000000" F3, "Vector3( 1, 2, 3 )" },
    { GW_GODOT_TRANSFORM2D, "08000000" F6, "Matrix32( 1, 2, 3, 4, 5, 6 )" },
    { GW_GODOT_PLANE, "09000000" F4, "Plane( 1, 2, 3, 4 )" },
    { GW_GODOT_QUATERNION, "0a000000" F4, "Quat( 1, 2, 3, 4 )" },
    { GW_GODOT_AABB, "0b000000" F6, "AABB( 1, 2, 3, 4, 5, 6 )" },
    { GW_GODOT_BASIS, "0c000000" F9, "Matrix3( 1, 2, 3, 4, 5, 6, 7, 8, 9 )" },
    { GW_GODOT_TRANSFORM3D, "0d000000" F12, "Transform( 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 )" },
    { GW_GODOT_COLOR, "0e000000" F4, "Color( 1, 2, 3, 4 )" },
    { GW_GODOT_IMAGE, "0f000000 01000000 00000000 02000000 03000000 05000000 0102030405000000",
      "Image( 2x3, format 1, 0 mipmaps, 5 bytes )" },
    { GW_GODOT_NODE_PATH, "10000000 05000000 612f623a63000000", "NodePath(\"a/b:c\")" },
    { GW_GODOT_NODE_PATH, "10000000 01000080 01000000 01000000 01000000 61000000 01000000 62000000",
      "NodePath(\"/a:b\")" },
    { GW_GODOT_RID, "11000000", "RID()" },
    { GW_GODOT_OBJECT, "12000000", "Object()" },
    { GW_GODOT_INPUT_EVENT, "13000000 01000000 02000000 14000000 00000000 41000000", "InputEvent( type 1, device 2 )" },
    { GW_GODOT_DICTIONARY, "14000000 01000080 04000000 01000000 61000000 02000000 01000000", "{\"a\": 1}" },
    { GW_GODOT_ARRAY, "15000000 02000080 02000000 01000000 00000000", "[ 1, null ]" },
    { GW_GODOT_BYTE_ARRAY, "16000000 03000000 0102ff00", "RawArray( 1, 2, 255 )" },
    { GW_GODOT_INT32_ARRAY, "17000000 02000000 01000000 ffffffff", "IntArray( 1, -1 )" },
    { GW_GODOT_FLOAT32_ARRAY, "18000000 02000000" F2, "RealArray( 1, 2 )" },
    { GW_GODOT_STRING_ARRAY, "19000000 02000000 02000000 61000000 01000000 00000000", "StringArray( \"a\", \"\" )" },
    { GW_GODOT_VECTOR2_ARRAY, "1a000000 01000000" F2, "Vector2Array( 1, 2 )" },
    { GW_GODOT_VECTOR3_ARRAY, "1b000000 01000000" F3, "Vector3Array( 1, 2, 3 )" },
    { GW_GODOT_COLOR_ARRAY, "1c000000 01000000" F4, "ColorArray( 1, 2, 3, 4 )" },
};

TEST(the_page_of_godot_2)
{
    assert_described(GW_GODOT_2, godot_2, COUNT_OF(godot_2));
    assert_int_equal(gw_godot_wire_types(GW_GODOT_2), 29);
}

/* Godot 3.0: without Image and InputEvent, NodePath in its new form; ints have 32 bits on this page. */
static const struct described godot_3_0[] = {
    { GW_GODOT_NIL, "00000000", "null" },
    { GW_GODOT_BOOL, "01000000 01000000", "true" },
    { GW_GODOT_INT, "02000000 ffffffff", "-1" },
    { GW_GODOT_FLOAT, "03000000 0000003f", "0.5" },
    { GW_GODOT_STRING, "04000000 02000000 68690000", "\"hi\"" },
    { GW_GODOT_VECTOR2, "05000000" F2, "Vector2( 1, 2 )" },
    { GW_GODOT_RECT2, "06000000" F4, "Rect2( 1, 2, 3, 4 )" },
    { GW_GODOT_VECTOR3, "07000000" F3, "Vector3( 1, 2, 3 )" },
    { GW_GODOT_TRANSFORM2D, "08000000" F6, "Transform2D( 1, 2, 3, 4, 5, 6 )" },
    { GW_GODOT_PLANE, "09000000" F4, "Plane( 1, 2, 3, 4 )" },
    { GW_GODOT_QUATERNION, "0a000000" F4, "Quat( 1, 2, 3, 4 )" },
    { GW_GODOT_AABB, "0b000000" F6, "AABB( 1, 2, 3, 4, 5, 6 )" },
    { GW_GODOT_BASIS, "0c000000" F9, "Basis( 1, 2, 3, 4, 5, 6, 7, 8, 9 )" },
    { GW_GODOT_TRANSFORM3D, "0d000000" F12, "Transform( 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 )" },
    { GW_GODOT_COLOR, "0e000000" F4, "Color( 1, 2, 3, 4 )" },
    { GW_GODOT_NODE_PATH, "0f000000 03000000 612f6200", "NodePath(\"a/b\")" },
    { GW_GODOT_NODE_PATH, "0f000000 02000080 01000000 01000000 01000000 61000000 01000000 62000000 01000000 63000000",
      "NodePath(\"/a/b:c\")" },
    { GW_GODOT_RID, "10000000", "RID()" },
    { GW_GODOT_OBJECT, "11000000 00000000", "null" },
    { GW_GODOT_OBJECT, "11000100 2a00000000000000", "Object(EncodedObjectAsID,\"object_id\":42)" },
    { GW_GODOT_DICTIONARY, "12000000 01000000 04000000 01000000 61000000 02000000 01000000", "{\"a\": 1}" },
    { GW_GODOT_ARRAY, "13000000 02000000 02000000 01000000 00000000", "[ 1, null ]" },
    { GW_GODOT_BYTE_ARRAY, "14000000 03000000 0102ff00", "PoolByteArray( 1, 2, 255 )" },
    { GW_GODOT_INT32_ARRAY, "15000000 01000000 ffffffff", "PoolIntArray( -1 )" },
    { GW_GODOT_FLOAT32_ARRAY, "16000000 01000000" F1, "PoolRealArray( 1 )" },
    { GW_GODOT_STRING_ARRAY, "17000000 01000000 02000000 61000000", "PoolStringArray( \"a\" )" },
    { GW_GODOT_VECTOR2_ARRAY, "18000000 01000000" F2, "PoolVector2Array( 1, 2 )" },
    { GW_GODOT_VECTOR3_ARRAY, "19000000 01000000" F3, "PoolVector3Array( 1, 2, 3 )" },
    { GW_GODOT_COLOR_ARRAY, "1a000000 01000000" F4, "PoolColorArray( 1, 2, 3, 4 )" },
};

TEST(the_page_of_godot_3_0)
{
    assert_described(GW_GODOT_3, godot_3_0, COUNT_OF(godot_3_0));
    assert_int_equal(gw_godot_wire_types(GW_GODOT_3), 27);
}

/* The later page of Godot 3: also ints of 64 bits, and 27 as the limit of types. */
static const struct described godot_3_later[] = {
    { GW_GODOT_INT, "02000100 0000000001000000", "4294967296" },
    { GW_GODOT_INT, "02000100 0500000000000000", "5" },
    { GW_GODOT_FLOAT, "03000100 000000000000f43f", "1.25" },
    { GW_GODOT_DICTIONARY, "12000000 01000080 00000000 00000000", "{null: null}" },
    { GW_GODOT_ARRAY, "13000000 01000080 00000000", "[ null ]" },
};

TEST(the_later_page_of_godot_3)
{
    assert_described(GW_GODOT_3, godot_3_0, COUNT_OF(godot_3_0));
    assert_described(GW_GODOT_3, godot_3_later, COUNT_OF(godot_3_later));
    assert_fault(GW_GODOT_3, "1b000000", GW_GODOT_FAULT_TYPE_UNKNOWN, 0, 0);
}

/* The page's rule for builds with double precision, (offset - 4) * 2 + 4, is the form of Godot 4 with bit 16. */
TEST(the_rule_of_the_page_for_double_precision)
{
    assert_prints(GW_GODOT_4, "09000100 000000000000f03f 0000000000000040 0000000000000840", "Vector3(1, 2, 3)");
    assert_prints(GW_GODOT_4, "07000100 000000000000f03f 0000000000000040 0000000000000840 0000000000001040",
                  "Rect2(1, 2, 3, 4)");
}

/* ---- all numbers, from the table of type numbers ------------------------------------------------------- */

/* clang-format off */
static const char *const names[5][40] = {
    [GW_GODOT_2] = {
        "Nil", "bool", "int", "float", "String", "Vector2", "Rect2", "Vector3", "Matrix32", "Plane", "Quat",
        "AABB", "Matrix3", "Transform", "Color", "Image", "NodePath", "RID", "Object", "InputEvent",
        "Dictionary", "Array", "RawArray", "IntArray", "RealArray", "StringArray", "Vector2Array",
        "Vector3Array", "ColorArray"
    },
    [GW_GODOT_3] = {
        "Nil", "bool", "int", "float", "String", "Vector2", "Rect2", "Vector3", "Transform2D", "Plane",
        "Quat", "AABB", "Basis", "Transform", "Color", "NodePath", "RID", "Object", "Dictionary", "Array",
        "PoolByteArray", "PoolIntArray", "PoolRealArray", "PoolStringArray", "PoolVector2Array",
        "PoolVector3Array", "PoolColorArray"
    },
    [GW_GODOT_4] = {
        "Nil", "bool", "int", "float", "String", "Vector2", "Vector2i", "Rect2", "Rect2i", "Vector3",
        "Vector3i", "Transform2D", "Vector4", "Vector4i", "Plane", "Quaternion", "AABB", "Basis",
        "Transform3D", "Projection", "Color", "StringName", "NodePath", "RID", "Object", "Callable",
        "Signal", "Dictionary", "Array", "PackedByteArray", "PackedInt32Array", "PackedInt64Array",
        "PackedFloat32Array", "PackedFloat64Array", "PackedStringArray", "PackedVector2Array",
        "PackedVector3Array", "PackedColorArray", "PackedVector4Array"
    },
};
/* clang-format on */

static void numbering(gw_godot_generation generation)
{
    uint32_t number = 0;
    for (; names[generation][number]; number++) {
        gw_godot_type type = gw_godot_type_of_wire(generation, number);
        assert_string_equal(gw_godot_type_name(generation, type), names[generation][number]);
        assert_int_equal(gw_godot_wire_type(generation, type), number);
    }
    assert_int_equal(gw_godot_wire_types(generation), number);
    assert_int_equal(gw_godot_type_of_wire(generation, number), GW_GODOT_TYPES);
}

TEST(types_have_the_numbers_of_their_generation)
{
    numbering(GW_GODOT_2);
    numbering(GW_GODOT_3);
    numbering(GW_GODOT_4);
}

TEST(types_that_a_generation_does_not_have)
{
    assert_int_equal(gw_godot_wire_type(GW_GODOT_3, GW_GODOT_PROJECTION), -1);
    assert_int_equal(gw_godot_wire_type(GW_GODOT_4, GW_GODOT_IMAGE), -1);
    assert_string_equal(gw_godot_type_name(GW_GODOT_3, GW_GODOT_PROJECTION), "Projection");
    assert_string_equal(gw_godot_type_name(GW_GODOT_4, GW_GODOT_IMAGE), "Image");
    assert_non_null(gw_godot_type_name(GW_GODOT_4, GW_GODOT_TYPES));
}
