/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Leviathan's packets by hand: bytes in, meaning out. The bytes come from the format's description, where
 * they were written by the engine's own classes.
 */
#include <stdio.h>

#include <gamewire/leviathan.h>

#include "hex.h"
#include "testing.h"

/* ---- helpers ------------------------------------------------------------------------------------------- */

struct decoded {
    gw_leviathan_event events[4096];
    gw_leviathan_message messages[4096]; /* after each event */
    size_t count;
    gw_next last;
    gw_leviathan_reader reader;
};

static uint8_t input[70000];
static struct decoded decoded;

static size_t from_hex(const char *hex)
{
    return hex_to_bytes(hex, input, sizeof input);
}

static void decode(size_t length, gw_leviathan_revision revision)
{
    gw_leviathan_options options = { .revision = revision };
    gw_leviathan_init(&decoded.reader, input, length, &options);
    decoded.count = 0;
    while ((decoded.last = gw_leviathan_next(&decoded.reader, &decoded.events[decoded.count])) == GW_NEXT_EVENT) {
        decoded.messages[decoded.count] = decoded.reader.message;
        assert_true(++decoded.count < 4096);
    }
    assert_int_equal(gw_leviathan_next(&decoded.reader, &decoded.events[decoded.count]), decoded.last);
}

static void decode_hex(const char *hex)
{
    decode(from_hex(hex), GW_LEVIATHAN_SINCE_2018_12_09);
}

static void assert_ends(void)
{
    assert_int_equal(decoded.last, GW_NEXT_END);
}

/* Returns the occurrence-th event of a field that is not a CLOSE; fails if there is none. */
static const gw_leviathan_event *event_of(gw_leviathan_role field, unsigned occurrence)
{
    for (size_t i = 0; i < decoded.count; i++)
        if (decoded.events[i].role == field && decoded.events[i].kind != GW_CLOSE && !occurrence--)
            return &decoded.events[i];
    fail_msg("no event of field %s", gw_leviathan_field_of(field)->name);
    return NULL;
}

static bool has(gw_leviathan_role field)
{
    for (size_t i = 0; i < decoded.count; i++)
        if (decoded.events[i].role == field)
            return true;
    return false;
}

static int64_t number_of(gw_leviathan_role field)
{
    return event_of(field, 0)->number;
}

static void assert_text(gw_leviathan_role field, const char *text)
{
    const gw_leviathan_event *event = event_of(field, 0);
    assert_int_equal(event->payload.length, strlen(text));
    assert_memory_equal(input + event->payload.offset, text, strlen(text));
    assert_int_equal(event->header.length, 4);
    assert_int_equal(event->header.offset + 4, event->payload.offset);
}

static void assert_fault(const char *hex, gw_leviathan_fault code, uint32_t offset, uint64_t needed)
{
    gw_leviathan_summary summary;
    size_t length = from_hex(hex);
    decode(length, GW_LEVIATHAN_SINCE_2018_12_09);
    assert_int_equal(decoded.last, GW_NEXT_FAULT);
    assert_int_equal(decoded.reader.fault.code, code);
    assert_int_equal(decoded.reader.fault.offset, offset);
    assert_int_equal(decoded.reader.fault.needed, needed);
    assert_int_equal(decoded.reader.fault.fault_class, gw_fault_class_of(&gw_leviathan_faults, code));
    assert_false(gw_leviathan_validate(input, length, NULL, &summary));
    assert_memory_equal(&summary.fault, &decoded.reader.fault, sizeof summary.fault);
}

static void assert_odd(const char *hex, gw_leviathan_role field, uint32_t odd)
{
    decode_hex(hex);
    assert_ends();
    assert_int_equal(event_of(field, 0)->odd, odd);
}

static void assert_ids(uint32_t start, const char *hex, gw_leviathan_ack_reading reading, const uint32_t *ids,
                       size_t count)
{
    gw_leviathan_acks acks;
    uint32_t id;
    size_t length = from_hex(hex);
    gw_leviathan_acks_init(&acks, start, input, (uint32_t)length, reading);
    for (size_t i = 0; i < count; i++) {
        assert_true(gw_leviathan_acks_next(&acks, &id));
        assert_int_equal(id, ids[i]);
    }
    assert_false(gw_leviathan_acks_next(&acks, &id));
}

static void assert_printed(const char *hex, const char *text)
{
    char line[256];
    gw_text printed;
    gw_text_init(&printed, line, sizeof line);
    gw_leviathan_print(&printed, input, from_hex(hex), NULL);
    assert_string_equal(line, text);
}

/* ---- packets ------------------------------------------------------------------------------------------- */

static void smallest_packet_is_an_echo_without_acks(void **state)
{
    (void)state;
    decode_hex("4c6e 000003e9 00000000 01 | 28 00000001 000f");
    assert_ends();
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_PACKET_TYPE), 0x4C6E);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_PACKET_ID), 1001);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_START_ACK), 0);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_MESSAGE_COUNT), 1);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_MESSAGE_KIND), 0x28);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_MESSAGE_NUMBER), 1);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_REQUEST_TYPE), 15);
    assert_false(has(GW_LEVIATHAN_ROLE_ACK_COUNT));
    assert_false(has(GW_LEVIATHAN_ROLE_PACKED_ACKS));
}

static void events_have_ranges_depths_and_indices(void **state)
{
    (void)state;
    static const struct {
        uint8_t kind, field, depth;
        uint32_t index, offset, length;
    } expected[] = {
        { GW_OPEN, GW_LEVIATHAN_ROLE_PACKET, 0, 0, 0, 22 },
        { GW_VALUE, GW_LEVIATHAN_ROLE_PACKET_TYPE, 1, 0, 0, 2 },
        { GW_VALUE, GW_LEVIATHAN_ROLE_PACKET_ID, 1, 1, 2, 4 },
        { GW_VALUE, GW_LEVIATHAN_ROLE_START_ACK, 1, 2, 6, 4 },
        { GW_VALUE, GW_LEVIATHAN_ROLE_MESSAGE_COUNT, 1, 3, 10, 1 },
        { GW_OPEN, GW_LEVIATHAN_ROLE_MESSAGE, 1, 4, 11, 11 },
        { GW_VALUE, GW_LEVIATHAN_ROLE_MESSAGE_KIND, 2, 0, 11, 1 },
        { GW_VALUE, GW_LEVIATHAN_ROLE_MESSAGE_NUMBER, 2, 1, 12, 4 },
        { GW_VALUE, GW_LEVIATHAN_ROLE_REQUEST_TYPE, 2, 2, 16, 2 },
        { GW_VALUE, GW_LEVIATHAN_ROLE_CHECK, 2, 3, 18, 4 },
        { GW_CLOSE, GW_LEVIATHAN_ROLE_MESSAGE, 1, 4, 11, 11 },
        { GW_CLOSE, GW_LEVIATHAN_ROLE_PACKET, 0, 0, 0, 22 },
    };
    decode_hex("4c6e 000003e9 00000000 01 | 28 00000001 0000 0000002a");
    assert_ends();
    assert_int_equal(decoded.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < decoded.count; i++) {
        assert_int_equal(decoded.events[i].kind, expected[i].kind);
        assert_int_equal(decoded.events[i].role, expected[i].field);
        assert_int_equal(decoded.events[i].depth, expected[i].depth);
        assert_int_equal(decoded.events[i].index, expected[i].index);
        assert_int_equal(decoded.events[i].payload.offset, expected[i].offset);
        assert_int_equal(decoded.events[i].payload.length, expected[i].length);
        assert_int_equal(decoded.events[i].odd, 0);
    }
}

static void ack_bits_count_from_start(void **state)
{
    (void)state;
    static const uint32_t ids[] = { 1001, 1002, 1004, 1010, 1032 };
    decode_hex("4c6e 000003ea 000003e9 04 0b020080 01 | 28 00000001 000f");
    assert_ends();
    const gw_leviathan_event *acks = event_of(GW_LEVIATHAN_ROLE_PACKED_ACKS, 0);
    assert_int_equal(acks->payload.offset, 11);
    assert_int_equal(acks->payload.length, 4);
    assert_int_equal(acks->odd, 0);
    assert_ids(1001, "0b020080", GW_LEVIATHAN_ACKS_AS_ENGINE, ids, 5);
}

