/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values by their paths, in bytes of the specification and in packets of the real engines.
 */
#include "captures.h"
#include "reading.h"

#include <gamewire/godot_find.h>

static uint8_t *bytes; /* on the heap and exactly as long as the input */
static size_t length;
static gw_godot_options options;
static gw_godot_found found;

static void release(void)
{
    free(bytes);
    bytes = NULL;
}

static void use_hex(gw_godot_generation generation, const char *hex)
{
    release();
    bytes = bytes_of_hex(hex, &length);
    options = (gw_godot_options){ .generation = generation };
}

static bool find(const char *path)
{
    return gw_godot_find(bytes, length, &options, path, &found);
}

static void assert_found(const char *path, gw_godot_type type)
{
    assert_true(find(path));
    assert_int_equal(found.result, GW_GODOT_FIND_FOUND);
    assert_int_equal(found.type, type);
}

static void assert_int(const char *path, int64_t number)
{
    assert_found(path, GW_GODOT_INT);
    assert_int_equal(found.number, number);
    assert_float_equal(found.real, (double)number, 0);
}

static void assert_real(const char *path, double real)
{
    assert_found(path, GW_GODOT_FLOAT);
    assert_float_equal(found.real, real, 1e-6);
}

static void assert_text(const char *path, gw_godot_type type, const char *text)
{
    assert_found(path, type);
    assert_int_equal(found.text.length, strlen(text));
    assert_memory_equal(bytes + found.text.offset, text, strlen(text));
}

static void assert_not_found(const char *path, gw_godot_find_result result, uint32_t path_offset)
{
    assert_false(find(path));
    assert_int_equal(found.result, result);
    assert_int_equal(found.path_offset, path_offset);
}

/* ---- containers ---------------------------------------------------------------------------------------- */

/* {"players": [{"hp": 100, "pos": Vector2(1.5, -2.25)}, null], "on": true} of Godot 4. */
#define PLAYERS \
    "1b000000 02000000 04000000 07000000 706c617965727300 1c000000 02000000" \
    " 1b000000 02000000 04000000 02000000 68700000 02000000 64000000" \
    " 04000000 03000000 706f7300 05000000 0000c03f 000010c0 00000000" \
    " 04000000 02000000 6f6e0000 01000000 01000000"

TEST(a_component_of_an_entry_of_an_element)
{
    use_hex(GW_GODOT_4, PLAYERS);
    assert_real("players[0].pos.x", 1.5);
    assert_int_equal(found.component, 0);
    assert_real("players[0].pos.y", -2.25);
    assert_int_equal(found.component, 1);
    assert_int_equal(found.components, 1);
    assert_int_equal(found.event.type, GW_GODOT_VECTOR2);
    assert_int("players[0].hp", 100);
    assert_found("players[1]", GW_GODOT_NIL);
    assert_found("on", GW_GODOT_BOOL);
    assert_int_equal(found.number, 1);
    assert_float_equal(found.real, 1, 0);
}

TEST(a_first_period_and_brackets_are_the_same_path)
{
    use_hex(GW_GODOT_4, PLAYERS);
    assert_int(".players[0].hp", 100);
    assert_int("[\"players\"][0][\"hp\"]", 100);
}

TEST(a_whole_composite_value)
{
    use_hex(GW_GODOT_4, PLAYERS);
    assert_found("players[0].pos", GW_GODOT_VECTOR2);
    assert_int_equal(found.component, 0);
    assert_int_equal(found.components, 2);
    assert_float_equal(gw_godot_real_at(bytes, &found.event, 1), -2.25, 0);
}

TEST(a_whole_container_can_be_read_from_its_offset)
{
    use_hex(GW_GODOT_4, PLAYERS);
    assert_found("", GW_GODOT_DICTIONARY);
    assert_int_equal(found.event.kind, GW_OPEN);
    assert_int_equal(found.event.header.offset, 0);
    assert_found("players[0]", GW_GODOT_DICTIONARY);
    assert_int_equal(found.components, 0);
    options.offset = found.event.header.offset;
    assert_int("hp", 100);
}

TEST(without_options_it_is_godot_4)
{
    use_hex(GW_GODOT_4, PLAYERS);
    assert_true(gw_godot_find(bytes, length, NULL, "players[0].hp", &found));
    assert_int_equal(found.number, 100);
}

