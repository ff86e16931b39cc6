/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Leviathan's faults, each with its offset and missing bytes, and oddities.
 */
#include "decoding.h"

/* ---- oddities ------------------------------------------------------------------------------------------ */

TEST(packet_id_0_is_odd)
{
    assert_odd("4c6e 00000000 00000000 00", GW_LEVIATHAN_ROLE_PACKET_ID, GW_LEVIATHAN_ODD_PACKET_ID);
}

TEST(ack_counts_other_than_1_to_4_are_odd)
{
    assert_odd("4c6e 00000001 00000001 00 00", GW_LEVIATHAN_ROLE_ACK_COUNT, GW_LEVIATHAN_ODD_ACK_COUNT);
    assert_odd("4c6e 00000001 00000001 05 0100000001 00", GW_LEVIATHAN_ROLE_ACK_COUNT, GW_LEVIATHAN_ODD_ACK_COUNT);
    assert_odd("4c6e 00000001 00000001 04 01000001 00", GW_LEVIATHAN_ROLE_ACK_COUNT, 0);
}

TEST(acks_that_the_engine_would_encode_differently_are_odd)
{
    assert_odd("4c6e 00000001 00000001 01 02 00", GW_LEVIATHAN_ROLE_PACKED_ACKS, GW_LEVIATHAN_ODD_ACK_BITS);
    assert_odd("4c6e 00000001 00000001 02 0100 00", GW_LEVIATHAN_ROLE_PACKED_ACKS, GW_LEVIATHAN_ODD_ACK_BITS);
    assert_odd("4c6e 00000001 00000001 02 0101 00", GW_LEVIATHAN_ROLE_PACKED_ACKS, 0);
}

TEST(ack_only_counts_other_than_1_to_4_are_odd)
{
    assert_odd("4c61 00", GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT, GW_LEVIATHAN_ODD_ACK_ONLY_COUNT);
    assert_odd("4c61 05 00000001 00000002 00000003 00000004 00000005", GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT,
               GW_LEVIATHAN_ODD_ACK_ONLY_COUNT);
    assert_odd("4c61 04 00000001 00000002 00000003 00000004", GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT, 0);
}

TEST(ack_only_ids_that_do_not_ascend_are_odd)
{
    assert_odd("4c61 02 00000002 00000001", GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, GW_LEVIATHAN_ODD_ACK_ONLY_IDS);
    assert_odd("4c61 01 00000000", GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, GW_LEVIATHAN_ODD_ACK_ONLY_IDS);
}

TEST(bytes_after_the_last_message_are_odd)
{
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 000f | 4c", GW_LEVIATHAN_ROLE_TRAILING,
               GW_LEVIATHAN_ODD_TRAILING);
    assert_odd("4c61 01 00000001 | 4c62", GW_LEVIATHAN_ROLE_TRAILING, GW_LEVIATHAN_ODD_TRAILING);
    assert_odd("4c6e 00000001 00000000 00 | 28", GW_LEVIATHAN_ROLE_TRAILING, GW_LEVIATHAN_ODD_NO_MESSAGES);
}

TEST(message_number_0_is_odd)
{
    assert_odd("4c6e 00000001 00000000 01 | 28 00000000 000f", GW_LEVIATHAN_ROLE_MESSAGE_NUMBER,
               GW_LEVIATHAN_ODD_MESSAGE_NUMBER);
}

TEST(types_that_the_engine_cannot_load_are_odd)
{
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 0004", GW_LEVIATHAN_ROLE_REQUEST_TYPE,
               GW_LEVIATHAN_ODD_NOT_LOADABLE);
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 0004 00000000", GW_LEVIATHAN_ROLE_RESPONSE_TYPE, 0);
}

TEST(check_values_other_than_42_are_odd)
{
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 0000 0000002b", GW_LEVIATHAN_ROLE_CHECK,
               GW_LEVIATHAN_ODD_CHECK);
}