static void documented_ack_bits_count_from_start_plus_one(void **state)
{
    (void)state;
    static const uint32_t ids[] = { 1002, 1003, 1005, 1011, 1033 };
    assert_ids(1001, "0b020080", GW_LEVIATHAN_ACKS_AS_DOCUMENTED, ids, 5);
}

static void ids_wrap_at_32_bits(void **state)
{
    (void)state;
    static const uint32_t ids[] = { UINT32_MAX, 0 };
    assert_ids(UINT32_MAX, "03", GW_LEVIATHAN_ACKS_AS_ENGINE, ids, 2);
}

static void without_ack_bits_there_are_no_ids(void **state)
{
    (void)state;
    assert_ids(1001, "", GW_LEVIATHAN_ACKS_AS_ENGINE, NULL, 0);
    assert_ids(1001, "0000", GW_LEVIATHAN_ACKS_AS_ENGINE, NULL, 0);
}

static void ack_only_packet_lists_ids(void **state)
{
    (void)state;
    decode_hex("4c61 03 000003e9 000003ea 000003eb");
    assert_ends();
    const gw_leviathan_event *ids = event_of(GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, 0);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT), 3);
    assert_int_equal(ids->payload.length, 12);
    assert_int_equal(gw_leviathan_id_at(input, ids, 0), 1001);
    assert_int_equal(gw_leviathan_id_at(input, ids, 2), 1003);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_ACK_ONLY, 0)->odd, 0);
}

static void block_after_a_repeated_packet_is_ignored_by_the_engine(void **state)
{
    (void)state;
    decode_hex("4c6e 00000416 00000000 01 | 12 0000002e 0004 00000000 | 4c61 02 000003e9 000003ea");
    assert_ends();
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_PACKET_ID), 1046);
    assert_string_equal(decoded.reader.message.type->name, "Keepalive");
    const gw_leviathan_event *block = event_of(GW_LEVIATHAN_ROLE_ACK_ONLY, 0);
    assert_int_equal(block->odd, GW_LEVIATHAN_ODD_IGNORED);
    assert_int_equal(block->depth, 0);
    assert_int_equal(block->index, 1);
    assert_int_equal(gw_leviathan_id_at(input, event_of(GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, 0), 1), 1002);
}

static void several_blocks_may_follow_a_packet(void **state)
{
    (void)state;
    gw_leviathan_summary summary;
    size_t length = from_hex("4c6e 00000416 00000000 01 | 12 0000002e 0004 00000000"
                             "| 4c61 01 000003e9 | 4c61 02 000003e9 000003ea");
    decode(length, GW_LEVIATHAN_SINCE_2018_12_09);
    assert_ends();
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_ACK_ONLY, 1)->index, 2);
    assert_true(gw_leviathan_validate(input, length, NULL, &summary));
    assert_int_equal(summary.blocks, 2);
    assert_int_equal(summary.messages, 1);
    assert_int_equal(summary.trailing, 0);
    assert_int_equal(summary.length, length);
}

static void several_messages_share_a_packet(void **state)
{
    (void)state;
    decode_hex("4c6e 000003ea 00000000 03 | 28 00000002 000f | 12 00000003 000d 00000009 01 | 28 00000004 0004");
    assert_ends();
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MESSAGE_NUMBER, 0)->number, 2);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MESSAGE_NUMBER, 1)->number, 3);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MESSAGE_NUMBER, 2)->number, 4);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_RESPONSE_TO), 9);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_SUCCEEDED), 1);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MESSAGE, 2)->index, 6);
}

static void packet_without_messages_ends_after_its_header(void **state)
{
    (void)state;
    decode_hex("4c6e 000003e9 00000000 00");
    assert_ends();
    assert_false(has(GW_LEVIATHAN_ROLE_MESSAGE));
    assert_false(has(GW_LEVIATHAN_ROLE_TRAILING));
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static void integers_are_big_endian_and_signed_as_in_the_engine(void **state)
{
    (void)state;
    decode_hex("4c6e 000003e9 00000000 01 | 28 00000001 0009 ffffffff");
    assert_ends();
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_MASTER_SERVER_TOKEN), -1);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MASTER_SERVER_TOKEN, 0)->type, GW_LEVIATHAN_I32);
}

static void strings_have_a_big_endian_length_and_no_terminator(void **state)
{
    (void)state;
    decode_hex("4c6e 000003e9 00000000 01 | 28 00000003 0002 | 00000006 706c61796572 | 0102030405060708 | 00000000");
    assert_ends();
    assert_text(GW_LEVIATHAN_ROLE_USER_NAME, "player");
    assert_text(GW_LEVIATHAN_ROLE_AUTH_PASSWD, "");
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_AUTH_TOKEN), INT64_C(0x0102030405060708));
}

static void server_disallow_has_its_message_before_its_reason(void **state)
{
    (void)state;
    decode_hex("4c6e 000003e9 00000000 01 | 12 00000003 0009 00000002 | 00000004 66756c6c | 02");
    assert_ends();
    assert_text(GW_LEVIATHAN_ROLE_MESSAGE_TEXT, "full");
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_REASON), 2);
    const gw_leviathan_field_type *reason = gw_leviathan_field_of(GW_LEVIATHAN_ROLE_REASON);
    assert_string_equal(gw_leviathan_name_of(reason->names, 2), "ServerFull");
    assert_null(gw_leviathan_name_of(reason->names, 8));
    assert_null(gw_leviathan_name_of(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_WORLD_ID)->names, 8));
}

static void secure_type_has_four_bytes_and_other_enumerations_have_one(void **state)
{
    (void)state;
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_SECURE_TYPE)->type, GW_LEVIATHAN_I32);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_INVALIDNESS)->type, GW_LEVIATHAN_U8);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_REASON)->type, GW_LEVIATHAN_U8);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT)->type, GW_LEVIATHAN_U8);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_JOIN_RESTRICTION)->type, GW_LEVIATHAN_U8);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_SERVER_STATUS)->type, GW_LEVIATHAN_U8);
}

static void application_data_extend_to_the_end(void **state)
{
    (void)state;
    decode_hex("4c6e 000003e9 00000000 01 | 28 00000001 0011 | 00000007 01 | 4c61 01 000003e9");
    assert_ends();
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_TYPE_ID_NUMBER), 7);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_IS_REQUEST), 1);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_APPLICATION_DATA, 0)->payload.length, 7);
    assert_false(has(GW_LEVIATHAN_ROLE_ACK_ONLY));
}

static void messages_after_application_data_cannot_be_split(void **state)
{
    (void)state;
    assert_odd("4c6e 000003e9 00000000 02 | 28 00000001 0011 | 00000007 01 | 28 00000002 000f",
               GW_LEVIATHAN_ROLE_APPLICATION_DATA, GW_LEVIATHAN_ODD_NOT_SPLIT);
}

/* ---- entities ------------------------------------------------------------------------------------------ */

#define HEADER   "4c6e 000003e9 00000000 01 |"
#define UPDATE   HEADER "12 00000001 0014 00000000 | 00000001 00000002 ffffffff 00000009 |"
#define CREATION HEADER "12 00000001 0013 00000000 | 00000001 00000009 "
#define STATE    "0000 0000803f 00000040 00004040 00000000 00000000 00000000 0000803f"

