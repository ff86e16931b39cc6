/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values with members: arrays, dictionaries and objects.
 */
#include "reading.h"

static void assert_event(uint32_t number, gw_kind kind, gw_godot_type type, gw_godot_role role, uint32_t depth,
                         uint32_t index)
{
    assert_true(number < seen.count);
    const gw_godot_event *event = &seen.events[number];
    assert_int_equal(event->kind, kind);
    assert_int_equal(event->type, type);
    assert_int_equal(event->role, role);
    assert_int_equal(event->depth, depth);
    assert_int_equal(event->index, index);
}

static void assert_range(uint32_t number, uint32_t offset, uint32_t header, uint32_t payload)
{
    const gw_godot_event *event = &seen.events[number];
    assert_int_equal(event->header.offset, offset);
    assert_int_equal(event->header.length, header);
    assert_int_equal(event->payload.offset, offset + header);
    assert_int_equal(event->payload.length, payload);
    assert_int_equal(event->padding.offset, offset + header + payload);
}

/* ---- arrays and dictionaries --------------------------------------------------------------------------- */

TEST(array_is_open_elements_and_close)
{
    read_value(GW_GODOT_4, "1c000000 02000000 02000000 01000000 00000000");
    assert_int_equal(seen.count, 4);
    assert_event(0, GW_OPEN, GW_GODOT_ARRAY, GW_GODOT_ROLE_ROOT, 0, 0);
    assert_event(1, GW_VALUE, GW_GODOT_INT, GW_GODOT_ROLE_ELEMENT, 1, 0);
    assert_event(2, GW_VALUE, GW_GODOT_NIL, GW_GODOT_ROLE_ELEMENT, 1, 1);
    assert_event(3, GW_CLOSE, GW_GODOT_ARRAY, GW_GODOT_ROLE_ROOT, 0, 0);
    assert_int_equal(seen.events[0].count, 2);
}

TEST(open_ends_where_members_begin_and_close_covers_all)
{
    read_value(GW_GODOT_4, "1c000000 02000000 02000000 01000000 00000000");
    assert_range(0, 0, 8, 0);
    assert_range(1, 8, 4, 4);
    assert_range(2, 16, 4, 0);
    assert_range(3, 0, 4, 16);
    assert_int_equal(seen.events[3].count, 2);
    assert_int_equal(seen.events[3].header_word, 0x1c);
}

TEST(dictionary_alternates_keys_and_entries)
{
    read_value(GW_GODOT_3, "12000000 02000000 04000000 01000000 61000000 02000000 07000000 02000000 01000000 00000000");
    assert_int_equal(seen.count, 6);
    assert_event(0, GW_OPEN, GW_GODOT_DICTIONARY, GW_GODOT_ROLE_ROOT, 0, 0);
    assert_event(1, GW_VALUE, GW_GODOT_STRING, GW_GODOT_ROLE_KEY, 1, 0);
    assert_event(2, GW_VALUE, GW_GODOT_INT, GW_GODOT_ROLE_ENTRY, 1, 0);
    assert_event(3, GW_VALUE, GW_GODOT_INT, GW_GODOT_ROLE_KEY, 1, 1);
    assert_event(4, GW_VALUE, GW_GODOT_NIL, GW_GODOT_ROLE_ENTRY, 1, 1);
    assert_event(5, GW_CLOSE, GW_GODOT_DICTIONARY, GW_GODOT_ROLE_ROOT, 0, 0);
    assert_int_equal(seen.events[5].count, 2);
    assert_range(5, 0, 4, 36);
}

TEST(close_has_role_and_index_of_its_open)
{
    /* [null, {true: []}] */
    read_value(GW_GODOT_4, "1c000000 02000000 00000000 1b000000 01000000 01000000 01000000 1c000000 00000000");
    assert_event(2, GW_OPEN, GW_GODOT_DICTIONARY, GW_GODOT_ROLE_ELEMENT, 1, 1);
    assert_event(4, GW_OPEN, GW_GODOT_ARRAY, GW_GODOT_ROLE_ENTRY, 2, 0);
    assert_event(5, GW_CLOSE, GW_GODOT_ARRAY, GW_GODOT_ROLE_ENTRY, 2, 0);
    assert_event(6, GW_CLOSE, GW_GODOT_DICTIONARY, GW_GODOT_ROLE_ELEMENT, 1, 1);
    assert_event(7, GW_CLOSE, GW_GODOT_ARRAY, GW_GODOT_ROLE_ROOT, 0, 0);
    assert_range(5, 28, 4, 4);
    assert_range(6, 12, 4, 20);
}

