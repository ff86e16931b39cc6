/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Squirrel's faults, each with its offset and missing bytes; its tables.
 */
#include "reading.h"

/* ---- every fault, with its offset ---------------------------------------------------------------------- */

static const struct {
    const char *hex;
    gw_squirrel_fault code;
    gw_fault_class fault_class;
    uint32_t offset;
    uint64_t needed;
    uint32_t declared;
    uint32_t actual;
} faults[] = {
    { "", GW_SQUIRREL_FAULT_VALUE_MISSING, GW_FAULT_TRUNCATED, 0, 1, 0, 0 },
    { "680500000073000178", GW_SQUIRREL_FAULT_VALUE_MISSING, GW_FAULT_TRUNCATED, 9, 1, 0, 0 },
    { "69", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 4, 4, 0 },
    { "690102", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 2, 4, 2 },
    { "7300", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 1, 2, 1 },
    { "42000000", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 1, 4, 3 },
    { "6700", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 3, 4, 1 },
    { "67040000007300", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 5, 1, 2, 1 },
    { "7300056170", GW_SQUIRREL_FAULT_STRING_TRUNCATED, GW_FAULT_TRUNCATED, 0, 3, 5, 2 },
    { "420400000061", GW_SQUIRREL_FAULT_BLOB_TRUNCATED, GW_FAULT_TRUNCATED, 0, 3, 4, 1 },
    { "42ffffffff", GW_SQUIRREL_FAULT_BLOB_TRUNCATED, GW_FAULT_TRUNCATED, 0, 0xffffffff, 0xffffffff, 0 },
    { "6104000000770100", GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, GW_FAULT_TRUNCATED, 8, 1, 4, 3 },
    { "46ffffffff770100", GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, GW_FAULT_TRUNCATED, 8, 0xfffffffc, 0xffffffff, 3 },
    { "4103000000770100", GW_SQUIRREL_FAULT_COUNT_TRUNCATED, GW_FAULT_TRUNCATED, 8, 2, 3, 1 },
    { "54ffffffff770100", GW_SQUIRREL_FAULT_COUNT_TRUNCATED, GW_FAULT_TRUNCATED, 8, 0x1fffffffd, 0xffffffff, 0 },
    { "78", GW_SQUIRREL_FAULT_TAG_UNKNOWN, GW_FAULT_UNSUPPORTED, 0, 0, 0, 0 },
    { "410100000078", GW_SQUIRREL_FAULT_TAG_UNKNOWN, GW_FAULT_UNSUPPORTED, 5, 0, 0, 0 },
    { "6f00", GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER, GW_FAULT_MALFORMED, 1, 0, 0, 1 },
    { "67040000007300016100", GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER, GW_FAULT_MALFORMED, 9, 0, 0, 1 },
    { "67080000007300016173000162", GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER, GW_FAULT_MALFORMED, 9, 0, 0, 4 },
};

TEST(each_fault_has_its_code_class_offset_and_needed_bytes)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        test_bytes input = from_hex(faults[i].hex);
        gw_squirrel_summary summary;
        test_reading reading = read_all(faults[i].hex, NULL);
        gw_fault fault = reading.fault;
        assert_int_equal(fault.code, faults[i].code);
        assert_int_equal(fault.fault_class, faults[i].fault_class);
        assert_int_equal(fault.offset, faults[i].offset);
        assert_int_equal(fault.needed, faults[i].needed);
        assert_int_equal(reading.declared, faults[i].declared);
        assert_int_equal(reading.actual, faults[i].actual);
        assert_false(gw_squirrel_validate(input.bytes, input.length, NULL, &summary));
        assert_int_equal(summary.fault.code, faults[i].code);
    }
}

TEST(calls_after_a_fault_return_the_same_fault)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_init(&reader, (const uint8_t *)"x", 1, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_FAULT);
}

TEST(calls_after_the_end_return_the_end)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_init(&reader, (const uint8_t *)"o", 1, NULL);
    assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_EVENT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_END);
}

