/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each fault of a packet with its offset and the bytes that it needs, each oddity.
 */
#include "messages.h"

/* ---- faults -------------------------------------------------------------------------------------------- */

static const struct {
    gw_godot_mp_form form;
    const char *hex;
    uint32_t code;
    uint32_t offset;
    uint64_t needed;
} faults[] = {
#define FAULT(name) GW_GODOT_MP_FAULT_##name
    { FOUR, "", FAULT(EMPTY), 0, 1 },
    { FOUR, "05 0300", FAULT(FIELD_TRUNCATED), 1, 2 },
    { FOUR, "02 01 0600", FAULT(FIELD_TRUNCATED), 2, 2 },
    { FOUR, "07 03 02000000", FAULT(FIELD_TRUNCATED), 6, 1 },
    { FOUR, "01" MD5 "06000000 4d61", FAULT(TEXT_TRUNCATED), 38, 1 },
    { FOUR, "20 09000080 05 01 0205", FAULT(TEXT_TRUNCATED), 9, 1 },
    { FOUR, "20 0c000080 05 01 0205", FAULT(TEXT_TRUNCATED), 9, 4 },
    { FOUR, "01 6434", FAULT(CHECKSUM_TRUNCATED), 1, 31 },
    { FOUR, "04 00 01000000 03000000 00000000 05000000 6162", FAULT(NAME_TRUNCATED), 18, 3 },
    { FOUR, "04 00 01000000 03000000 02000000 02000000 04000000 05", FAULT(IDS_TRUNCATED), 18, 3 },
    { FOUR, "04 00 01000000 03000000 01000040 02000000 04000000 4100", FAULT(IDS_OVERFLOW), 18, 0xFFFFFFFE },
    { FOUR, "04 00 01000000 03000000 01000040 03000000 04000000 4100", FAULT(IDS_TRUNCATED), 18, 0xFFFFFFFE },
    { FOUR, "00 06 05 01 04000000 05000000 6162", FAULT(VALUE_TRUNCATED), 4, 6 },
    { FOUR, "00 06 05 01 4205", FAULT(VALUE_TRUNCATED), 4, 1 },
    { FOUR, "00 06 05 02 0205", FAULT(VALUES_MISSING), 6, 1 },
    { ENET, "01000000 00000000 00 06000000 6800 01", FAULT(VALUES_MISSING), 16, 4 },
    { FOUR, "06 0100 04000000 05000000 0201", FAULT(UPDATE_TRUNCATED), 11, 3 },
    { FOUR, "06 0100 04000000 01000000 0201", FAULT(VALUE_INVALID), 11, 0 },
    { FOUR, "00 06 05 01 3f000000", FAULT(VALUE_INVALID), 4, 0 },
    { FOUR, "20 08000080 05 02 0205 4d00", FAULT(VALUE_INVALID), 7, 0 },
    { FOUR, "04 ff 01000000 03000000 00000000 02000000 6100 04000000 3f000000", FAULT(VALUE_INVALID), 24, 0 },
    { FOUR, "20 03000080 05 00", FAULT(OFFSET_INVALID), 5, 0 },
    { FOUR, "20 06000080 05 00 4d00", FAULT(OFFSET_INVALID), 6, 0 },
    { FOUR, "30 06", FAULT(ID_SIZE_UNKNOWN), 1, 0 },
    { ENET, "01000000 00000000 05", FAULT(COMMAND_UNKNOWN), 9, 0 },
    { FOUR, "07 04", FAULT(SYSTEM_UNKNOWN), 2, 0 },
    { WEBSOCKET, "04 01000000", FAULT(HEAD_UNKNOWN), 1, 0 },
    { ENET, "02000000 01000000", FAULT(HEAD_UNKNOWN), 4, 0 },
    { FOUR, "07 03 02000000 07 03 02000000 07 03 02000000 07 03 02000000 07 03 02000000 03 61", FAULT(RELAY_TOO_DEEP),
      30, 0 },
};