TEST(a_container_may_be_a_key)
{
    read_value(GW_GODOT_4, "1b000000 01000000 1c000000 00000000 00000000");
    assert_event(1, GW_OPEN, GW_GODOT_ARRAY, GW_GODOT_ROLE_KEY, 1, 0);
    assert_event(2, GW_CLOSE, GW_GODOT_ARRAY, GW_GODOT_ROLE_KEY, 1, 0);
    assert_event(3, GW_VALUE, GW_GODOT_NIL, GW_GODOT_ROLE_ENTRY, 1, 0);
}

TEST(the_shared_bit_is_not_part_of_the_count)
{
    read_value(GW_GODOT_2, "15000000 01000080 02000000 07000000");
    assert_int_equal(seen.events[0].count, 1);
    assert_int_equal(seen.odd, 0);
    read_value(GW_GODOT_2, "14000000 00000080");
    assert_int_equal(seen.events[0].type, GW_GODOT_DICTIONARY);
    read_value(GW_GODOT_3, "13000000 01000080 00000000");
    assert_int_equal(seen.events[0].count, 1);
    assert_int_equal(seen.odd, GW_GODOT_ODD_SHARED);
}

/* ---- typed containers ---------------------------------------------------------------------------------- */

static gw_godot_declaration declaration(uint32_t which)
{
    gw_godot_declaration declared;
    gw_godot_declaration_of(seen.bytes, &seen.events[0], which, &declared);
    return declared;
}

static void assert_builtin(uint32_t which, gw_godot_type type, uint32_t offset)
{
    gw_godot_declaration declared = declaration(which);
    assert_int_equal(declared.kind, GW_GODOT_BUILTIN);
    assert_int_equal(declared.type, type);
    assert_int_equal(declared.whole.offset, offset);
    assert_int_equal(declared.whole.length, 4);
}

static void assert_untyped(uint32_t which)
{
    assert_int_equal(declaration(which).kind, GW_GODOT_UNTYPED);
    assert_int_equal(declaration(which).whole.length, 0);
}

TEST(array_of_a_built_in_type)
{
    /* Array[int]([1]): elements keep their headers. */
    const gw_godot_event *event = read_value(GW_GODOT_4, "1c000100 02000000 01000000 02000000 01000000");
    assert_builtin(0, GW_GODOT_INT, 4);
    assert_untyped(1);
    assert_int_equal(event->count, 1);
    assert_int_equal(event->payload.offset, 12);
    assert_int_equal(seen.odd, 0);
}

TEST(array_of_objects_by_id_has_the_substitute_class)
{
    read_value(GW_GODOT_4, "1c000200 11000000 456e636f6465644f626a6563744173494400 0000 00000000");
    gw_godot_declaration declared = declaration(0);
    assert_int_equal(declared.kind, GW_GODOT_CLASS);
    assert_span(declared.text, "EncodedObjectAsID");
}

TEST(class_name_of_a_declaration_is_padded)
{
    read_value(GW_GODOT_4, "1c000200 04000000 4e6f6465 00000000");
    assert_span(declaration(0).text, "Node");
    assert_int_equal(declaration(0).padding, 0);
    read_value(GW_GODOT_4, "1c000200 06000000 4e6f64653244 0000 00000000");
    assert_span(declaration(0).text, "Node2D");
    assert_int_equal(declaration(0).padding, 2);
    assert_int_equal(declaration(0).whole.length, 12);
}

TEST(array_of_a_script_has_its_path)
{
    read_value(GW_GODOT_4, "1c000300 08000000 7265733a2f2f612e 00000000");
    assert_int_equal(declaration(0).kind, GW_GODOT_SCRIPT);
    assert_span(declaration(0).text, "res://a.");
}

