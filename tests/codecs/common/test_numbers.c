/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bytes to numbers and back, valid UTF-8, and output that counts what does not fit.
 */
#include <gamewire/bytes.h>
#include <gamewire/output.h>

#include "hex.h"
#include "testing.h"

static const uint8_t counted[] = { 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88 };

TEST(numbers_of_either_byte_order)
{
    assert_int_equal(gw_le16(counted), 0x8281);
    assert_int_equal(gw_be16(counted), 0x8182);
    assert_int_equal(gw_le32(counted), 0x84838281);
    assert_int_equal(gw_be32(counted), 0x81828384);
    assert_true(gw_le64(counted) == UINT64_C(0x8887868584838281));
    assert_true(gw_be64(counted) == UINT64_C(0x8182838485868788));
}

TEST(numbers_of_ieee_754)
{
    const uint8_t single[] = { 0x00, 0x00, 0xC0, 0x3F };
    const uint8_t twice[] = { 0, 0, 0, 0, 0, 0, 0x02, 0xC0 };
    assert_true(gw_le_float(single) == 1.5f);
    assert_true(gw_le_double(twice) == -2.25);
    assert_int_equal(gw_float_bits(1.5f), 0x3FC00000);
    assert_true(gw_double_bits(-2.25) == UINT64_C(0xC002000000000000));
}

/* ---- output -------------------------------------------------------------------------------------------- */

TEST(bytes_are_appended_in_order)
{
    uint8_t bytes[64];
    gw_output output;
    gw_output_init(&output, bytes, sizeof bytes);
    gw_put_u8(&output, 1);
    gw_put_le16(&output, 0x0203);
    gw_put_be16(&output, 0x0405);
    gw_put_le32(&output, 0x06070809);
    gw_put_be32(&output, 0x0a0b0c0d);
    gw_put_le64(&output, UINT64_C(0x1112131415161718));
    gw_put_be64(&output, UINT64_C(0x1112131415161718));
    gw_put_le_float(&output, 1.5f);
    gw_put_le_double(&output, -2.25);
    gw_put_bytes(&output, "ab", 2);
    gw_put_zeros(&output, 2);
    assert_true(gw_output_complete(&output));
    assert_hex_equal(
        bytes, output.length,
        "01 0302 0405 09080706 0a0b0c0d 1817161514131211 1112131415161718 0000c03f 00000000000002c0 6162 0000");
}

TEST(output_that_fits_exactly_is_complete)
{
    uint8_t bytes[5] = { 0, 0, 0, 0, 0xEE };
    gw_output output;
    gw_output_init(&output, bytes, 4);
    gw_put_le32(&output, 0x04030201);
    assert_true(gw_output_complete(&output));
    gw_put_u8(&output, 5);
    assert_false(gw_output_complete(&output));
    assert_int_equal(output.length, 5);
    assert_hex_equal(bytes, 5, "01020304ee");
}

TEST(nothing_is_written_after_bytes_that_do_not_fit)
{
    uint8_t bytes[4] = { 0xEE, 0xEE, 0xEE, 0xEE };
    gw_output output;
    gw_output_init(&output, bytes, 3);
    gw_put_le16(&output, 0x0201);
    gw_put_le32(&output, 0);
    gw_put_u8(&output, 9);
    assert_int_equal(output.length, 7);
    assert_hex_equal(bytes, 4, "0102eeee");
}

TEST(every_put_counts_without_a_buffer)
{
    gw_output output;
    gw_output_init(&output, NULL, 0);
    assert_true(gw_output_complete(&output));
    gw_put_u8(&output, 1);
    gw_put_le16(&output, 1);
    gw_put_be16(&output, 1);
    gw_put_le32(&output, 1);
    gw_put_be32(&output, 1);
    gw_put_le64(&output, 1);
    gw_put_be64(&output, 1);
    gw_put_le_float(&output, 1);
    gw_put_le_double(&output, 1);
    gw_put_bytes(&output, "abc", 3);
    gw_put_zeros(&output, 3);
    assert_int_equal(output.length, 1 + 2 + 2 + 4 + 4 + 8 + 8 + 4 + 8 + 3 + 3);
    assert_false(gw_output_complete(&output));
}