static void floats_are_little_endian(void **state)
{
    (void)state;
    decode_hex(UPDATE "0000001e" STATE);
    assert_ends();
    const gw_leviathan_event *position = event_of(GW_LEVIATHAN_ROLE_POSITION, 0);
    const gw_leviathan_event *orientation = event_of(GW_LEVIATHAN_ROLE_ORIENTATION, 0);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_REFERENCE_TICK), -1);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_COMPONENT_TYPE), 0);
    assert_true(gw_leviathan_float_at(input, position, 0) == 1.0f);
    assert_true(gw_leviathan_float_at(input, position, 1) == 2.0f);
    assert_true(gw_leviathan_float_at(input, position, 2) == 3.0f);
    assert_true(gw_leviathan_float_at(input, orientation, 3) == 1.0f);
    assert_int_equal(position->depth, 4);
}

static void update_data_are_component_states_up_to_their_end(void **state)
{
    (void)state;
    decode_hex(UPDATE "0000003c" STATE STATE);
    assert_ends();
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_COMPONENT, 1)->index, 1);
}

static void a_message_may_follow_component_states(void **state)
{
    (void)state;
    decode_hex("4c6e 000003e9 00000000 02 | 12 00000001 0014 00000000 | 00000001 00000002 ffffffff 00000009 |"
               "0000001e" STATE "| 28 00000002 000f");
    assert_ends();
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_REQUEST_TYPE, 0)->number, 15);
}

static void initial_components_are_counted(void **state)
{
    (void)state;
    decode_hex(CREATION
               "00000003 | 0000001d | 0001 | 0005 0000803f 00000040 00004040 00000004 726f636b | 0007 005a 01");
    assert_ends();
    assert_text(GW_LEVIATHAN_ROLE_MATERIAL, "rock");
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_FOV), 90);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_SOUND_PERCEIVER), 1);
    assert_true(gw_leviathan_float_at(input, event_of(GW_LEVIATHAN_ROLE_SIZES, 0), 2) == 3.0f);
    assert_false(has(GW_LEVIATHAN_ROLE_BLOB_REST));
}

static void fewer_components_than_declared_are_odd(void **state)
{
    (void)state;
    decode_hex(CREATION "00000002 | 00000002 | 0001");
    assert_ends();
    for (size_t i = 0; i < decoded.count; i++)
        if (decoded.events[i].kind == GW_CLOSE && decoded.events[i].role == GW_LEVIATHAN_ROLE_INITIAL_COMPONENTS) {
            assert_int_equal(decoded.events[i].odd, GW_LEVIATHAN_ODD_COMPONENTS);
            return;
        }
    fail();
}

static void bytes_after_the_last_component_are_odd(void **state)
{
    (void)state;
    assert_odd(CREATION "00000001 | 00000004 | 0001 0001", GW_LEVIATHAN_ROLE_BLOB_REST,
               GW_LEVIATHAN_ODD_COMPONENT_REST);
}

static void more_than_1000_components_are_odd(void **state)
{
    (void)state;
    assert_odd(CREATION "000003e9 | 00000000", GW_LEVIATHAN_ROLE_COMPONENT_COUNT, GW_LEVIATHAN_ODD_COMPONENT_COUNT);
    assert_odd(CREATION "000003e8 | 00000000", GW_LEVIATHAN_ROLE_COMPONENT_COUNT, 0);
}

static void a_component_longer_than_its_nested_packet_ends_only_that(void **state)
{
    (void)state;
    decode_hex("4c6e 000003e9 00000000 02 | 12 00000001 0014 00000000 | 00000001 00000002 ffffffff 00000009 |"
               "00000006 0000 0000803f | 28 00000002 000f");
    assert_ends();
    const gw_leviathan_event *rest = event_of(GW_LEVIATHAN_ROLE_BLOB_REST, 0);
    assert_int_equal(rest->odd, GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED);
    assert_int_equal(rest->payload.length, 4);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_REQUEST_TYPE, 0)->number, 15);
}

static void a_component_type_without_its_fields_is_truncated(void **state)
{
    (void)state;
    decode_hex(UPDATE "00000002 0000");
    assert_ends();
    assert_int_equal(decoded.events[decoded.count - 4].role, GW_LEVIATHAN_ROLE_COMPONENT);
    assert_int_equal(decoded.events[decoded.count - 4].odd, GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED);
}

static void a_component_type_of_one_byte_is_truncated(void **state)
{
    (void)state;
    assert_odd(UPDATE "00000001 00", GW_LEVIATHAN_ROLE_BLOB_REST, GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED);
}

static void after_an_unknown_component_the_nested_packet_is_opaque(void **state)
{
    (void)state;
    assert_odd(UPDATE "00000004 0009 abcd", GW_LEVIATHAN_ROLE_COMPONENT_TYPE, GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_BLOB_REST, 0)->payload.length, 2);
    assert_odd(UPDATE "00000002 0009", GW_LEVIATHAN_ROLE_COMPONENT_TYPE, GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN);
    assert_false(has(GW_LEVIATHAN_ROLE_BLOB_REST));
}

static void components_without_a_state_are_unknown_in_an_update(void **state)
{
    (void)state;
    assert_odd(UPDATE "00000002 0001", GW_LEVIATHAN_ROLE_COMPONENT_TYPE, GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN);
    assert_odd(CREATION "00000001 | 00000002 0001", GW_LEVIATHAN_ROLE_COMPONENT_TYPE, 0);
    assert_odd(CREATION "00000001 | 00000002 0002", GW_LEVIATHAN_ROLE_COMPONENT_TYPE,
               GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN);
}

static void components_from_10000_on_are_defined_by_the_application(void **state)
{
    (void)state;
    assert_odd(CREATION "00000002 | 00000005 2711 abcdef", GW_LEVIATHAN_ROLE_COMPONENT_TYPE,
               GW_LEVIATHAN_ODD_COMPONENT_CUSTOM);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_BLOB_REST, 0)->payload.length, 3);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_BLOB_REST, 0)->odd, 0);
}

/* ---- revisions ---------------------------------------------------------------------------------------- */

static const char *wire_name(gw_leviathan_revision revision, uint8_t kind, uint32_t number)
{
    const gw_leviathan_message_type *type = gw_leviathan_message_of_wire(revision, kind, number);
    return type ? type->name : "none";
}

static void the_tables_are_in_the_order_of_the_newest_revision(void **state)
{
    (void)state;
    for (uint32_t id = 0; id < 18; id++)
        assert_int_equal(gw_leviathan_message_of_wire(0, GW_LEVIATHAN_REQUEST, id)->id, id);
    for (uint32_t id = 0; id < 30; id++)
        assert_int_equal(gw_leviathan_message_of_wire(0, GW_LEVIATHAN_RESPONSE, id)->id, id);
    assert_null(gw_leviathan_message_of_wire(0, GW_LEVIATHAN_REQUEST, 18));
    assert_null(gw_leviathan_message_of_wire(0, GW_LEVIATHAN_RESPONSE, 30));
    assert_string_equal(wire_name(0, GW_LEVIATHAN_RESPONSE, 22), "EntityLocalControlStatus");
    assert_null(gw_leviathan_message_of(GW_LEVIATHAN_REQUEST, 18));
    assert_null(gw_leviathan_message_of(GW_LEVIATHAN_RESPONSE, 32));
}

static void first_types_are_the_same_in_all_revisions(void **state)
{
    (void)state;
    for (unsigned revision = 0; revision < GW_LEVIATHAN_REVISIONS; revision++) {
        for (uint32_t id = 0; id <= 9; id++)
            assert_int_equal(gw_leviathan_message_of_wire(revision, GW_LEVIATHAN_REQUEST, id)->id, id);
        for (uint32_t id = 0; id <= 17; id++)
            assert_int_equal(gw_leviathan_message_of_wire(revision, GW_LEVIATHAN_RESPONSE, id)->id, id);
    }
}