TEST(dictionary_of_built_in_types)
{
    read_value(GW_GODOT_4, "1b000500 04000000 02000000 00000000");
    assert_builtin(0, GW_GODOT_STRING, 4);
    assert_builtin(1, GW_GODOT_INT, 8);
    assert_int_equal(seen.events[0].payload.offset, 16);
}

TEST(dictionary_typed_on_one_side)
{
    read_value(GW_GODOT_4, "1b000100 04000000 00000000");
    assert_builtin(0, GW_GODOT_STRING, 4);
    assert_untyped(1);
    read_value(GW_GODOT_4, "1b000400 02000000 00000000");
    assert_untyped(0);
    assert_builtin(1, GW_GODOT_INT, 4);
}

TEST(dictionary_of_class_keys_and_script_values)
{
    read_value(GW_GODOT_4, "1b000e00 04000000 4e6f6465 03000000 612e6700 00000000");
    assert_int_equal(declaration(0).kind, GW_GODOT_CLASS);
    assert_span(declaration(0).text, "Node");
    assert_int_equal(declaration(1).kind, GW_GODOT_SCRIPT);
    assert_span(declaration(1).text, "a.g");
}

TEST(built_in_objects_are_a_declaration_too)
{
    read_value(GW_GODOT_4, "1c000100 18000000 00000000");
    assert_builtin(0, GW_GODOT_OBJECT, 4);
}

TEST(untyped_containers_have_no_declaration)
{
    read_value(GW_GODOT_4, "1c000000 00000000");
    assert_untyped(0);
    read_value(GW_GODOT_3, "13000100 00000000");
    assert_untyped(0);
    assert_int_equal(seen.odd, GW_GODOT_ODD_FLAGS);
    read_value(GW_GODOT_4, "18000000 01000000 41000000 00000000");
    assert_untyped(0);
}

/* ---- objects ------------------------------------------------------------------------------------------- */

TEST(object_of_godot_2_is_only_a_header)
{
    assert_int_equal(read_value(GW_GODOT_2, "12000000")->type, GW_GODOT_OBJECT);
}

TEST(object_as_id)
{
    const gw_godot_event *event = read_value(GW_GODOT_3, "11000100 1005000000000000");
    assert_int_equal(event->type, GW_GODOT_OBJECT);
    assert_int_equal(event->kind, GW_VALUE);
    assert_int_equal(event->number, 0x510);
    assert_true(read_value(GW_GODOT_4, "18000100 b405001b06000080")->number == (int64_t)UINT64_C(0x800000061b0005b4));
}

TEST(null_object_of_release_templates)
{
    assert_int_equal(read_value(GW_GODOT_3, "11000100 0000000000000000")->number, 0);
    const gw_godot_event *event = read_value(GW_GODOT_3, "11000000 00000000");
    assert_int_equal(event->kind, GW_VALUE);
    assert_int_equal(event->number, 0);
}

TEST(full_object_is_a_class_and_named_properties)
{
    /* Object(Node, "a": 1, "b": null) */
    const gw_godot_event *event = read_value(
        GW_GODOT_3,
        "11000000 04000000 4e6f6465 02000000 01000000 61000000 02000000 01000000 01000000 62000000 00000000");
    assert_span(event->text, "Node");
    assert_int_equal(event->count, 2);
    assert_event(0, GW_OPEN, GW_GODOT_OBJECT, GW_GODOT_ROLE_ROOT, 0, 0);
    assert_event(1, GW_VALUE, GW_GODOT_STRING, GW_GODOT_ROLE_PROPERTY_NAME, 1, 0);
    assert_event(2, GW_VALUE, GW_GODOT_INT, GW_GODOT_ROLE_PROPERTY, 1, 0);
    assert_event(3, GW_VALUE, GW_GODOT_STRING, GW_GODOT_ROLE_PROPERTY_NAME, 1, 1);
    assert_event(4, GW_VALUE, GW_GODOT_NIL, GW_GODOT_ROLE_PROPERTY, 1, 1);
    assert_event(5, GW_CLOSE, GW_GODOT_OBJECT, GW_GODOT_ROLE_ROOT, 0, 0);
    assert_span(seen.events[3].text, "b");
    assert_int_equal(seen.events[5].count, 2);
}