TEST(each_fault_has_its_offset_and_needed_bytes)
{
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        test_message message = message_of(faults[i].form, faults[i].hex);
        gw_godot_mp_summary summary;
        assert_false(gw_godot_mp_validate(message.bytes, message.length, &message.options, &summary));
        if (summary.fault.code != faults[i].code)
            print_error("%s: %s\n", faults[i].hex, gw_fault_text(&gw_godot_mp_faults, summary.fault.code));
        assert_int_equal(summary.fault.code, faults[i].code);
        assert_int_equal(summary.fault.offset, faults[i].offset);
        assert_int_equal(summary.fault.needed, faults[i].needed);
    }
}

TEST(reading_a_faulty_packet_ends_with_the_fault)
{
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        test_message message = message_of(faults[i].form, faults[i].hex);
        gw_godot_mp_reader reader;
        gw_godot_mp_event event;
        gw_next next;
        gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
        while ((next = gw_godot_mp_next(&reader, &event)) == GW_NEXT_EVENT)
            ;
        assert_int_equal(next, GW_NEXT_FAULT);
    }
}

TEST(values_have_the_type_of_their_generation)
{
    static const struct {
        gw_godot_mp_form form;
        const char *hex;
        uint8_t type;
    } samples[] = {
        { FOUR, "00 01 00 01 05000000 0000404000008040", GW_GODOT_VECTOR2 },
        { FOUR, "00 01 00 01 0b000000 000000000000000000000000000000000000000000000000", GW_GODOT_TRANSFORM2D },
        { ENET, "01000000 00000000 00 06000000 6800 01 0b000000 000000000000000000000000000000000000000000000000",
          GW_GODOT_AABB },
        { FOUR, "00 01 00 01 81", GW_GODOT_BOOL },
        { FOUR, "00 01 00 01 0205", GW_GODOT_INT },
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        test_message message = message_of(samples[i].form, samples[i].hex);
        gw_godot_mp_reader reader;
        gw_godot_mp_event event;
        gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
        do
            assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_EVENT);
        while (event.role != GW_GODOT_MP_ROLE_ARGUMENT);
        assert_int_equal(event.type, samples[i].type);
    }
}

TEST(a_value_nested_too_deep_is_a_limit_of_the_reader)
{
    uint8_t bytes[4 + 8 * (GW_GODOT_DEPTH + 2)] = { 0x00, 0x06, 0x05, 0x01 };
    static gw_godot_level levels[GW_GODOT_DEPTH + 16];
    gw_godot_mp_options options = { .form = FOUR };
    gw_godot_mp_summary summary;
    for (size_t i = 4; i < sizeof bytes; i += 8) {
        bytes[i] = 28;
        bytes[i + 4] = i + 8 < sizeof bytes;
    }
    assert_false(gw_godot_mp_validate(bytes, sizeof bytes, &options, &summary));
    assert_int_equal(summary.fault.code, GW_GODOT_MP_FAULT_TOO_DEEP);
    options.levels = levels;
    options.level_count = COUNT_OF(levels);
    assert_true(gw_godot_mp_validate(bytes, sizeof bytes, &options, &summary));
}

TEST(input_beyond_two_gigabytes_is_rejected)
{
    static const uint8_t byte;
    gw_godot_mp_summary summary;
    assert_false(gw_godot_mp_validate(&byte, (size_t)INT32_MAX + 1, NULL, &summary));
    assert_int_equal(summary.fault.code, GW_GODOT_MP_FAULT_TOO_LONG);
}

TEST(each_fault_has_a_text)
{
    for (uint32_t code = 0; code < GW_GODOT_MP_FAULTS; code++) {
        assert_string_not_equal(gw_fault_text(&gw_godot_mp_faults, code), "Unknown fault");
        if (code && gw_fault_class_of(&gw_godot_mp_faults, code) != GW_FAULT_LIMIT)
            assert_non_null(gw_fault_consequence(&gw_godot_mp_faults, code));
    }
    assert_string_equal(gw_fault_text(&gw_godot_mp_faults, GW_GODOT_MP_FAULTS), "Unknown fault");
    assert_int_equal(gw_fault_class_of(&gw_godot_mp_faults, GW_GODOT_MP_FAULTS), GW_FAULT_NONE);
    assert_null(gw_fault_consequence(&gw_godot_mp_faults, GW_GODOT_MP_FAULTS));
}

