/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The remote file system: bytes of pcaps/godot/remote_fs and of the format's description, cut everywhere; each fault
 * with its offset and the bytes that it needs.
 */
#include "hex.h"
#include "testing.h"

#include <stdio.h>
#include <string.h>

#include <gamewire/godot_remote_fs.h>

/* "cave canem", one tag "bptc", a list of 8 bytes for 245. */
#define GAME \
    "47524653 01000000 636176652063616e656d 0000000000000000000000 0000000000000000000000" \
    "01000000 04000000 62707463 f5000000 08000000 28b52ffd20f5f503"
#define PASSWORD_32 "3031323334353637383961626364656630313233343536373839616263646566"
/* a.gd of 3 bytes, b that was removed, c without bytes. */
#define EDITOR \
    "03000000 04000000 612e6764 d4c1066b00000000 01000000 62 0000000000000000 01000000 63 d4c1066b00000000" \
    "0300000000000000 616263 0000000000000000 47454e44"
#define GAME_LINE \
    "GRFS, version 1, password, tags: 1, tag \"bptc\", list of cached files: 245, compressed: 8, list: 8 bytes"
#define EDITOR_LINE \
    "files: 3, path \"a.gd\", modified 1795604948, path \"b\", modified 0, path \"c\", modified 1795604948, " \
    "size: 3, content: 3 bytes, size: 0, end"

static const gw_godot_remote_fs_state game = { .side = GW_GODOT_REMOTE_FS_GAME };
static const gw_godot_remote_fs_state editor = { .side = GW_GODOT_REMOTE_FS_EDITOR };

typedef struct test_bytes {
    uint8_t bytes[512];
    size_t length;
} test_bytes;

static test_bytes bytes_of(const char *hex)
{
    test_bytes data;
    data.length = hex_to_bytes(hex, data.bytes, sizeof data.bytes);
    return data;
}

/* True if the reader expects no further byte of this direction. */
static bool is_complete(const gw_godot_remote_fs_state *state)
{
    static const uint8_t byte[1];
    gw_godot_remote_fs_reader reader;
    gw_godot_remote_fs_event event;
    gw_godot_remote_fs_init(&reader, byte, sizeof byte, &(const gw_godot_remote_fs_options){ .state = state });
    return gw_godot_remote_fs_next(&reader, &event) == GW_NEXT_FAULT &&
           reader.fault.code == GW_GODOT_REMOTE_FS_FAULT_TRAILING;
}

static void assert_line(const char *hex, const gw_godot_remote_fs_state *state, const char *expected)
{
    test_bytes data = bytes_of(hex);
    char buffer[512];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_remote_fs_print(&text, data.bytes, data.length, state);
    assert_string_equal(buffer, expected);
}

/* Reads all; returns the oddities of all events. */
static uint32_t read_all(const test_bytes *data, const gw_godot_remote_fs_state *state,
                         gw_godot_remote_fs_reader *reader)
{
    gw_godot_remote_fs_event event;
    uint32_t odd = 0;
    gw_godot_remote_fs_init(reader, data->bytes, data->length, &(const gw_godot_remote_fs_options){ .state = state });
    while (gw_godot_remote_fs_next(reader, &event) == GW_NEXT_EVENT)
        odd |= event.odd;
    return odd;
}

static void assert_fault(const char *hex, const gw_godot_remote_fs_state *state, uint32_t code, uint32_t offset,
                         uint64_t needed)
{
    test_bytes data = bytes_of(hex);
    gw_godot_remote_fs_reader reader;
    read_all(&data, state, &reader);
    assert_int_equal(reader.fault.code, code);
    assert_int_equal(reader.fault.offset, offset);
    assert_int_equal(reader.fault.needed, needed);
}

TEST(what_a_game_sends)
{
    assert_line(GAME, &game, GAME_LINE);
    assert_line(GAME, NULL, GAME_LINE);
}

TEST(what_an_editor_sends)
{
    assert_line(EDITOR, &editor, EDITOR_LINE);
    assert_line("00000000 47454e44", &editor, "files: 0, end");
}