TEST(property_names_have_no_header)
{
    read_value(GW_GODOT_4, "18000000 04000000 4e6f6465 01000000 01000000 61000000 00000000");
    assert_int_equal(seen.events[1].header_word, 0);
    assert_range(1, 16, 4, 1);
    assert_int_equal(seen.events[1].padding.length, 3);
}

TEST(typed_null_argument_is_only_a_header)
{
    assert_int_equal(read_argument("18000000")->odd, GW_GODOT_ODD_BARE_OBJECT);
    assert_int_equal(seen.events[0].number, 0);
    assert_int_equal(seen.events[0].header.length, 4);
}

TEST(bare_object_may_precede_another_argument)
{
    /* The bytes after it are a bool's header and value, or an impossible length, or not a text. */
    const gw_godot_options options = { .generation = GW_GODOT_4, .bare_objects = true };
    static const char *const followed[] = { "18000000 00000000", "18000000 ffffff00 00000000", "18000000 0100",
                                            "18000000 03000000 c3286100", "18000000 03000000 616263" };
    for (unsigned i = 0; i < COUNT_OF(followed); i++) {
        size_t length;
        uint8_t *bytes = bytes_of_hex(followed[i], &length);
        gw_godot_summary summary;
        assert_true(gw_godot_validate(bytes, length, &options, &summary));
        assert_int_equal(summary.length, 4);
        free(bytes);
    }
}

TEST(only_the_argument_itself_may_be_only_a_header)
{
    /* [null object in full form, true]: the members are written as usual. */
    read_argument("1c000000 02000000 18000000 00000000 01000000 01000000");
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.events[1].type, GW_GODOT_OBJECT);
    assert_int_equal(seen.events[2].type, GW_GODOT_BOOL);
    assert_int_equal(seen.odd, GW_GODOT_ODD_FULL_OBJECT);
}

TEST(full_object_may_be_an_argument_too)
{
    assert_int_equal(read_argument("18000000 04000000 4e6f6465 00000000")->kind, GW_OPEN);
    assert_int_equal(seen.odd, GW_GODOT_ODD_FULL_OBJECT);
}

/* The length of a plausible class name is at most 255. */
TEST(a_class_name_is_short_and_an_identifier)
{
    static const struct {
        const char *name;
        uint32_t length;
        bool plausible;
    } names[] = {
        { "RefCounted", 10, true },
        { "_Node3D", 7, true },
        { "Gr\xC3\xB6\xC3\x9F"
          "e",
          7, true },
        { "Node", 255, true },
        { "Node", 256, false },
        { "Node 3", 6, false },
        { "res:", 4, false },
        { "No\0e", 4, false },
        { "Nod\xC3", 4, false },
    };
    const gw_godot_options options = { .generation = GW_GODOT_4, .bare_objects = true };
    for (unsigned i = 0; i < COUNT_OF(names); i++) {
        uint8_t bytes[8 + 256 + 4] = { 24, 0, 0, 0 };
        uint32_t padded = (names[i].length + 3) & ~UINT32_C(3);
        gw_godot_summary summary;
        memset(bytes + 8, 'e', names[i].length);
        memcpy(bytes + 8, names[i].name, names[i].length < 16 ? names[i].length : 4);
        bytes[4] = (uint8_t)names[i].length;
        bytes[5] = (uint8_t)(names[i].length >> 8);
        memset(bytes + 8 + padded, 0, 4); /* no properties */
        assert_true(gw_godot_validate(bytes, 8 + padded + 4, &options, &summary));
        assert_int_equal(summary.length, names[i].plausible ? 8 + padded + 4 : 4);
        assert_int_equal(summary.odd, names[i].plausible ? GW_GODOT_ODD_FULL_OBJECT : GW_GODOT_ODD_BARE_OBJECT);
    }
}