/* Every prefix of a packet whose length follows from its contents ends in a fault with the number of missing bytes. */
TEST(each_prefix_needs_the_bytes_that_follow)
{
    static const char *const samples[] = {
        "00 06 05 02 020c 0400000005000000 73776f7264000000",
        "20 09000080 05 01 0205 4d61696e00",
        "01" MD5 "06000000 4d61696e00",
        "04 ff 01000000 03000000 00000000 02000000 6100 02000000 020c",
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        test_message message = message_of(FOUR, samples[i]);
        for (size_t length = 0; length < message.length; length++) {
            gw_godot_mp_summary summary;
            assert_false(gw_godot_mp_validate(message.bytes, length, &message.options, &summary));
            assert_int_equal(summary.fault.fault_class, GW_FAULT_TRUNCATED);
            assert_in_range(summary.fault.needed, 1, message.length - length);
        }
    }
}

/* ---- oddities ------------------------------------------------------------------------------------------ */

static const struct {
    gw_godot_mp_form form;
    const char *hex;
    uint32_t odd;
} oddities[] = {
    { FOUR, "80 06 05", 0 },
    { FOUR, "88 06 05", ODD(FLAGS) },
    { FOUR, "13 61", ODD(FLAGS) },
    { FOUR, "02 01 4d61696eff00", ODD(UTF8) | ODD(OLD_CONFIRM) },
    { FOUR, "90 0600 05", ODD(WIDE) },
    { FOUR, "a0 03000000 05", 0 },
    { FOUR, "c0 06 0500", ODD(WIDE) },
    { FOUR, "00 06 05 01 420100", ODD(WIDE) },
    { FOUR, "05 03000000 00", ODD(TRAILING) },
    { FOUR, "20 0a000080 05 01 0205 00 4d61696e00", ODD(TRAILING) },
    { GW_GODOT_MP_4_ASSIGNED, "02000000 00", ODD(TRAILING) },
    { FOUR, "01 58 34316438636439386630306232303465393830303939386563663834323765 00 06000000 4d00", ODD(CHECKSUM) },
    { FOUR, "02 02 06000000", ODD(CONFIRMED) },
    { FOUR, "00 06 05 01 c1", ODD(BOOL) },
    { FOUR, "00 06 05 01 18000000", ODD(NULL_OBJECT) },
    { FOUR, "00 06 05 01 00010000", ODD(VALUE) },
    { FOUR, "04 00 01000000 03000000 00000000 01000000 61", ODD(NAME) },
    { FOUR, "04 00 01000000 03000000 00000000 03000000 610000", ODD(NAME) },
    { FOUR, "04 00 01000000 03000000 00000000 00000000", ODD(NAME) },
    { FOUR, "16 04000000 0700000000000000 02000000 0209", ODD(INDEXES) },
    { FOUR, "07 01 00000000", ODD(PEER) },
    { ENET, "00000000 00000000 04 61", ODD(PEER) },
    { FOUR, "07 03 02000000 07 00", ODD(RELAY) },
    { FOUR, "04 ff 01000000 03000000 00000000 02000000 6100 03000000 020c", ODD(CUSTOM_SIZE) },
    { FOUR, "02 01 4d61696e00", ODD(OLD_CONFIRM) },
    { FOUR, "06 0100 04000000 03000000 030047", ODD(HALVES) },
};

TEST(trailing_bytes_are_one_event_to_the_end)
{
    test_message message = message_of(FOUR, "05 03000000 616263");
    gw_godot_mp_reader reader;
    gw_godot_mp_event event = { .role = GW_GODOT_MP_ROLE_NONE };
    gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
    while (event.role != GW_GODOT_MP_ROLE_TRAILING)
        assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.payload.offset, 5);
    assert_int_equal(event.payload.length, 3);
}