TEST(zero_bytes_may_be_written)
{
    uint8_t bytes[1] = { 0xEE };
    gw_output output;
    gw_output_init(&output, bytes, 1);
    gw_put_bytes(&output, NULL, 0);
    gw_put_zeros(&output, 0);
    assert_int_equal(output.length, 0);
    assert_int_equal(bytes[0], 0xEE);
}

/* ---- UTF-8, at the borders of RFC 3629 ----------------------------------------------------------------- */

static const struct {
    const char *hex;
    uint32_t length; /* of the first sequence; 0: invalid */
} sequences[] = {
    { "00", 1 },          { "7f", 1 },          { "80", 0 },          { "bf", 0 },          { "c0 80", 0 },
    { "c1 bf", 0 },       { "c2 80", 2 },       { "c2 7f", 0 },       { "c2 c0", 0 },       { "df bf", 2 },
    { "e0 9f bf", 0 },    { "e0 a0 80", 3 },    { "e0 bf bf", 3 },    { "e0 c0 80", 0 },    { "e1 80 80", 3 },
    { "e1 7f 80", 0 },    { "ec bf bf", 3 },    { "ed 7f 80", 0 },    { "ed 80 80", 3 },    { "ed 9f bf", 3 },
    { "ed a0 80", 0 },    { "ed bf bf", 0 },    { "ee 80 80", 3 },    { "ef bf bf", 3 },    { "ef bf c0", 0 },
    { "ef bf 7f", 0 },    { "f0 8f bf bf", 0 }, { "f0 90 80 80", 4 }, { "f0 bf bf bf", 4 }, { "f0 c0 80 80", 0 },
    { "f1 80 80 80", 4 }, { "f3 bf bf bf", 4 }, { "f4 7f 80 80", 0 }, { "f4 80 80 80", 4 }, { "f4 8f bf bf", 4 },
    { "f4 90 80 80", 0 }, { "f5 80 80 80", 0 }, { "ff", 0 },          { "fe", 0 },          { "f1 80 80 c0", 0 },
    { "f1 80 7f 80", 0 }, { "c2", 0 },          { "e1 80", 0 },       { "f1 80 80", 0 },    { "", 0 },
};

TEST(sequences_of_utf_8)
{
    for (unsigned i = 0; i < COUNT_OF(sequences); i++) {
        size_t length;
        uint8_t *bytes = bytes_of_hex(sequences[i].hex, &length);
        if (gw_utf8_sequence(bytes, (uint32_t)length) != sequences[i].length)
            fail_msg("%s", sequences[i].hex);
        assert_int_equal(gw_utf8_prefix(bytes, (uint32_t)length), sequences[i].length);
        free(bytes);
    }
}

TEST(the_valid_prefix_ends_at_the_first_wrong_character)
{
    for (uint32_t at = 0; at < 40; at++) {
        uint8_t bytes[40];
        memset(bytes, 'a', sizeof bytes);
        assert_int_equal(gw_utf8_prefix(bytes, sizeof bytes), sizeof bytes);
        bytes[at] = 0xFF;
        assert_int_equal(gw_utf8_prefix(bytes, sizeof bytes), at);
        assert_int_equal(gw_utf8_prefix(bytes, at), at);
    }
}

TEST(a_long_character_may_be_at_any_offset)
{
    for (uint32_t at = 0; at + 4 <= 24; at++) {
        uint8_t bytes[24];
        memset(bytes, 'a', sizeof bytes);
        memcpy(bytes + at, "\xF0\x9F\x8E\xAE", 4);
        assert_int_equal(gw_utf8_prefix(bytes, sizeof bytes), sizeof bytes);
        assert_int_equal(gw_utf8_prefix(bytes, at + 3), at);
    }
}