TEST(what_is_absent)
{
    use_hex(GW_GODOT_4, PLAYERS);
    assert_not_found("monsters", GW_GODOT_FIND_ABSENT, 0);
    assert_not_found("players[2].hp", GW_GODOT_FIND_ABSENT, 7);
    assert_not_found("players[-1]", GW_GODOT_FIND_ABSENT, 7);
    /* Members of members are not those of the container. */
    assert_not_found("hp", GW_GODOT_FIND_ABSENT, 0);
    assert_not_found("players[0].pos.z", GW_GODOT_FIND_ABSENT, 14);
    assert_not_found("players[0].pos.x.y", GW_GODOT_FIND_ABSENT, 14);
    assert_not_found("player", GW_GODOT_FIND_ABSENT, 0);
    assert_not_found("[0]", GW_GODOT_FIND_ABSENT, 0);
}

TEST(what_has_another_type)
{
    use_hex(GW_GODOT_4, PLAYERS);
    assert_not_found("players.hp", GW_GODOT_FIND_TYPE, 7);
    assert_not_found("players[\"hp\"]", GW_GODOT_FIND_TYPE, 7);
    assert_not_found("players[0].hp.x", GW_GODOT_FIND_TYPE, 13);
    assert_not_found("players[0].pos[0]", GW_GODOT_FIND_TYPE, 14);
    assert_not_found("players[0].pos[\"x\"]", GW_GODOT_FIND_TYPE, 14);
    assert_not_found("players[1].hp", GW_GODOT_FIND_TYPE, 10);
}

TEST(paths_that_are_not_valid)
{
    static const char *const invalid[] = { ".",
                                           "..hp",
                                           "[",
                                           "[]",
                                           "[x]",
                                           "[-]",
                                           "[0",
                                           "[\"a",
                                           "[\"a\"",
                                           "[0x]",
                                           "[ 0]",
                                           "[+1]",
                                           "[9223372036854775808]",
                                           "[-9223372036854775809]",
                                           "[99999999999999999999]" };
    use_hex(GW_GODOT_4, PLAYERS);
    for (unsigned i = 0; i < COUNT_OF(invalid); i++)
        assert_not_found(invalid[i], GW_GODOT_FIND_PATH_INVALID, 0);
    assert_not_found("players[0]hp", GW_GODOT_FIND_PATH_INVALID, 10);
    assert_not_found("players.", GW_GODOT_FIND_PATH_INVALID, 7);
    assert_not_found("players[0][", GW_GODOT_FIND_PATH_INVALID, 10);
}

TEST(of_a_key_that_is_there_twice_the_first_entry)
{
    use_hex(
        GW_GODOT_4,
        "1b000000 02000000 04000000 01000000 61000000 02000000 01000000 04000000 01000000 61000000 02000000 02000000");
    assert_int("a", 1);
}

TEST(int_keys_of_dictionaries)
{
    /* {1: 5, -2: 6, "1": 7, 0.0: 8} */
    use_hex(GW_GODOT_4, "1b000000 04000000 02000000 01000000 02000000 05000000 02000000 feffffff 02000000 06000000 "
                        "04000000 01000000 31000000 02000000 07000000 03000000 00000000 02000000 08000000");
    assert_int("[1]", 5);
    assert_int("[-2]", 6);
    assert_int("[\"1\"]", 7);
    assert_int(".1", 7);
    assert_not_found("[0]", GW_GODOT_FIND_ABSENT, 0);
}

TEST(the_smallest_and_the_largest_int_key)
{
    use_hex(
        GW_GODOT_4,
        "1b000000 02000000 02000100 ffffffffffffff7f 02000000 05000000 02000100 0000000000000080 02000000 06000000");
    assert_int("[9223372036854775807]", 5);
    assert_int("[-9223372036854775808]", 6);
}

TEST(containers_as_keys_are_passed_over)
{
    /* {["a"]: "b", "a": 1} */
    use_hex(GW_GODOT_4, "1b000000 02000000 1c000000 01000000 04000000 01000000 61000000 04000000 01000000 62000000 "
                        "04000000 01000000 61000000 02000000 01000000");
    assert_int("a", 1);
    assert_not_found("b", GW_GODOT_FIND_ABSENT, 0);
}

TEST(empty_keys)
{
    use_hex(GW_GODOT_4, "1b000000 01000000 04000000 00000000 02000000 01000000");
    assert_int("[\"\"]", 1);
}

TEST(properties_of_a_full_object)
{
    /* Object(Node, "a": 1) */
    use_hex(GW_GODOT_4, "18000000 04000000 4e6f6465 01000000 01000000 61000000 02000000 01000000");
    assert_int("a", 1);
    assert_int("[\"a\"]", 1);
    assert_not_found("b", GW_GODOT_FIND_ABSENT, 0);
    assert_not_found("[0]", GW_GODOT_FIND_TYPE, 0);
    assert_found("", GW_GODOT_OBJECT);
}