TEST(each_oddity_is_reported)
{
    for (size_t i = 0; i < COUNT_OF(oddities); i++) {
        test_message message = message_of(oddities[i].form, oddities[i].hex);
        gw_godot_mp_summary summary;
        assert_true(gw_godot_mp_validate(message.bytes, message.length, &message.options, &summary));
        if (summary.odd != oddities[i].odd)
            print_error("%s: %x\n", oddities[i].hex, (unsigned)summary.odd);
        assert_int_equal(summary.odd, oddities[i].odd);
        assert_int_equal(summary.length, message.length);
    }
}

TEST(a_sync_beyond_the_engines_limit_is_odd)
{
    test_message message = message_of(FOUR, "06 0100 04000000 68050000 1d000000 60050000");
    gw_godot_mp_summary summary;
    message.length += 0x560;
    assert_true(gw_godot_mp_validate(message.bytes, message.length, NULL, &summary));
    assert_int_equal(summary.odd, GW_GODOT_MP_ODD_TOO_LARGE);
}

TEST(each_oddity_has_a_text)
{
    for (uint32_t bit = 1; bit <= GW_GODOT_MP_ODD_HALVES; bit <<= 1)
        assert_string_not_equal(gw_odd_text(&gw_godot_mp_faults, bit), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_godot_mp_faults, 1U << 30), "Unknown oddity");
}

TEST(names_of_commands_and_forms)
{
    assert_string_equal(gw_godot_mp_command_name(GW_GODOT_MP_CALL), "REMOTE_CALL");
    assert_string_equal(gw_godot_mp_command_name(GW_GODOT_MP_COMMANDS), "unknown");
    assert_string_equal(gw_godot_mp_form_text(FOUR), "Godot 4 SceneMultiplayer");
    assert_string_equal(gw_godot_mp_form_text(GW_GODOT_MP_FORMS), "unknown");
    assert_int_equal(gw_godot_mp_generation(GW_GODOT_MP_FORMS), GW_GODOT_4);
}

/* scene_multiplayer.cpp and scene_replication_interface.cpp of 4.6.3; networked_multiplayer_enet.cpp of 3.2.3, whose switch
 * has no default, and websocket_multiplayer_peer.cpp, whose has. */
TEST(the_engine_does_what_its_source_says)
{
    assert_string_equal(gw_fault_consequence(&gw_godot_mp_faults, GW_GODOT_MP_FAULT_SYSTEM_UNKNOWN),
                        "the engine drops the packet with an error");
    assert_string_equal(gw_fault_consequence(&gw_godot_mp_faults, GW_GODOT_MP_FAULT_HEAD_UNKNOWN),
                        "the engine ignores the packet, over WebSocket with an error");
    assert_string_equal(gw_fault_consequence(&gw_godot_mp_faults, GW_GODOT_MP_FAULT_TEXT_TRUNCATED),
                        "the engine drops the packet with an error, unless the text is a path, which may end here");
    assert_string_equal(gw_fault_consequence(&gw_godot_mp_faults, GW_GODOT_MP_FAULT_UPDATE_TRUNCATED),
                        "the engine drops the packet with an error; in a sync it has applied the updates before");
}

/* SceneRPCInterface::_process_rpc() calls the method without a look at what it could not decode: in the records of
 * pcaps/godot/damaged and godot/odd, scripts received null. */
TEST(the_engine_calls_with_null_what_it_cannot_read)
{
    static const gw_godot_mp_fault in_calls[] = { GW_GODOT_MP_FAULT_VALUE_TRUNCATED, GW_GODOT_MP_FAULT_VALUE_INVALID,
                                                  GW_GODOT_MP_FAULT_VALUES_MISSING };
    for (size_t i = 0; i < sizeof in_calls / sizeof *in_calls; i++)
        assert_non_null(strstr(gw_fault_consequence(&gw_godot_mp_faults, in_calls[i]), "Godot 4 makes "));
}