static void later_types_depend_on_the_engines_date(void **state)
{
    (void)state;
    static const struct {
        gw_leviathan_revision since;
        uint8_t kind;
        uint32_t number;
        const char *name;
    } expected[] = {
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_REQUEST, 14, "Echo" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_REQUEST, 16, "Custom" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_REQUEST, 17, "none" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 18, "EntityCreation" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 19, "EntityUpdate" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 20, "EntityDestruction" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 21, "CacheUpdated" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 22, "CacheRemoved" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 23, "EntityConstraint" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 24, "WorldFrozen" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 25, "ServerHeartbeat" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 26, "StartHeartbeats" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 27, "Custom" },
        { GW_LEVIATHAN_SINCE_2017_04_05, GW_LEVIATHAN_RESPONSE, 28, "None" },
        { GW_LEVIATHAN_SINCE_2018_10_30, GW_LEVIATHAN_REQUEST, 10, "GetSingleSyncValue" },
        { GW_LEVIATHAN_SINCE_2018_10_30, GW_LEVIATHAN_RESPONSE, 23, "WorldFrozen" },
        { GW_LEVIATHAN_SINCE_2018_10_30, GW_LEVIATHAN_RESPONSE, 26, "Custom" },
        { GW_LEVIATHAN_SINCE_2018_10_30, GW_LEVIATHAN_RESPONSE, 27, "None" },
        { GW_LEVIATHAN_SINCE_2018_11_18, GW_LEVIATHAN_REQUEST, 10, "JoinGame" },
        { GW_LEVIATHAN_SINCE_2018_11_18, GW_LEVIATHAN_REQUEST, 15, "Echo" },
        { GW_LEVIATHAN_SINCE_2018_11_18, GW_LEVIATHAN_RESPONSE, 18, "StartWorldReceive" },
        { GW_LEVIATHAN_SINCE_2018_11_18, GW_LEVIATHAN_RESPONSE, 19, "EntityCreation" },
        { GW_LEVIATHAN_SINCE_2018_11_18, GW_LEVIATHAN_RESPONSE, 27, "Custom" },
        { GW_LEVIATHAN_SINCE_2018_11_18, GW_LEVIATHAN_RESPONSE, 28, "None" },
        { GW_LEVIATHAN_SINCE_2018_11_30, GW_LEVIATHAN_RESPONSE, 24, "WorldFrozen" },
        { GW_LEVIATHAN_SINCE_2018_12_08, GW_LEVIATHAN_RESPONSE, 27, "None" },
        { GW_LEVIATHAN_SINCE_2018_12_08, GW_LEVIATHAN_RESPONSE, 28, "Custom" },
        { GW_LEVIATHAN_SINCE_2018_12_08, GW_LEVIATHAN_RESPONSE, 29, "none" },
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(wire_name(expected[i].since, expected[i].kind, expected[i].number), expected[i].name);
}

static void entity_creation_gained_two_fields_on_2018_11_30(void **state)
{
    (void)state;
    size_t length = from_hex("4c6e 00000002 00000000 01 | 12 00000001 0013 00000000 | 00000007 | 00000002 abcd");
    decode(length, GW_LEVIATHAN_SINCE_2018_11_18);
    assert_ends();
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_WORLD_ID), 7);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_OLD_INITIAL_DATA, 0)->payload.length, 2);
    assert_ptr_equal(gw_leviathan_message_of_wire(GW_LEVIATHAN_SINCE_2018_11_30, GW_LEVIATHAN_RESPONSE, 19),
                     gw_leviathan_message_of(GW_LEVIATHAN_RESPONSE, 19));
}

/* ---- oddities ------------------------------------------------------------------------------------------ */

static void packet_id_0_is_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000000 00000000 00", GW_LEVIATHAN_ROLE_PACKET_ID, GW_LEVIATHAN_ODD_PACKET_ID);
}

static void ack_counts_other_than_1_to_4_are_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000001 00000001 00 00", GW_LEVIATHAN_ROLE_ACK_COUNT, GW_LEVIATHAN_ODD_ACK_COUNT);
    assert_odd("4c6e 00000001 00000001 05 0100000001 00", GW_LEVIATHAN_ROLE_ACK_COUNT, GW_LEVIATHAN_ODD_ACK_COUNT);
    assert_odd("4c6e 00000001 00000001 04 01000001 00", GW_LEVIATHAN_ROLE_ACK_COUNT, 0);
}

static void acks_that_the_engine_would_encode_differently_are_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000001 00000001 01 02 00", GW_LEVIATHAN_ROLE_PACKED_ACKS, GW_LEVIATHAN_ODD_ACK_BITS);
    assert_odd("4c6e 00000001 00000001 02 0100 00", GW_LEVIATHAN_ROLE_PACKED_ACKS, GW_LEVIATHAN_ODD_ACK_BITS);
    assert_odd("4c6e 00000001 00000001 02 0101 00", GW_LEVIATHAN_ROLE_PACKED_ACKS, 0);
}

static void ack_only_counts_other_than_1_to_4_are_odd(void **state)
{
    (void)state;
    assert_odd("4c61 00", GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT, GW_LEVIATHAN_ODD_ACK_ONLY_COUNT);
    assert_odd("4c61 05 00000001 00000002 00000003 00000004 00000005", GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT,
               GW_LEVIATHAN_ODD_ACK_ONLY_COUNT);
    assert_odd("4c61 04 00000001 00000002 00000003 00000004", GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT, 0);
}

static void ack_only_ids_that_do_not_ascend_are_odd(void **state)
{
    (void)state;
    assert_odd("4c61 02 00000002 00000001", GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, GW_LEVIATHAN_ODD_ACK_ONLY_IDS);
    assert_odd("4c61 01 00000000", GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, GW_LEVIATHAN_ODD_ACK_ONLY_IDS);
}

static void bytes_after_the_last_message_are_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 000f | 4c", GW_LEVIATHAN_ROLE_TRAILING,
               GW_LEVIATHAN_ODD_TRAILING);
    assert_odd("4c61 01 00000001 | 4c62", GW_LEVIATHAN_ROLE_TRAILING, GW_LEVIATHAN_ODD_TRAILING);
    assert_odd("4c6e 00000001 00000000 00 | 28", GW_LEVIATHAN_ROLE_TRAILING, GW_LEVIATHAN_ODD_NO_MESSAGES);
}

static void message_number_0_is_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000001 00000000 01 | 28 00000000 000f", GW_LEVIATHAN_ROLE_MESSAGE_NUMBER,
               GW_LEVIATHAN_ODD_MESSAGE_NUMBER);
}

static void types_that_the_engine_cannot_load_are_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 0004", GW_LEVIATHAN_ROLE_REQUEST_TYPE,
               GW_LEVIATHAN_ODD_NOT_LOADABLE);
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 0004 00000000", GW_LEVIATHAN_ROLE_RESPONSE_TYPE, 0);
}

static void check_values_other_than_42_are_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 0000 0000002b", GW_LEVIATHAN_ROLE_CHECK,
               GW_LEVIATHAN_ODD_CHECK);
}

static void values_outside_their_enumeration_are_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 000a 00000000 03 00000000",
               GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT, GW_LEVIATHAN_ODD_ENUMERATION);
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 000a 00000000 02 00000000",
               GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT, 0);
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 0012 00000000 00000001 00000007 00000000",
               GW_LEVIATHAN_ROLE_WORLD_TYPE, 0);
}

static void bools_other_than_0_and_1_are_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 000d 00000000 02", GW_LEVIATHAN_ROLE_SUCCEEDED,
               GW_LEVIATHAN_ODD_BOOL);
}

static void strings_that_are_not_utf8_or_contain_nul_are_odd(void **state)
{
    (void)state;
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 000a 00000002 c328", GW_LEVIATHAN_ROLE_JOIN_OPTIONS,
               GW_LEVIATHAN_ODD_UTF8);
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 000a 00000003 610062", GW_LEVIATHAN_ROLE_JOIN_OPTIONS,
               GW_LEVIATHAN_ODD_NUL);
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 000a 00000002 c3a9", GW_LEVIATHAN_ROLE_JOIN_OPTIONS, 0);
}

static void each_oddity_has_a_different_text(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < GW_LEVIATHAN_ODDS; bit++)
        for (unsigned other = 0; other < bit; other++)
            assert_string_not_equal(gw_odd_text(&gw_leviathan_faults, 1U << bit),
                                    gw_odd_text(&gw_leviathan_faults, 1U << other));
    assert_string_equal(gw_odd_text(&gw_leviathan_faults, 0), "Unknown oddity");
}