/* A game that has no cached files yet; its feature tags are counted before them. */
TEST(a_game_without_cached_files_sends_no_list)
{
    assert_line("47524653 01000000" PASSWORD_32 "02000000 04000000 62707463 04000000 65746332 00000000", &game,
                "GRFS, version 1, password, tags: 2, tag \"bptc\", tag \"etc2\", list of cached files: 0");
    test_bytes data = bytes_of("47524653 01000000" PASSWORD_32 "00000000 00000000");
    gw_godot_remote_fs_reader reader;
    assert_int_equal(read_all(&data, &game, &reader), 0);
    assert_true(is_complete(&reader.state));
}

TEST(nothing_follows_a_list_that_is_compressed_to_no_bytes)
{
    assert_line("47524653 01000000" PASSWORD_32 "00000000 f5000000 00000000 00", &game,
                "GRFS, version 1, password, tags: 0, list of cached files: 245, compressed: 0, <malformed>");
}

/* The text has all 32 bytes: no byte with value 0 ends it. */
TEST(the_longest_password_has_no_byte_after_it)
{
    test_bytes data = bytes_of("47524653 01000000" PASSWORD_32);
    gw_godot_remote_fs_reader reader;
    gw_godot_remote_fs_event event;
    gw_godot_remote_fs_init(&reader, data.bytes, data.length, &(const gw_godot_remote_fs_options){ .state = &game });
    do
        assert_int_equal(gw_godot_remote_fs_next(&reader, &event), GW_NEXT_EVENT);
    while (event.role != GW_GODOT_REMOTE_FS_ROLE_PASSWORD);
    assert_int_equal(event.odd, 0);
    assert_int_equal(event.payload.length, GW_GODOT_REMOTE_FS_PASSWORD);
    assert_int_equal(event.padding.length, 0);
    assert_int_equal(reader.offset, data.length);
}

/* Of a list or content the parts are events of their own, so that only their bytes are compared. */
TEST(reading_continues_at_any_place)
{
    static const struct {
        const char *hex;
        const gw_godot_remote_fs_state *state;
    } directions[] = { { GAME, &game }, { EDITOR, &editor } };
    for (size_t n = 0; n < 2; n++) {
        test_bytes data = bytes_of(directions[n].hex);
        for (size_t cut = 0; cut <= data.length; cut++) {
            gw_godot_remote_fs_reader reader;
            gw_godot_remote_fs_event event;
            gw_godot_remote_fs_init(&reader, data.bytes, cut,
                                    &(const gw_godot_remote_fs_options){ .state = directions[n].state });
            while (gw_godot_remote_fs_next(&reader, &event) == GW_NEXT_EVENT)
                ;
            const gw_godot_remote_fs_state place = reader.state;
            assert_true(reader.offset <= cut);
            assert_int_equal(is_complete(&place), cut == data.length);
            gw_godot_remote_fs_init(&reader, data.bytes, data.length,
                                    &(const gw_godot_remote_fs_options){ .offset = reader.offset, .state = &place });
            while (gw_godot_remote_fs_next(&reader, &event) == GW_NEXT_EVENT)
                assert_int_equal(event.odd, 0);
            assert_int_equal(reader.fault.code, GW_GODOT_REMOTE_FS_FAULT_NONE);
            assert_int_equal(reader.offset, data.length);
            assert_true(is_complete(&reader.state));
        }
    }
}

TEST(each_fault_has_its_offset_and_the_bytes_that_it_needs)
{
    assert_fault("475246", &game, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, 0, 1);
    assert_fault("47524653 0100", &game, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, 4, 2);
    assert_fault("47524653 01000000 6361", &game, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, 8, 30);
    assert_fault("01000000 04000000 612e", &editor, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, 4, 2);
    assert_fault("01000000 01000000 61 0000", &editor, GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED, 9, 6);
    assert_fault("47455420", &game, GW_GODOT_REMOTE_FS_FAULT_MAGIC_INVALID, 0, 0);
    assert_fault("00000000 47454e45", &editor, GW_GODOT_REMOTE_FS_FAULT_END_INVALID, 4, 0);
    assert_fault("00000000 47454e44 00", &editor, GW_GODOT_REMOTE_FS_FAULT_TRAILING, 8, 0);
    assert_fault(GAME "00", &game, GW_GODOT_REMOTE_FS_FAULT_TRAILING, 68, 0);
    assert_fault("01000000 01000100", &editor, GW_GODOT_REMOTE_FS_FAULT_TEXT_TOO_LONG, 4, 0);
    for (uint32_t code = 1; code < GW_GODOT_REMOTE_FS_FAULTS; code++)
        assert_string_not_equal(gw_fault_text(&gw_godot_remote_fs_faults, code), "Unknown fault");
    assert_string_equal(gw_fault_text(&gw_godot_remote_fs_faults, GW_GODOT_REMOTE_FS_FAULTS), "Unknown fault");
}