TEST(values_outside_their_enumeration_are_odd)
{
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 000a 00000000 03 00000000",
               GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT, GW_LEVIATHAN_ODD_ENUMERATION);
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 000a 00000000 02 00000000",
               GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT, 0);
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 0012 00000000 00000001 00000007 00000000",
               GW_LEVIATHAN_ROLE_WORLD_TYPE, 0);
}

TEST(bools_other_than_0_and_1_are_odd)
{
    assert_odd("4c6e 00000001 00000000 01 | 12 00000001 000d 00000000 02", GW_LEVIATHAN_ROLE_SUCCEEDED,
               GW_LEVIATHAN_ODD_BOOL);
}

TEST(strings_that_are_not_utf8_or_contain_nul_are_odd)
{
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 000a 00000002 c328", GW_LEVIATHAN_ROLE_JOIN_OPTIONS,
               GW_LEVIATHAN_ODD_UTF8);
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 000a 00000003 610062", GW_LEVIATHAN_ROLE_JOIN_OPTIONS,
               GW_LEVIATHAN_ODD_NUL);
    assert_odd("4c6e 00000001 00000000 01 | 28 00000001 000a 00000002 c3a9", GW_LEVIATHAN_ROLE_JOIN_OPTIONS, 0);
}

TEST(each_oddity_has_a_different_text)
{
    for (unsigned bit = 0; bit < GW_LEVIATHAN_ODDS; bit++)
        for (unsigned other = 0; other < bit; other++)
            assert_string_not_equal(gw_odd_text(&gw_leviathan_faults, 1U << bit),
                                    gw_odd_text(&gw_leviathan_faults, 1U << other));
    assert_string_equal(gw_odd_text(&gw_leviathan_faults, 0), "Unknown oddity");
}

/* ---- faults -------------------------------------------------------------------------------------------- */

TEST(every_fault_has_its_offset_and_missing_bytes)
{
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
    assert_fault("4c6e 00000001 00000000 01 | 28 00000001 ffff ab", GW_LEVIATHAN_FAULT_REQUEST_UNKNOWN, 18, 0);
    assert_fault("4c6e 00000001 00000000 01 | 12 00000001 ffff 00000000", GW_LEVIATHAN_FAULT_RESPONSE_UNKNOWN, 22, 0);
    assert_fault("4c6e 00000001 00000000 00 | 4c61 01 00", GW_LEVIATHAN_FAULT_IDS_TRUNCATED, 14, 3);
}

TEST(input_of_4_gib_is_rejected_without_reading_it)
{
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

TEST(events_before_a_fault_remain_valid)
{
    assert_fault("4c6e 000003e9 00000000 02 | 28 00000001 000f | 28 00000002 03e7 abcd",
                 GW_LEVIATHAN_FAULT_REQUEST_UNKNOWN, 25, 0);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_REQUEST_TYPE, 0)->number, 15);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_REQUEST_TYPE, 1)->number, 999);
    assert_null(decoded.reader.message.type);
}

TEST(ids_before_one_that_is_truncated_are_read)
{
    assert_fault("4c61 03 000003e9 000003ea 0000", GW_LEVIATHAN_FAULT_IDS_TRUNCATED, 11, 2);
    const gw_leviathan_event *ids = event_of(GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, 0);
    assert_int_equal(ids->payload.length, 8);
    assert_int_equal(gw_be32(input + ids->payload.offset + 4), 1002);
    assert_int_equal(ids->odd, 0);
    assert_fault("4c61 03 000003ea 000003e9 0000", GW_LEVIATHAN_FAULT_IDS_TRUNCATED, 11, 2);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, 0)->odd, GW_LEVIATHAN_ODD_ACK_ONLY_IDS);
    assert_fault("4c61 02 00000000 0000", GW_LEVIATHAN_FAULT_IDS_TRUNCATED, 7, 2);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_ACK_ONLY_IDS, 0)->odd, GW_LEVIATHAN_ODD_ACK_ONLY_IDS);
}

TEST(each_fault_has_a_text_and_a_class)
{
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