/* ---- faults -------------------------------------------------------------------------------------------- */

static void every_fault_has_its_offset_and_missing_bytes(void **state)
{
    (void)state;
    assert_fault("", GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, 0, 2);
    assert_fault("4c", GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, 0, 1);
    assert_fault("4c6e 0000", GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, 2, 2);
    assert_fault("4c6e 00000001 00000001", GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, 10, 1);
    assert_fault("4c6e 00000001 00000001 04 0b02", GW_LEVIATHAN_FAULT_ACKS_TRUNCATED, 11, 2);
    assert_fault("4c61", GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, 2, 1);
    assert_fault("4c61 03 0000", GW_LEVIATHAN_FAULT_IDS_TRUNCATED, 3, 10);
    assert_fault("4c6e 00000001 00000000 01", GW_LEVIATHAN_FAULT_MESSAGES_MISSING, 11, 1);
    assert_fault("4c6e 00000001 00000000 02 | 28 00000001 000f", GW_LEVIATHAN_FAULT_MESSAGES_MISSING, 18, 1);
    assert_fault("4c6e 00000001 00000000 01 | 28 00000001 00", GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, 16, 1);
    assert_fault("4c6e 00000001 00000000 01 | 28 00000001 000a 0000", GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, 18, 2);
    assert_fault("4c6e 00000001 00000000 01 | 28 00000001 000a 00000005 6162", GW_LEVIATHAN_FAULT_STRING_TRUNCATED, 18,
                 3);
    assert_fault("4c6e 00000001 00000000 01 | 28 00000001 000a ffffffff", GW_LEVIATHAN_FAULT_STRING_TRUNCATED, 18,
                 UINT32_MAX);
    assert_fault("4c6e 00000001 00000000 01 | 28 00000001 000e 00000002 61", GW_LEVIATHAN_FAULT_NESTED_TRUNCATED, 18,
                 1);
    assert_fault(CREATION "00000001 | 00000003 0001", GW_LEVIATHAN_FAULT_NESTED_TRUNCATED, 34, 1);
    assert_fault("4c65 00000001", GW_LEVIATHAN_FAULT_PACKET_UNKNOWN, 0, 0);
    assert_fault("4c6e 00000001 00000000 01 | 29 00000001", GW_LEVIATHAN_FAULT_MESSAGE_UNKNOWN, 11, 0);
    assert_fault("4c6e 00000001 00000000 01 | 28 00000001 0012 ab", GW_LEVIATHAN_FAULT_REQUEST_UNKNOWN, 18, 0);
    assert_fault("4c6e 00000001 00000000 01 | 12 00000001 001e 00000000", GW_LEVIATHAN_FAULT_RESPONSE_UNKNOWN, 22, 0);
    assert_fault("4c6e 00000001 00000000 00 | 4c61 01 00", GW_LEVIATHAN_FAULT_IDS_TRUNCATED, 14, 3);
}

static void input_of_4_gib_is_rejected_without_reading_it(void **state)
{
    (void)state;
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    gw_leviathan_summary summary;
    if (sizeof(size_t) == 4)
        return; /* there is no such input */
    size_t length = (size_t)UINT32_MAX + 1;
    gw_leviathan_init(&reader, input, length, NULL);
    assert_int_equal(gw_leviathan_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_LEVIATHAN_FAULT_TOO_LONG);
    assert_int_equal(reader.fault.fault_class, GW_FAULT_LIMIT);
    assert_false(gw_leviathan_validate(input, length, NULL, &summary));
    assert_int_equal(summary.fault.code, GW_LEVIATHAN_FAULT_TOO_LONG);
}

static void events_before_a_fault_remain_valid(void **state)
{
    (void)state;
    assert_fault("4c6e 000003e9 00000000 02 | 28 00000001 000f | 28 00000002 03e7 abcd",
                 GW_LEVIATHAN_FAULT_REQUEST_UNKNOWN, 25, 0);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_REQUEST_TYPE, 0)->number, 15);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_REQUEST_TYPE, 1)->number, 999);
    assert_null(decoded.reader.message.type);
}

static void ids_before_one_that_is_truncated_are_read(void **state)
{
    (void)state;
    assert_fault("4c61 03 000003e9 000003ea 0000", GW_LEVIATHAN_FAULT_IDS_TRUNCATED, 11, 2);
    const gw_leviathan_event *ids = event_of(GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, 0);
    assert_int_equal(ids->payload.length, 8);
    assert_int_equal(gw_leviathan_id_at(input, ids, 1), 1002);
    assert_int_equal(ids->odd, 0);
}

static void each_fault_has_a_text_and_a_class(void **state)
{
    (void)state;
    for (unsigned code = 1; code < GW_LEVIATHAN_FAULTS; code++) {
        assert_int_not_equal(gw_fault_class_of(&gw_leviathan_faults, code), GW_FAULT_NONE);
        for (unsigned other = 0; other < code; other++)
            assert_string_not_equal(gw_fault_text(&gw_leviathan_faults, code),
                                    gw_fault_text(&gw_leviathan_faults, other));
    }
    assert_string_equal(gw_fault_text(&gw_leviathan_faults, GW_LEVIATHAN_FAULTS), "Unknown fault");
    assert_null(gw_fault_consequence(&gw_leviathan_faults, GW_LEVIATHAN_FAULTS));
    assert_null(gw_fault_consequence(&gw_leviathan_faults, GW_LEVIATHAN_FAULT_STRING_TRUNCATED));
    assert_string_equal(gw_fault_consequence(&gw_leviathan_faults, GW_LEVIATHAN_FAULT_ACKS_TRUNCATED),
                        "the engine continues with zeros");
    assert_int_equal(gw_fault_class_of(&gw_leviathan_faults, GW_LEVIATHAN_FAULTS), GW_FAULT_NONE);
}

/* ---- recognizing --------------------------------------------------------------------------------------- */

static gw_recognition recognize_captured(size_t captured, size_t wire_length)
{
    gw_recognition recognition;
    bool possible = gw_leviathan_recognize(input, captured, wire_length, NULL, &recognition);
    assert_int_equal(possible, recognition.possible);
    assert_int_equal(recognition.readings, recognition.possible ? 1 : 0);
    return recognition;
}

static gw_recognition recognize(const char *hex)
{
    size_t length = from_hex(hex);
    return recognize_captured(length, length);
}

static void assert_alone(const char *hex)
{
    assert_true(recognize(hex).bits >= GW_RECOGNIZED_ALONE);
}

/* Not sufficient alone, but together with a second one. */
static void assert_second(const char *hex)
{
    uint32_t bits = recognize(hex).bits;
    assert_true(bits < GW_RECOGNIZED_ALONE && 2 * bits >= GW_RECOGNIZED_ALONE);
}

static void assert_no_evidence(const char *hex)
{
    gw_recognition recognition = recognize(hex);
    assert_true(recognition.possible);
    assert_int_equal(recognition.bits, 0);
}

static void assert_impossible(const char *hex)
{
    gw_recognition recognition = recognize(hex);
    assert_false(recognition.possible);
    assert_int_equal(recognition.bits, 0);
}

static void one_packet_with_constants_of_the_engine_is_sufficient(void **state)
{
    (void)state;
    assert_alone("4c6e 000003e9 00000000 01 | 28 00000001 0000 0000002a");
    assert_alone("4c6e 000003ea 000003e9 01 01 01 | 12 00000002 0000 00000001 0000002a");
    assert_alone("4c6e 000003eb 000003e9 01 03 01 | 28 00000003 0001 00000001 00000000 00000000");
    assert_alone("4c6e 000003eb 000003e9 01 03 01 | 28 00000004 0002 00000006 706c61796572 0000000000000000 00000000");
    assert_alone("4c6e 000003eb 00000000 01 | 28 00000004 0009 ffffffff");
    assert_alone(UPDATE "0000001e" STATE);
    assert_alone(CREATION "00000001 | 00000002 | 0001");
}