/* ---- packed arrays and components ---------------------------------------------------------------------- */

TEST(elements_of_packed_arrays)
{
    use_hex(GW_GODOT_4, "1d000000 03000000 0102ff00");
    assert_int("[2]", 255);
    assert_not_found("[3]", GW_GODOT_FIND_ABSENT, 0);
    assert_not_found("[-1]", GW_GODOT_FIND_ABSENT, 0);
    assert_not_found("[0].x", GW_GODOT_FIND_TYPE, 3);
    assert_not_found("x", GW_GODOT_FIND_TYPE, 0);
    assert_found("", GW_GODOT_BYTE_ARRAY);
    assert_int_equal(found.components, 0);
    use_hex(GW_GODOT_4, "1f000000 01000000 ffffffffffffffff");
    assert_int("[0]", -1);
    use_hex(GW_GODOT_4, "20000000 02000000 00000000 0000c03f");
    assert_real("[1]", 1.5);
}

TEST(elements_of_packed_vectors_and_colors)
{
    use_hex(GW_GODOT_4, "23000000 02000000 00000000 0000803f 0000c03f 000010c0");
    assert_found("[1]", GW_GODOT_VECTOR2);
    assert_int_equal(found.component, 2);
    assert_int_equal(found.components, 2);
    assert_int_equal(found.event.type, GW_GODOT_VECTOR2_ARRAY);
    assert_real("[1].y", -2.25);
    assert_int_equal(found.component, 3);
    assert_not_found("[1].z", GW_GODOT_FIND_ABSENT, 3);
    assert_not_found("[1]y", GW_GODOT_FIND_PATH_INVALID, 3);
    assert_not_found("[1][0]", GW_GODOT_FIND_TYPE, 3);
    use_hex(GW_GODOT_4, "24000000 01000000 0000803f 0000c03f 000010c0");
    assert_found("[0]", GW_GODOT_VECTOR3);
    assert_real("[0].z", -2.25);
    use_hex(GW_GODOT_4, "25000000 01000000 0000003f 0000003f 0000003f 0000803f");
    assert_found("[0]", GW_GODOT_COLOR);
    assert_real("[0].a", 1);
    use_hex(GW_GODOT_4, "26000000 01000000 0000003f 0000003f 0000003f 0000803f");
    assert_found("[0]", GW_GODOT_VECTOR4);
    assert_real("[0].w", 1);
}

TEST(strings_of_a_string_array)
{
    use_hex(GW_GODOT_4, "22000000 02000000 02000000 61000000 04000000 62636400");
    assert_text("[0]", GW_GODOT_STRING, "a");
    assert_text("[1]", GW_GODOT_STRING, "bcd");
    assert_not_found("[2]", GW_GODOT_FIND_ABSENT, 0);
    assert_not_found("[1][0]", GW_GODOT_FIND_TYPE, 3);
}

TEST(components_with_names_of_two_parts)
{
    use_hex(GW_GODOT_4, "08000000 01000000 02000000 03000000 fcffffff");
    assert_int("size.y", -4);
    assert_int_equal(found.component, 3);
    assert_int(".position.x", 1);
    assert_not_found("size", GW_GODOT_FIND_ABSENT, 0);
    assert_found("", GW_GODOT_RECT2I);
    assert_int_equal(found.components, 4);
}

TEST(scalars_and_texts_at_the_root)
{
    use_hex(GW_GODOT_4, "02000000 07000000");
    assert_int("", 7);
    use_hex(GW_GODOT_4, "03000000 0000c03f");
    assert_real("", 1.5);
    use_hex(GW_GODOT_4, "15000000 01000000 61000000");
    assert_text("", GW_GODOT_STRING_NAME, "a");
    assert_not_found("x", GW_GODOT_FIND_TYPE, 0);
}

/* ---- bytes that cannot be read ------------------------------------------------------------------------- */

TEST(no_bytes)
{
    assert_false(gw_godot_find(NULL, 0, NULL, "a", &found));
    assert_int_equal(found.result, GW_GODOT_FIND_UNREADABLE);
    assert_int_equal(found.fault.code, GW_GODOT_FAULT_HEADER_TRUNCATED);
}

TEST(truncated_before_the_value)
{
    use_hex(GW_GODOT_4, "1b000000 02000000 04000000 01000000 61000000 02000000 01000000 04000000");
    assert_int("a", 1);
    assert_not_found("b", GW_GODOT_FIND_UNREADABLE, 0);
    assert_int_equal(found.fault.fault_class, GW_FAULT_TRUNCATED);
    assert_int_equal(found.fault.code, GW_GODOT_FAULT_TEXT_TRUNCATED);
}

