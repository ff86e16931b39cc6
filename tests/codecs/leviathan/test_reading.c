/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Leviathan's packets, messages, entities and revisions by hand: bytes in, meaning out.
 */
#include "decoding.h"

/* ---- packets ------------------------------------------------------------------------------------------- */

TEST(smallest_packet_is_an_echo_without_acks)
{
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

TEST(events_have_ranges_depths_and_indices)
{
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

TEST(ack_bits_count_from_start)
{
    static const uint32_t ids[] = { 1001, 1002, 1004, 1010, 1032 };
    decode_hex("4c6e 000003ea 000003e9 04 0b020080 01 | 28 00000001 000f");
    assert_ends();
    const gw_leviathan_event *acks = event_of(GW_LEVIATHAN_ROLE_PACKED_ACKS, 0);
    assert_int_equal(acks->payload.offset, 11);
    assert_int_equal(acks->payload.length, 4);
    assert_int_equal(acks->odd, 0);
    assert_ids(1001, "0b020080", GW_LEVIATHAN_ACKS_AS_ENGINE, ids, 5);
}

TEST(documented_ack_bits_count_from_start_plus_one)
{
    static const uint32_t ids[] = { 1002, 1003, 1005, 1011, 1033 };
    assert_ids(1001, "0b020080", GW_LEVIATHAN_ACKS_AS_DOCUMENTED, ids, 5);
}

TEST(ids_wrap_at_32_bits)
{
    static const uint32_t ids[] = { UINT32_MAX, 0 };
    assert_ids(UINT32_MAX, "03", GW_LEVIATHAN_ACKS_AS_ENGINE, ids, 2);
}

TEST(without_ack_bits_there_are_no_ids)
{
    assert_ids(1001, "", GW_LEVIATHAN_ACKS_AS_ENGINE, NULL, 0);
    assert_ids(1001, "0000", GW_LEVIATHAN_ACKS_AS_ENGINE, NULL, 0);
}

TEST(ack_only_packet_lists_ids)
{
    decode_hex("4c61 03 000003e9 000003ea 000003eb");
    assert_ends();
    const gw_leviathan_event *ids = event_of(GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, 0);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT), 3);
    assert_int_equal(ids->payload.length, 12);
    assert_int_equal(gw_be32(input + ids->payload.offset), 1001);
    assert_int_equal(gw_be32(input + ids->payload.offset + 8), 1003);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_ACK_ONLY, 0)->odd, 0);
}

TEST(block_after_a_repeated_packet_is_ignored_by_the_engine)
{
    decode_hex("4c6e 00000416 00000000 01 | 12 0000002e 0004 00000000 | 4c61 02 000003e9 000003ea");
    assert_ends();
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_PACKET_ID), 1046);
    assert_string_equal(decoded.reader.message.type->name, "Keepalive");
    const gw_leviathan_event *block = event_of(GW_LEVIATHAN_ROLE_ACK_ONLY, 0);
    assert_int_equal(block->odd, GW_LEVIATHAN_ODD_IGNORED);
    assert_int_equal(block->depth, 0);
    assert_int_equal(block->index, 1);
    assert_int_equal(gw_be32(input + event_of(GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, 0)->payload.offset + 4), 1002);
}

TEST(several_blocks_may_follow_a_packet)
{
    gw_leviathan_summary summary;
    size_t length = from_hex(
        "4c6e 00000416 00000000 01 | 12 0000002e 0004 00000000 | 4c61 01 000003e9 | 4c61 02 000003e9 000003ea");
    decode(length, GW_LEVIATHAN_SINCE_2018_12_09);
    assert_ends();
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_ACK_ONLY, 1)->index, 2);
    assert_true(gw_leviathan_validate(input, length, NULL, &summary));
    assert_int_equal(summary.blocks, 2);
    assert_int_equal(summary.messages, 1);
    assert_int_equal(summary.trailing, 0);
    assert_int_equal(summary.length, length);
}

TEST(several_messages_share_a_packet)
{
    decode_hex("4c6e 000003ea 00000000 03 | 28 00000002 000f | 12 00000003 000d 00000009 01 | 28 00000004 0004");
    assert_ends();
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MESSAGE_NUMBER, 0)->number, 2);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MESSAGE_NUMBER, 1)->number, 3);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MESSAGE_NUMBER, 2)->number, 4);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_RESPONSE_TO), 9);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_SUCCEEDED), 1);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MESSAGE, 2)->index, 6);
}

TEST(packet_without_messages_ends_after_its_header)
{
    decode_hex("4c6e 000003e9 00000000 00");
    assert_ends();
    assert_false(has(GW_LEVIATHAN_ROLE_MESSAGE));
    assert_false(has(GW_LEVIATHAN_ROLE_TRAILING));
}

/* ---- messages ------------------------------------------------------------------------------------------ */

TEST(integers_are_big_endian_and_signed_as_in_the_engine)
{
    decode_hex("4c6e 000003e9 00000000 01 | 28 00000001 0009 ffffffff");
    assert_ends();
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_MASTER_SERVER_TOKEN), -1);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_MASTER_SERVER_TOKEN, 0)->type, GW_LEVIATHAN_I32);
}