static void the_master_server_token_is_constant_only_in_a_direct_join(void **state)
{
    (void)state;
    assert_int_equal(recognize("4c6e 000003eb 00000000 01 | 28 00000004 0009 ffffffff").bits -
                         recognize("4c6e 000003eb 00000000 01 | 28 00000004 0009 00000005").bits,
                     8);
}

static void two_small_packets_are_sufficient(void **state)
{
    (void)state;
    assert_second("4c6e 000003e9 00000000 01 | 28 00000001 000f");
    assert_second("4c6e 000003ea 000003e9 04 0b020080 01 | 12 00000001 0004 00000000");
    assert_second("4c6e 00000416 00000000 01 | 12 0000002e 0004 00000000 | 4c61 02 000003e9 000003ea");
}

static void packets_of_another_protocol_with_the_same_start_are_not_sufficient(void **state)
{
    (void)state;
    assert_int_equal(recognize("4c6e 000003e9 00000000 00").bits, 1);
    assert_int_equal(recognize("4c6e 000003e9 000003e9 01 01 00").bits, 1);
    assert_int_equal(recognize("4c61 01 000003e9").bits, 1);
}

static void ack_only_packets_of_several_ids_add_up(void **state)
{
    (void)state;
    assert_int_equal(recognize("4c61 03 000003e9 000003ea 000003eb").bits, 8);
    assert_int_equal(recognize("4c61 04 000003e9 000003ea 000003eb 000003ec").bits, 8);
    assert_int_equal(recognize("4c61 02 00000001 00000401").bits, 8);
}

/* A known conversation continues after 2^24 packets. */
static void large_ids_are_possible_but_not_evidence(void **state)
{
    (void)state;
    gw_recognition normal = recognize("4c6e ffffffff 00000000 01 | 12 00000001 0004 00000000");
    assert_true(normal.possible);
    assert_int_equal(normal.bits, 0);
    assert_true(recognize("4c61 01 ffffffff").possible);
    assert_int_equal(recognize("4c61 02 fffffffe ffffffff").bits, 0);
    assert_false(recognize("4c61 02 ffffffff fffffffe").possible);
    assert_false(recognize("4c61 02 ffffffff").possible);
    assert_false(recognize("4c6e ffffffff 00000000 00").possible);
    assert_false(recognize("4c6e ffffffff 00000000 01 | 12 00000001 0004 00").possible);
    assert_false(recognize("4c62 ffffffff 00000000 00").possible);
    assert_false(recognize("4d6e ffffffff 00000000 01 | 12 00000001 0004 00000000").possible);
}

static void packets_that_the_engine_does_not_send_are_not_evidence(void **state)
{
    (void)state;
    assert_no_evidence("4c6e 00000000 00000000 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000001 00 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000001 05 0100000001 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000001 01 02 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000001 02 0100 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 29 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000000 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 0000 0000002b");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 0012");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 0000 0000002a 00");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 0000 000000");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 000a 00000002 c328");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 12 00000001 000a 00000000 03 00000000");
    assert_no_evidence("4c6e 000003e9 00000001 04 0100");
    assert_no_evidence("4c6e 000003e9");
    assert_no_evidence("4c6e");
    assert_no_evidence("4c61");
    assert_no_evidence("4c61 00");
    assert_no_evidence("4c61 00 ff");
    assert_no_evidence("4c61 01 00000000");
    assert_no_evidence("4c61 02 000003ea 000003e9");
    assert_no_evidence("4c61 02 00000001 00000402");
    assert_no_evidence("4c61 02 00000001 01000000");
    assert_no_evidence("4c61 05 00000001 00000002 00000003 00000004 00000005");
    assert_no_evidence("4c61 01 000003e9 00");
}

static void packets_of_other_protocols_are_impossible(void **state)
{
    (void)state;
    assert_impossible("");
    assert_impossible("4c");
    assert_impossible("4d6e 000003e9 00000000 01 | 28 00000001 0000 0000002a");
    assert_impossible("4c65 000003e9 00000000 01 | 28 00000001 0000 0000002a");
    assert_impossible("4c6e 01000000 00000000 01 | 28 00000001 0000 0000");
    assert_impossible("4c61 02 01000000");
    assert_impossible("4c6e 206973206120666f726d756c61");             /* "Ln is a formula" */
    assert_impossible("4c61206c61206c61");                            /* "La la la" */
    assert_impossible("0001 0000 2112a442 000102030405060708090a0b"); /* STUN */
    assert_impossible("4c6e 0100 0001 0000 0000 0000 | 07 6578616d706c65 03 636f6d 00 0001 0001"); /* DNS */
}

static void a_truncated_packet_has_less_evidence(void **state)
{
    (void)state;
    size_t length = from_hex("4c6e 000003e9 00000000 01 | 28 00000003 0002 | 00000006 706c61796572 |"
                             "0000000000000000 00000000");
    uint32_t whole = recognize_captured(length, length).bits;
    assert_int_equal(whole - recognize_captured(length - 1, length).bits, 6);
    assert_int_equal(whole - recognize_captured(18, length).bits, 6 + 8);
    assert_int_equal(recognize_captured(17, length).bits, 0);
    length = from_hex("4c6e 000003e9 00000000 01 | 28 00000003 0012 | 00000006");
    assert_int_equal(recognize_captured(length, length + 9).bits, 0);
    length = from_hex("4c61 02 000003e9 000003ea");
    assert_int_equal(recognize_captured(length, length).bits, 8);
    assert_int_equal(recognize_captured(7, length).bits, 0);
}

static void recognition_follows_the_revision(void **state)
{
    (void)state;
    gw_leviathan_options old = { .revision = GW_LEVIATHAN_SINCE_2017_04_05 };
    gw_recognition recognition;
    size_t length = from_hex("4c6e 000003e9 00000000 01 | 28 00000001 0011 00000001 00");
    assert_true(recognize_captured(length, length).bits > 0);
    gw_leviathan_recognize(input, length, length, &old, &recognition);
    assert_int_equal(recognition.bits, 0);
}

/* A datagram in the middle of an input: all except the offsets is the same. */
static void reading_starts_at_the_offset(void **state)
{
    (void)state;
    gw_leviathan_options options = { .offset = 3 };
    gw_leviathan_summary summary;
    size_t length = from_hex("ffffff | 4c6e 000003e9 00000000 00 | 4c");
    gw_leviathan_init(&decoded.reader, input, length, &options);
    for (decoded.count = 0; gw_leviathan_next(&decoded.reader, &decoded.events[decoded.count]) == GW_NEXT_EVENT;)
        decoded.count++;
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_PACKET_ID), 1001);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_PACKET_ID, 0)->payload.offset, 5);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_TRAILING, 0)->odd, GW_LEVIATHAN_ODD_NO_MESSAGES);
    assert_true(gw_leviathan_validate(input, length, &options, &summary));
    assert_int_equal(summary.length, 11);
    assert_int_equal(summary.trailing, 1);
    options.offset = (uint32_t)length + 1;
    gw_leviathan_init(&decoded.reader, input, length, &options);
    assert_int_equal(gw_leviathan_next(&decoded.reader, &decoded.events[0]), GW_NEXT_FAULT);
    assert_int_equal(decoded.reader.fault.needed, 3);
    assert_false(gw_leviathan_validate(input, length, &options, &summary));
    assert_memory_equal(&summary.fault, &decoded.reader.fault, sizeof summary.fault);
}

/* ---- printing ------------------------------------------------------------------------------------------ */