TEST(an_unknown_type_before_the_value)
{
    use_hex(GW_GODOT_4, "1c000000 02000000 ff000000 00000000");
    assert_not_found("[1]", GW_GODOT_FIND_UNREADABLE, 0);
    assert_int_equal(found.fault.code, GW_GODOT_FAULT_TYPE_UNKNOWN);
    assert_int_equal(found.fault.offset, 8);
}

TEST(every_prefix_of_the_bytes_is_found_or_unreadable)
{
    static const char *const paths[] = { "players[0].pos.y", "players[1]", "on", "none", "players[0].hp" };
    use_hex(GW_GODOT_4, PLAYERS);
    for (size_t part = 0; part < length; part++) {
        uint8_t *copy = malloc(part ? part : 1);
        assert_non_null(copy);
        memcpy(copy, bytes, part);
        for (unsigned i = 0; i < COUNT_OF(paths); i++)
            if (!gw_godot_find(copy, part, &options, paths[i], &found))
                assert_int_equal(found.result, GW_GODOT_FIND_UNREADABLE);
        free(copy);
    }
}

TEST(each_result_has_a_text)
{
    for (uint32_t i = 0; i < GW_GODOT_FIND_RESULTS; i++)
        assert_true(strlen(gw_godot_find_text(i)) > 4);
    assert_string_equal(gw_godot_find_text(GW_GODOT_FIND_RESULTS), "unknown");
}

/* ---- the captures -------------------------------------------------------------------------------------- */

struct wanted {
    unsigned packet;
    bool is_there;
};

static void use_packet(const capture_payload *payload, void *context)
{
    struct wanted *wanted = context;
    if (payload->packet != wanted->packet)
        return;
    wanted->is_there = true;
    release();
    length = payload->length;
    bytes = malloc(length);
    assert_non_null(bytes);
    memcpy(bytes, payload->bytes, length);
}

/* `packet` is the `n` of the capture's record, which has what the engine printed of the value. */
static void use_capture(gw_godot_generation generation, const char *pattern, unsigned packet)
{
    struct wanted wanted = { packet, false };
    visit_captures(pattern, use_packet, &wanted);
    assert_true(wanted.is_there);
    options = (gw_godot_options){ .generation = generation };
}

static void assert_game(gw_godot_generation generation, const char *pattern, gw_godot_type name)
{
    use_capture(generation, pattern, 8);
    assert_int("tick", 1202);
    assert_text("cmd", GW_GODOT_STRING, "input");
    assert_int("keys[3]", 1);
    assert_int("keys[2]", 0);
    assert_real("aim", 0.785398);
    use_capture(generation, pattern, 9);
    assert_real("at.origin.y", 34);
    assert_real("at.x.x", 0.877583);
    assert_found("parent", GW_GODOT_NODE_PATH);
    assert_text("scene", name, "arrow");
    use_capture(generation, pattern, 11);
    assert_real("points[2].y", 16.5);
    assert_found("points[1]", GW_GODOT_VECTOR2);
}

TEST(values_of_a_game)
{
    assert_game(GW_GODOT_3, "godot/variant/godot-3.2.3-game.pcap", GW_GODOT_STRING);
    assert_game(GW_GODOT_3, "godot/variant/godot-3.6-game.pcap", GW_GODOT_STRING);
    assert_game(GW_GODOT_4, "godot/variant/godot-4.6.3-game.pcap", GW_GODOT_STRING_NAME);
}

TEST(values_of_many_types)
{
    static const char *const all = "godot/variant/godot-4.6.3.pcap";
    use_capture(GW_GODOT_4, all, 185);
    assert_real("shape.size.x", 20);
    assert_found("none", GW_GODOT_NIL);
    use_capture(GW_GODOT_4, all, 189);
    assert_found("nested.deeper.deepest", GW_GODOT_NIL);
    use_capture(GW_GODOT_4, all, 190);
    assert_text("[1]", GW_GODOT_STRING, "int");
    assert_text("[4294967296]", GW_GODOT_STRING, "long int");
    assert_text("name", GW_GODOT_STRING, "StringName");
    use_capture(GW_GODOT_4, all, 216);
    assert_int("b", 4294967296);
    use_capture(GW_GODOT_4, all, 241);
    assert_int("[4]", INT64_MIN);
    use_capture(GW_GODOT_4, all, 250);
    assert_text("[6]", GW_GODOT_STRING, "say \"hi\"");
}