/* A fault has a consequence for the engine, except where only this reader stops. */
TEST(each_fault_of_the_stream_has_a_consequence)
{
    for (uint32_t code = 1; code < GW_GODOT_REMOTE_FS_FAULTS; code++) {
        bool is_of_reader = gw_fault_class_of(&gw_godot_remote_fs_faults, code) == GW_FAULT_LIMIT;
        assert_int_equal(gw_fault_consequence(&gw_godot_remote_fs_faults, code) == NULL, is_of_reader);
    }
    assert_string_equal(gw_fault_consequence(&gw_godot_remote_fs_faults, GW_GODOT_REMOTE_FS_FAULT_MAGIC_INVALID),
                        "the editor closes the connection");
    assert_null(gw_fault_consequence(&gw_godot_remote_fs_faults, GW_GODOT_REMOTE_FS_FAULTS));
}

TEST(an_input_that_is_too_long_is_not_read)
{
    gw_godot_remote_fs_reader reader;
    gw_godot_remote_fs_event event;
    gw_godot_remote_fs_init(&reader, NULL, (size_t)GW_LONGEST_INPUT + 1, NULL);
    assert_int_equal(gw_godot_remote_fs_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_GODOT_REMOTE_FS_FAULT_TOO_LONG);
}

TEST(what_is_odd)
{
    gw_godot_remote_fs_reader reader;
    test_bytes data = bytes_of("47524653 02000000");
    assert_int_equal(read_all(&data, &game, &reader), GW_GODOT_REMOTE_FS_ODD_VERSION);
    data = bytes_of("47524653 01000000 6100000000000000000000000000000000000000000000000000000000000061");
    assert_int_equal(read_all(&data, &game, &reader), GW_GODOT_REMOTE_FS_ODD_PASSWORD);
    data = bytes_of("01000000 01000000 61 0100000000000000 47454e44");
    assert_int_equal(read_all(&data, &editor, &reader), GW_GODOT_REMOTE_FS_ODD_FEWER);
    assert_true(is_complete(&reader.state));
    for (unsigned bit = 0; bit < GW_GODOT_REMOTE_FS_ODDS; bit++)
        assert_true(strlen(gw_odd_text(&gw_godot_remote_fs_faults, 1U << bit)) > 20);
}

TEST(the_beginning_is_recognized_and_its_parts_are_possible)
{
    static const uint8_t beginning[] = { 'G', 'R', 'F', 'S', 1, 0, 0, 0 };
    gw_recognition recognition;
    for (size_t length = 1; length <= sizeof beginning; length++) {
        assert_true(gw_godot_remote_fs_recognize(beginning, length, &recognition));
        assert_int_equal(recognition.bits >= GW_RECOGNIZED_ALONE, length == sizeof beginning);
    }
    assert_false(gw_godot_remote_fs_recognize(beginning, 0, &recognition));
    test_bytes other = bytes_of("47524653 02000000");
    assert_false(gw_godot_remote_fs_recognize(other.bytes, other.length, &recognition));
}

TEST(a_line_says_what_is_wrong_and_has_no_control_characters)
{
    assert_line("475246", &game, "<truncated>");
    assert_line("00000000 47454e45", &editor, "files: 0, <malformed>");
    assert_line("01000000 03000000 610a62", &editor, "files: 1, path \"a\\nb\"");
    assert_line("01000000 03000000 617f62", &editor, "files: 1, path \"a\\u007fb\"");
}

TEST(a_line_ends_where_its_buffer_is_full)
{
    test_bytes data = bytes_of(EDITOR);
    char buffer[16];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_remote_fs_print(&text, data.bytes, data.length, &editor);
    assert_true(text.cut);
    assert_true(strlen(buffer) < sizeof buffer);
    assert_memory_equal(buffer, EDITOR_LINE, 8);
}