static void a_line_names_packet_messages_and_acks(void **state)
{
    (void)state;
    assert_printed("4c6e 000003ea 000003e9 01 01 01 | 12 00000002 0000 00000001 0000002a",
                   "1002  Response Connect #2 \xE2\x86\x92 #1, acks 1001");
    assert_printed("4c6e 000003e9 00000000 01 | 28 00000001 000f", "1001  Request Echo #1");
    assert_printed("4c6e 000003ea 000003e9 02 0f02 01 | 12 00000002 0004 00000000",
                   "1002  Response Keepalive #2, acks 1001-1004, 1010");
    assert_printed("4c6e 000003ea 00000000 02 | 28 00000002 000f | 28 00000003 0004",
                   "1002  Request Echo #2; Request Serverstatus #3");
    assert_printed("4c6e 000003ea 00000000 00", "1002  No messages");
    assert_printed("4c61 03 000003e9 000003ea 000003ec", "Ack only, acks 1001-1002, 1004");
    assert_printed("4c61 00", "Ack only, acks none");
    assert_printed("4c6e 00000416 00000000 01 | 12 0000002e 0004 00000000 | 4c61 01 000003e9 | 4c61 01 000003e9",
                   "1046  Response Keepalive #46, 2 ignored ack blocks");
    assert_printed("4c6e 00000416 00000000 01 | 12 0000002e 0004 00000000 | 4c61 01 000003e9",
                   "1046  Response Keepalive #46, 1 ignored ack block");
    assert_printed("4c6e 000003e9 000003e9 01 00 00", "1001  No messages, acks none");
}

static void acks_are_printed_as_documented_with_that_option(void **state)
{
    (void)state;
    char line[64];
    gw_text text;
    gw_leviathan_options options = { .acks = GW_LEVIATHAN_ACKS_AS_DOCUMENTED };
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_print(&text, input, from_hex("4c6e 000003ea 000003e9 01 03 01 | 28 00000002 000f"), &options);
    assert_string_equal(line, "1002  Request Echo #2, acks 1002-1003");
}

static void a_line_ends_with_the_fault(void **state)
{
    (void)state;
    assert_printed("4c6e 000003e9 00000000 01", "1001 [The message count exceeds the packet]");
    assert_printed("4c65", "[Unknown packet type]");
}

static void numbers_above_custom_are_printed_as_in_the_engine(void **state)
{
    (void)state;
    assert_printed("4c6e 000003e9 00000000 01 | 28 00000001 0012 ab",
                   "1001  Request Custom(+1) #1 [Unknown request type: later bytes cannot be split]");
    gw_leviathan_message message = { GW_LEVIATHAN_RESPONSE, 29, 5, 0, NULL };
    char line[64];
    gw_text text;
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_print_message(&text, &message, GW_LEVIATHAN_SINCE_2017_04_05);
    assert_string_equal(line, "Response Custom(+2) #5");
}

/* ---- round trips --------------------------------------------------------------------------------------- */

static uint64_t random_state = 0x9E3779B97F4A7C15;

/* xorshift64*: the same numbers in every run. */
static uint64_t random_number(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545F4914F6CDD1D;
}

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(random_number() >> 32) % limit;
}

static uint8_t blob[256];

static void random_bytes(gw_leviathan_value *value)
{
    value->length = below(40);
    for (uint32_t i = 0; i < value->length; i++)
        blob[i] = (uint8_t)random_number();
    value->bytes = blob;
}

static int64_t random_of(uint8_t type)
{
    int64_t number = (int64_t)random_number();
    switch (type) {
    case GW_LEVIATHAN_U8:
    case GW_LEVIATHAN_BOOL:
        return (uint8_t)number;
    case GW_LEVIATHAN_U16:
        return (uint16_t)number;
    case GW_LEVIATHAN_U32:
        return (uint32_t)number;
    case GW_LEVIATHAN_I32:
        return (int32_t)number;
    default:
        return number;
    }
}

/* 0 to 3 positions: valid contents of a nested packet of components in both forms. */
static uint32_t random_components(gw_leviathan_value *value)
{
    static const gw_leviathan_value numbers[2] = { { .floats = { 1, -2, 3 } }, { .floats = { 4, 5, -6, 7 } } };
    gw_output output;
    uint32_t count = below(4);
    gw_output_init(&output, blob, sizeof blob);
    for (uint32_t i = 0; i < count; i++)
        gw_leviathan_write_component(&output, 0, gw_leviathan_component_of(0)->state, numbers);
    assert_true(gw_output_complete(&output));
    value->bytes = blob;
    value->length = (uint32_t)output.length;
    return count;
}

static void fill(gw_leviathan_value *values, const gw_leviathan_message_type *type)
{
    for (const uint8_t *field = type->fields; *field; field++) {
        gw_leviathan_value *value = &values[field - type->fields];
        uint8_t wire_type = gw_leviathan_field_of(*field)->type;
        if (wire_type == GW_LEVIATHAN_COMPONENTS)
            value[-1].number = random_components(value);
        else if (wire_type == GW_LEVIATHAN_STATES)
            random_components(value);
        else if (wire_type >= GW_LEVIATHAN_STRING)
            random_bytes(value);
        else
            value->number = random_of(wire_type);
    }
}

static void assert_read_back(const gw_leviathan_value *values, const gw_leviathan_message_type *type)
{
    for (const uint8_t *field = type->fields; *field; field++) {
        const gw_leviathan_value *value = &values[field - type->fields];
        const gw_leviathan_event *event = event_of(*field, 0);
        if (event->type >= GW_LEVIATHAN_STRING && event->kind == GW_VALUE)
            assert_int_equal(event->payload.length, value->length);
        if (event->type >= GW_LEVIATHAN_STRING)
            assert_memory_equal(input + event->payload.offset, value->bytes, value->length);
        else
            assert_int_equal(event->number, value->number);
    }
}

static void random_message_comes_back(void)
{
    gw_leviathan_revision revision = below(GW_LEVIATHAN_REVISIONS);
    gw_leviathan_message message = { .kind = below(2) ? GW_LEVIATHAN_REQUEST : GW_LEVIATHAN_RESPONSE };
    message.wire_type = (uint16_t)below(gw_leviathan_wire_types(revision, message.kind));
    message.type = gw_leviathan_message_of_wire(revision, message.kind, message.wire_type);
    message.number = (uint32_t)random_number();
    message.response_to = message.kind == GW_LEVIATHAN_RESPONSE ? (uint32_t)random_number() : 0;
    gw_leviathan_value values[8] = { 0 };
    fill(values, message.type);
    gw_output output;
    gw_output_init(&output, input, sizeof input);
    gw_leviathan_write_packet(&output, 1001, NULL, 0, GW_LEVIATHAN_ACKS_AS_ENGINE, 1);
    gw_leviathan_write_message(&output, &message, values);
    decode(output.length, revision);
    assert_ends();
    assert_int_equal(decoded.reader.message.number, message.number);
    assert_int_equal(decoded.reader.message.response_to, message.response_to);
    assert_ptr_equal(decoded.reader.message.type, message.type);
    assert_read_back(values, message.type);
}

static void random_acks_come_back(void)
{
    uint32_t ids[32], count = 1 + below(32), id;
    gw_leviathan_ack_reading reading = below(2);
    gw_leviathan_acks acks;
    gw_output output;
    ids[0] = 2 + below(1000000);
    for (uint32_t i = 1; i < count; i++)
        ids[i] = ids[i - 1] + 1 + below(60);
    gw_output_init(&output, input, sizeof input);
    gw_leviathan_write_packet(&output, 7, ids, count, reading, 0);
    decode(output.length, GW_LEVIATHAN_SINCE_2018_12_09);
    assert_ends();
    gw_span bits = event_of(GW_LEVIATHAN_ROLE_PACKED_ACKS, 0)->payload;
    gw_leviathan_acks_init(&acks, (uint32_t)number_of(GW_LEVIATHAN_ROLE_START_ACK), input + bits.offset, bits.length,
                           reading);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(gw_leviathan_acks_next(&acks, &id));
        assert_int_equal(id, ids[i]);
    }
    assert_false(gw_leviathan_acks_next(&acks, &id));
}

/* GAMEWIRE_ROUND_TRIPS: the number of round trips. */
static unsigned long round_trips(void)
{
    const char *wanted = getenv("GAMEWIRE_ROUND_TRIPS");
    return wanted ? strtoul(wanted, NULL, 10) : 100000;
}