TEST(an_input_above_the_limit_is_not_read)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_init(&reader, NULL, (size_t)GW_LONGEST_INPUT + 1, NULL);
    assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_SQUIRREL_FAULT_TOO_LONG);
    assert_int_equal(reader.fault.offset, 0);
    assert_int_equal(reader.fault.needed, 0);
    assert_int_equal(reader.fault.fault_class, GW_FAULT_LIMIT);
    assert_false(gw_squirrel_validate(NULL, (size_t)GW_LONGEST_INPUT + 1, NULL, NULL));
}

TEST(an_integer_is_written_in_two_bytes_if_possible)
{
    static const int32_t numbers[] = { INT16_MIN - 1, INT16_MIN, INT16_MAX, INT16_MAX + 1 };
    static const size_t lengths[] = { 5, 3, 3, 5 };
    for (int i = 0; i < 4; i++) {
        gw_output output;
        gw_output_init(&output, NULL, 0);
        gw_squirrel_write_integer(&output, numbers[i]);
        assert_int_equal(output.length, lengths[i]);
    }
}

TEST(every_fault_has_a_text_and_a_class)
{
    for (uint32_t code = 1; code < GW_SQUIRREL_FAULTS; code++) {
        assert_true(strlen(gw_fault_text(&gw_squirrel_faults, code)) > 5);
        assert_int_not_equal(gw_fault_class_of(&gw_squirrel_faults, code), GW_FAULT_NONE);
    }
    assert_string_equal(gw_fault_text(&gw_squirrel_faults, GW_SQUIRREL_FAULTS), "Unknown fault");
    assert_int_equal(gw_fault_class_of(&gw_squirrel_faults, GW_SQUIRREL_FAULTS), GW_FAULT_NONE);
}

TEST(every_oddity_has_a_text)
{
    unsigned known = 0;
    for (unsigned bit = 0; bit < GW_SQUIRREL_ODDS; bit++)
        known += strcmp(gw_odd_text(&gw_squirrel_faults, UINT32_C(1) << bit), "Unknown oddity") != 0;
    assert_int_equal(known, 12);
    assert_string_equal(gw_odd_text(&gw_squirrel_faults, UINT32_C(1) << GW_SQUIRREL_ODDS), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_squirrel_faults, GW_SQUIRREL_ODD_BOOL),
                        "A bool that is neither 0 nor 1; the real reader reads it as true");
}

TEST(the_consequence_of_a_fault_describes_the_real_receiver)
{
    assert_string_equal(gw_fault_consequence(&gw_squirrel_faults, GW_SQUIRREL_FAULT_TAG_UNKNOWN),
                        "the real client reads null, the server fails");
    assert_null(gw_fault_consequence(&gw_squirrel_faults, GW_SQUIRREL_FAULT_BLOB_TRUNCATED));
    assert_null(gw_fault_consequence(&gw_squirrel_faults, GW_SQUIRREL_FAULTS));
}

/* ---- tables -------------------------------------------------------------------------------------------- */

TEST(each_tag_has_its_type)
{
    size_t count;
    const gw_squirrel_type *types = gw_squirrel_types(&count);
    assert_int_equal(count, 27);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(gw_squirrel_type_of(types[i].tag), &types[i]);
    unsigned known = 0;
    for (unsigned tag = 0; tag < 256; tag++)
        known += gw_squirrel_type_of((uint8_t)tag)->form != GW_SQUIRREL_FORM_UNKNOWN;
    assert_int_equal(known, count);
}

/* The tag sets of the real readers, from the specification. */
TEST(each_receiver_supports_its_tags)
{
    static const struct {
        uint8_t receiver;
        const char *tags;
    } receivers[] = {
        { GW_SQUIRREL_RECEIVER_CLIENT, "oifwvqsbABaTtghkjFE+-*/%ue" },
        { GW_SQUIRREL_RECEIVER_REPLY, "oifsbavetc"
                                      "wBAT" },
        { GW_SQUIRREL_RECEIVER_EXEC, "oiwfvqsbaBt"
                                     "gkhjFE+-*/%u" },
    };
    for (size_t i = 0; i < 3; i++)
        for (unsigned tag = 1; tag < 256; tag++)
            assert_int_equal(strchr(receivers[i].tags, (int)tag) != NULL,
                             (gw_squirrel_type_of((uint8_t)tag)->receivers & receivers[i].receiver) != 0);
}