TEST(strings_have_a_big_endian_length_and_no_terminator)
{
    decode_hex("4c6e 000003e9 00000000 01 | 28 00000003 0002 | 00000006 706c61796572 | 0102030405060708 | 00000000");
    assert_ends();
    assert_text(GW_LEVIATHAN_ROLE_USER_NAME, "player");
    assert_text(GW_LEVIATHAN_ROLE_AUTH_PASSWD, "");
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_AUTH_TOKEN), INT64_C(0x0102030405060708));
}

TEST(server_disallow_has_its_message_before_its_reason)
{
    decode_hex("4c6e 000003e9 00000000 01 | 12 00000003 0009 00000002 | 00000004 66756c6c | 02");
    assert_ends();
    assert_text(GW_LEVIATHAN_ROLE_MESSAGE_TEXT, "full");
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_REASON), 2);
    const gw_leviathan_field_type *reason = gw_leviathan_field_of(GW_LEVIATHAN_ROLE_REASON);
    assert_string_equal(gw_leviathan_name_of(reason->names, 2), "ServerFull");
    assert_null(gw_leviathan_name_of(reason->names, 8));
    assert_null(gw_leviathan_name_of(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_WORLD_ID)->names, 8));
}

TEST(secure_type_has_four_bytes_and_other_enumerations_have_one)
{
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_SECURE_TYPE)->type, GW_LEVIATHAN_I32);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_INVALIDNESS)->type, GW_LEVIATHAN_U8);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_REASON)->type, GW_LEVIATHAN_U8);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT)->type, GW_LEVIATHAN_U8);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_JOIN_RESTRICTION)->type, GW_LEVIATHAN_U8);
    assert_int_equal(gw_leviathan_field_of(GW_LEVIATHAN_ROLE_SERVER_STATUS)->type, GW_LEVIATHAN_U8);
}

TEST(application_data_extend_to_the_end)
{
    decode_hex("4c6e 000003e9 00000000 01 | 28 00000001 0011 | 00000007 01 | 4c61 01 000003e9");
    assert_ends();
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_TYPE_ID_NUMBER), 7);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_IS_REQUEST), 1);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_APPLICATION_DATA, 0)->payload.length, 7);
    assert_false(has(GW_LEVIATHAN_ROLE_ACK_ONLY));
}

TEST(messages_after_application_data_cannot_be_split)
{
    assert_odd("4c6e 000003e9 00000000 02 | 28 00000001 0011 | 00000007 01 | 28 00000002 000f",
               GW_LEVIATHAN_ROLE_APPLICATION_DATA, GW_LEVIATHAN_ODD_NOT_SPLIT);
}

/* ---- entities ------------------------------------------------------------------------------------------ */

TEST(floats_are_little_endian)
{
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

TEST(update_data_are_component_states_up_to_their_end)
{
    decode_hex(UPDATE "0000003c" STATE STATE);
    assert_ends();
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_COMPONENT, 1)->index, 1);
}

TEST(a_message_may_follow_component_states)
{
    decode_hex(
        "4c6e 000003e9 00000000 02 | 12 00000001 0014 00000000 | 00000001 00000002 ffffffff 00000009 | 0000001e" STATE
        "| 28 00000002 000f");
    assert_ends();
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_REQUEST_TYPE, 0)->number, 15);
}

TEST(initial_components_are_counted)
{
    decode_hex(CREATION
               "00000003 | 0000001d | 0001 | 0005 0000803f 00000040 00004040 00000004 726f636b | 0007 005a 01");
    assert_ends();
    assert_text(GW_LEVIATHAN_ROLE_MATERIAL, "rock");
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_FOV), 90);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_SOUND_PERCEIVER), 1);
    assert_true(gw_leviathan_float_at(input, event_of(GW_LEVIATHAN_ROLE_SIZES, 0), 2) == 3.0f);
    assert_false(has(GW_LEVIATHAN_ROLE_BLOB_REST));
}

TEST(fewer_components_than_declared_are_odd)
{
    decode_hex(CREATION "00000002 | 00000002 | 0001");
    assert_ends();
    for (size_t i = 0; i < decoded.count; i++)
        if (decoded.events[i].kind == GW_CLOSE && decoded.events[i].role == GW_LEVIATHAN_ROLE_INITIAL_COMPONENTS) {
            assert_int_equal(decoded.events[i].odd, GW_LEVIATHAN_ODD_COMPONENTS);
            return;
        }
    fail();
}

TEST(bytes_after_the_last_component_are_odd)
{
    assert_odd(CREATION "00000001 | 00000004 | 0001 0001", GW_LEVIATHAN_ROLE_BLOB_REST,
               GW_LEVIATHAN_ODD_COMPONENT_REST);
}

TEST(more_than_1000_components_are_odd)
{
    assert_odd(CREATION "000003e9 | 00000000", GW_LEVIATHAN_ROLE_COMPONENT_COUNT, GW_LEVIATHAN_ODD_COMPONENT_COUNT);
    assert_odd(CREATION "000003e8 | 00000000", GW_LEVIATHAN_ROLE_COMPONENT_COUNT, 0);
}