static void written_values_are_read_back(void **state)
{
    (void)state;
    for (unsigned long i = round_trips(); i; i--) {
        if (i % 4)
            random_message_comes_back();
        else
            random_acks_come_back();
    }
}

static void ack_only_packets_are_written(void **state)
{
    (void)state;
    static const uint32_t ids[] = { 1001, 1002, 1003 };
    static const uint8_t expected[] = { 0x4C, 0x61, 3, 0, 0, 3, 0xE9, 0, 0, 3, 0xEA, 0, 0, 3, 0xEB };
    gw_output output;
    gw_output_init(&output, input, sizeof input);
    gw_leviathan_write_ack_only(&output, ids, 3);
    assert_int_equal(output.length, sizeof expected);
    assert_memory_equal(input, expected, sizeof expected);
}

static void acks_too_far_above_the_first_are_omitted(void **state)
{
    (void)state;
    static const uint32_t ids[] = { 1, 2040, 2041 };
    gw_output output;
    gw_output_init(&output, input, sizeof input);
    gw_leviathan_write_packet(&output, 7, ids, 3, GW_LEVIATHAN_ACKS_AS_ENGINE, 0);
    decode(output.length, GW_LEVIATHAN_SINCE_2018_12_09);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_ACK_COUNT), 255);
    assert_int_equal(input[11 + 254], 0x80);
}

/* Two messages, of which the second ends inside its number; an ack-only block that lacks its last id. */
static void a_summary_counts_what_was_read_to_its_end(void **state)
{
    (void)state;
    gw_leviathan_summary summary;
    size_t length = from_hex("4c6e 000003e9 00000000 02 | 28 00000001 000f | 28 0000");
    assert_false(gw_leviathan_validate(input, length, NULL, &summary));
    assert_int_equal(summary.messages, 1);
    length = from_hex("4c6e 000003e9 00000000 01 | 28 00000001 000f | 4c61 01 000003e9 | 4c61 01 0000");
    assert_false(gw_leviathan_validate(input, length, NULL, &summary));
    assert_int_equal(summary.messages, 1);
    assert_int_equal(summary.blocks, 1);
}

static void an_empty_input_needs_no_bytes(void **state)
{
    (void)state;
    gw_leviathan_summary summary;
    gw_recognition recognition;
    assert_false(gw_leviathan_validate(NULL, 0, NULL, &summary));
    assert_int_equal(summary.fault.needed, 2);
    assert_false(gw_leviathan_recognize(NULL, 0, 0, NULL, &recognition));
    assert_false(gw_leviathan_may_begin(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_packet_is_an_echo_without_acks),
        cmocka_unit_test(events_have_ranges_depths_and_indices),
        cmocka_unit_test(ack_bits_count_from_start),
        cmocka_unit_test(documented_ack_bits_count_from_start_plus_one),
        cmocka_unit_test(ids_wrap_at_32_bits),
        cmocka_unit_test(without_ack_bits_there_are_no_ids),
        cmocka_unit_test(ack_only_packet_lists_ids),
        cmocka_unit_test(block_after_a_repeated_packet_is_ignored_by_the_engine),
        cmocka_unit_test(several_blocks_may_follow_a_packet),
        cmocka_unit_test(several_messages_share_a_packet),
        cmocka_unit_test(packet_without_messages_ends_after_its_header),
        cmocka_unit_test(integers_are_big_endian_and_signed_as_in_the_engine),
        cmocka_unit_test(strings_have_a_big_endian_length_and_no_terminator),
        cmocka_unit_test(server_disallow_has_its_message_before_its_reason),
        cmocka_unit_test(secure_type_has_four_bytes_and_other_enumerations_have_one),
        cmocka_unit_test(application_data_extend_to_the_end),
        cmocka_unit_test(messages_after_application_data_cannot_be_split),
        cmocka_unit_test(floats_are_little_endian),
        cmocka_unit_test(update_data_are_component_states_up_to_their_end),
        cmocka_unit_test(a_message_may_follow_component_states),
        cmocka_unit_test(initial_components_are_counted),
        cmocka_unit_test(fewer_components_than_declared_are_odd),
        cmocka_unit_test(bytes_after_the_last_component_are_odd),
        cmocka_unit_test(more_than_1000_components_are_odd),
        cmocka_unit_test(a_component_longer_than_its_nested_packet_ends_only_that),
        cmocka_unit_test(a_component_type_without_its_fields_is_truncated),
        cmocka_unit_test(a_component_type_of_one_byte_is_truncated),
        cmocka_unit_test(after_an_unknown_component_the_nested_packet_is_opaque),
        cmocka_unit_test(components_without_a_state_are_unknown_in_an_update),
        cmocka_unit_test(components_from_10000_on_are_defined_by_the_application),
        cmocka_unit_test(the_tables_are_in_the_order_of_the_newest_revision),
        cmocka_unit_test(first_types_are_the_same_in_all_revisions),
        cmocka_unit_test(later_types_depend_on_the_engines_date),
        cmocka_unit_test(entity_creation_gained_two_fields_on_2018_11_30),
        cmocka_unit_test(packet_id_0_is_odd),
        cmocka_unit_test(ack_counts_other_than_1_to_4_are_odd),
        cmocka_unit_test(acks_that_the_engine_would_encode_differently_are_odd),
        cmocka_unit_test(ack_only_counts_other_than_1_to_4_are_odd),
        cmocka_unit_test(ack_only_ids_that_do_not_ascend_are_odd),
        cmocka_unit_test(bytes_after_the_last_message_are_odd),
        cmocka_unit_test(message_number_0_is_odd),
        cmocka_unit_test(types_that_the_engine_cannot_load_are_odd),
        cmocka_unit_test(check_values_other_than_42_are_odd),
        cmocka_unit_test(values_outside_their_enumeration_are_odd),
        cmocka_unit_test(bools_other_than_0_and_1_are_odd),
        cmocka_unit_test(strings_that_are_not_utf8_or_contain_nul_are_odd),
        cmocka_unit_test(each_oddity_has_a_different_text),
        cmocka_unit_test(every_fault_has_its_offset_and_missing_bytes),
        cmocka_unit_test(input_of_4_gib_is_rejected_without_reading_it),
        cmocka_unit_test(events_before_a_fault_remain_valid),
        cmocka_unit_test(ids_before_one_that_is_truncated_are_read),
        cmocka_unit_test(each_fault_has_a_text_and_a_class),
        cmocka_unit_test(one_packet_with_constants_of_the_engine_is_sufficient),
        cmocka_unit_test(the_master_server_token_is_constant_only_in_a_direct_join),
        cmocka_unit_test(two_small_packets_are_sufficient),
        cmocka_unit_test(packets_of_another_protocol_with_the_same_start_are_not_sufficient),
        cmocka_unit_test(ack_only_packets_of_several_ids_add_up),
        cmocka_unit_test(large_ids_are_possible_but_not_evidence),
        cmocka_unit_test(packets_that_the_engine_does_not_send_are_not_evidence),
        cmocka_unit_test(packets_of_other_protocols_are_impossible),
        cmocka_unit_test(a_truncated_packet_has_less_evidence),
        cmocka_unit_test(reading_starts_at_the_offset),
        cmocka_unit_test(recognition_follows_the_revision),
        cmocka_unit_test(a_line_names_packet_messages_and_acks),
        cmocka_unit_test(acks_are_printed_as_documented_with_that_option),
        cmocka_unit_test(a_line_ends_with_the_fault),
        cmocka_unit_test(numbers_above_custom_are_printed_as_in_the_engine),
        cmocka_unit_test(written_values_are_read_back),
        cmocka_unit_test(ack_only_packets_are_written),
        cmocka_unit_test(acks_too_far_above_the_first_are_omitted),
        cmocka_unit_test(a_summary_counts_what_was_read_to_its_end),
        cmocka_unit_test(an_empty_input_needs_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
