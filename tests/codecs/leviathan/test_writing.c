/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Printing Leviathan's packets; random values written and read back.
 */
#include "decoding.h"

/* ---- printing ------------------------------------------------------------------------------------------ */

TEST(a_line_names_packet_messages_and_acks)
{
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

TEST(acks_are_printed_as_documented_with_that_option)
{
    char line[64];
    gw_text text;
    gw_leviathan_options options = { .acks = GW_LEVIATHAN_ACKS_AS_DOCUMENTED };
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_print(&text, input, from_hex("4c6e 000003ea 000003e9 01 03 01 | 28 00000002 000f"), &options);
    assert_string_equal(line, "1002  Request Echo #2, acks 1002-1003");
}

TEST(a_line_ends_with_the_fault)
{
    assert_printed("4c6e 000003e9 00000000 01", "1001 [The message count exceeds the packet]");
    assert_printed("4c65", "[Unknown packet type]");
}

TEST(numbers_above_custom_are_printed_as_in_the_engine)
{
    assert_printed("4c6e 000003e9 00000000 01 | 28 00000001 00ff ab",
                   "1001  Request Custom(+238) #1 [Unknown request type: later bytes cannot be split]");
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

TEST(written_values_are_read_back)
{
    for (unsigned long i = round_trips(); i; i--) {
        if (i % 4)
            random_message_comes_back();
        else
            random_acks_come_back();
    }
}

TEST(ack_only_packets_are_written)
{
    static const uint32_t ids[] = { 1001, 1002, 1003 };
    static const uint8_t expected[] = { 0x4C, 0x61, 3, 0, 0, 3, 0xE9, 0, 0, 3, 0xEA, 0, 0, 3, 0xEB };
    gw_output output;
    gw_output_init(&output, input, sizeof input);
    gw_leviathan_write_ack_only(&output, ids, 3);
    assert_int_equal(output.length, sizeof expected);
    assert_memory_equal(input, expected, sizeof expected);
}

TEST(acks_too_far_above_the_first_are_omitted)
{
    static const uint32_t ids[] = { 1, 2040, 2041 };
    gw_output output;
    gw_output_init(&output, input, sizeof input);
    gw_leviathan_write_packet(&output, 7, ids, 3, GW_LEVIATHAN_ACKS_AS_ENGINE, 0);
    decode(output.length, GW_LEVIATHAN_SINCE_2018_12_09);
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_ACK_COUNT), 255);
    assert_int_equal(input[11 + 254], 0x80);
}

/* Two messages, of which the second ends inside its number; an ack-only block that lacks its last id. */
TEST(a_summary_counts_what_was_read_to_its_end)
{
    gw_leviathan_summary summary;
    size_t length = from_hex("4c6e 000003e9 00000000 02 | 28 00000001 000f | 28 0000");
    assert_false(gw_leviathan_validate(input, length, NULL, &summary));
    assert_int_equal(summary.messages, 1);
    length = from_hex("4c6e 000003e9 00000000 01 | 28 00000001 000f | 4c61 01 000003e9 | 4c61 01 0000");
    assert_false(gw_leviathan_validate(input, length, NULL, &summary));
    assert_int_equal(summary.messages, 1);
    assert_int_equal(summary.blocks, 1);
}

TEST(an_empty_input_needs_no_bytes)
{
    gw_leviathan_summary summary;
    gw_recognition recognition;
    assert_false(gw_leviathan_validate(NULL, 0, NULL, &summary));
    assert_int_equal(summary.fault.needed, 2);
    assert_false(gw_leviathan_recognize(NULL, 0, 0, NULL, &recognition));
    assert_false(gw_leviathan_may_begin(NULL, 0));
}