TEST(a_component_longer_than_its_nested_packet_ends_only_that)
{
    decode_hex("4c6e 000003e9 00000000 02 | 12 00000001 0014 00000000 | 00000001 00000002 ffffffff 00000009 | 00000006 "
               "0000 0000803f | 28 00000002 000f");
    assert_ends();
    const gw_leviathan_event *rest = event_of(GW_LEVIATHAN_ROLE_BLOB_REST, 0);
    assert_int_equal(rest->odd, GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED);
    assert_int_equal(rest->payload.length, 4);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_REQUEST_TYPE, 0)->number, 15);
}

TEST(a_component_type_without_its_fields_is_truncated)
{
    decode_hex(UPDATE "00000002 0000");
    assert_ends();
    assert_int_equal(decoded.events[decoded.count - 4].role, GW_LEVIATHAN_ROLE_COMPONENT);
    assert_int_equal(decoded.events[decoded.count - 4].odd, GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED);
}

TEST(a_component_type_of_one_byte_is_truncated)
{
    assert_odd(UPDATE "00000001 00", GW_LEVIATHAN_ROLE_BLOB_REST, GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED);
}

TEST(after_an_unknown_component_the_nested_packet_is_opaque)
{
    assert_odd(UPDATE "00000004 0009 abcd", GW_LEVIATHAN_ROLE_COMPONENT_TYPE, GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_BLOB_REST, 0)->payload.length, 2);
    assert_odd(UPDATE "00000002 0009", GW_LEVIATHAN_ROLE_COMPONENT_TYPE, GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN);
    assert_false(has(GW_LEVIATHAN_ROLE_BLOB_REST));
}

TEST(components_without_a_state_are_unknown_in_an_update)
{
    assert_odd(UPDATE "00000002 0001", GW_LEVIATHAN_ROLE_COMPONENT_TYPE, GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN);
    assert_odd(CREATION "00000001 | 00000002 0001", GW_LEVIATHAN_ROLE_COMPONENT_TYPE, 0);
    assert_odd(CREATION "00000001 | 00000002 0002", GW_LEVIATHAN_ROLE_COMPONENT_TYPE,
               GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN);
}

TEST(components_from_10000_on_are_defined_by_the_application)
{
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

TEST(the_tables_are_in_the_order_of_the_newest_revision)
{
    for (uint32_t id = 0; id < GW_LEVIATHAN_REQUEST_TYPES; id++)
        assert_int_equal(gw_leviathan_message_of_wire(0, GW_LEVIATHAN_REQUEST, id)->id, id);
    for (uint32_t id = 0; id < GW_LEVIATHAN_NEWEST_RESPONSE_TYPES; id++)
        assert_int_equal(gw_leviathan_message_of_wire(0, GW_LEVIATHAN_RESPONSE, id)->id, id);
    assert_null(gw_leviathan_message_of_wire(0, GW_LEVIATHAN_REQUEST, GW_LEVIATHAN_REQUEST_TYPES));
    assert_null(gw_leviathan_message_of_wire(0, GW_LEVIATHAN_RESPONSE, GW_LEVIATHAN_NEWEST_RESPONSE_TYPES));
    assert_string_equal(wire_name(0, GW_LEVIATHAN_RESPONSE, 22), "EntityLocalControlStatus");
    for (uint32_t id = 0; id < GW_LEVIATHAN_RESPONSE_TYPES; id++)
        assert_int_equal(gw_leviathan_message_of(GW_LEVIATHAN_RESPONSE, id)->id, id);
    assert_null(gw_leviathan_message_of(GW_LEVIATHAN_REQUEST, GW_LEVIATHAN_REQUEST_TYPES));
    assert_null(gw_leviathan_message_of(GW_LEVIATHAN_RESPONSE, GW_LEVIATHAN_RESPONSE_TYPES));
}

TEST(first_types_are_the_same_in_all_revisions)
{
    for (unsigned revision = 0; revision < GW_LEVIATHAN_REVISIONS; revision++) {
        for (uint32_t id = 0; id <= 9; id++)
            assert_int_equal(gw_leviathan_message_of_wire(revision, GW_LEVIATHAN_REQUEST, id)->id, id);
        for (uint32_t id = 0; id <= 17; id++)
            assert_int_equal(gw_leviathan_message_of_wire(revision, GW_LEVIATHAN_RESPONSE, id)->id, id);
    }
}

TEST(later_types_depend_on_the_engines_date)
{
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

TEST(entity_creation_gained_two_fields_on_2018_11_30)
{
    size_t length = from_hex("4c6e 00000002 00000000 01 | 12 00000001 0013 00000000 | 00000007 | 00000002 abcd");
    decode(length, GW_LEVIATHAN_SINCE_2018_11_18);
    assert_ends();
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_WORLD_ID), 7);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_OLD_INITIAL_DATA, 0)->payload.length, 2);
    assert_ptr_equal(gw_leviathan_message_of_wire(GW_LEVIATHAN_SINCE_2018_11_30, GW_LEVIATHAN_RESPONSE, 19),
                     gw_leviathan_message_of(GW_LEVIATHAN_RESPONSE, 19));
}
