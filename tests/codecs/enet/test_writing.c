/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's checksums, printing and writing.
 */
#include "decoding.h"

/* ---- checksums ---------------------------------------------------------------------------------------------- */

/* The check value of CRC-32/ISO-HDLC, "123456789", with its four middle bytes as the connect id. */
TEST(the_checksum_is_crc_32)
{
    const uint8_t *text = (const uint8_t *)"123456789";
    const gw_enet_covered middle = { text, text + 6, 2, 3 }, later = { text, text + 8, 4, 1 };
    uint32_t id;
    assert_int_equal(gw_enet_checksum(GW_ENET_CRC_32, &middle, 0x33343536), 0xCBF43926);
    assert_true(gw_enet_connect_id_of(GW_ENET_CRC_32, &middle, 0xCBF43926, &id));
    assert_int_equal(id, 0x33343536);
    assert_true(gw_enet_connect_id_of(GW_ENET_CRC_32, &later, 0xCBF43926, &id));
    assert_int_equal(id, 0x35363738);
}

TEST(a_connect_with_its_checksum_is_recognized)
{
    gw_recognition recognition;
    gw_enet_options options = { .checksum = true };
    set_input(CONNECT);
    memmove(input + 8, input + 4, length - 4);
    length += 4;
    const gw_enet_covered covered = { input, input + 8, 4, length - 8 };
    gw_store_be32(input + 4, (uint32_t)gw_enet_checksum(GW_ENET_CRC_32, &covered, 0));
    assert_true(gw_enet_recognize(input, length, length, NULL, &recognition));
    assert_int_equal(recognition.readings, GW_ENET_READING_CHECKSUM);
    assert_true(recognition.bits >= 64 + 24);
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    options.checksum = false;
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    assert_int_equal(recognition.readings, GW_ENET_READING_CHECKSUM);
    /* Bytes that were not captured are covered by the checksum. */
    assert_false(gw_enet_recognize(input, length, length + 4, NULL, &recognition));
    input[4] ^= 1;
    assert_false(gw_enet_recognize(input, length, length, NULL, &recognition));
}

TEST(a_checksum_is_weaker_evidence_without_connect)
{
    gw_recognition recognition = recognize_hex("8001 1234 cafef00d | 85 ff 0005");
    assert_int_equal(recognition.bits, 16 - 4);
    assert_int_equal(recognition.readings, GW_ENET_READING_CHECKSUM);
    assert_int_equal(recognize_hex("0001 cafef00d | 01 00 0005 0006 1234").bits, 0);
}

/* ---- printing ----------------------------------------------------------------------------------------------- */

TEST(datagrams_are_printed_in_one_line)
{
    assert_printed("8001 1234 | 86 01 000c 0003 616263 | 01 00 0005 0005 1234",
                   "Reliable ch=1 seq=12 len=3, Ack ch=0 seq=5");
    assert_printed(CONNECT, "Connect peer=0 channels=3 mtu=1400 id=0x010b5747 data=2023");
    assert_printed(VERIFY_CONNECT, "Verify connect peer=5 channels=3 mtu=1400 id=0x010b5747");
    assert_printed("8001 1234 | 84 ff 0009 0000002a", "Disconnect data=42");
    assert_printed("8001 1234 | 85 ff 0005", "Ping seq=5");
    assert_printed("0001 | 07 02 000c 0004 0001 78", "Unreliable ch=2 seq=12.4 len=1");
    assert_printed("0001 | 49 03 0000 0007 0000", "Unsequenced ch=3 group=7 len=0");
    assert_printed(FRAGMENT, "Fragment ch=0 seq=8 part=2/3 len=4");
    assert_printed("0001 | 0c 00 0008 0007 0004 00000003 00000001 0000000a 00000004 61626364",
                   "Unreliable fragment ch=0 seq=8.7 part=2/3 len=4");
    assert_printed("8001 1234 | 8a ff 0009 00001000 00002000", "Bandwidth limit in=4096 out=8192");
    assert_printed("8001 1234 | 8b ff 000a 00001388 00000002 00000003",
                   "Throttle interval=5000 acceleration=2 deceleration=3");
    assert_printed("c001 1234 | 01020304 05", "Compressed len=5");
    assert_printed("8001 1234 | 85 ff 0005 | 00", "Ping seq=5 [Unknown command]");
    assert_printed("80", "[The datagram ends within its header]");
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

TEST(commands_are_written_as_they_were_read)
{
    static const char *const datagrams[] = {
        CONNECT,
        VERIFY_CONNECT,
        RELIABLE,
        FRAGMENT,
        "0001 | 01 00 0005 0005 1234 | 07 02 000c 0004 0001 78 | 49 03 0000 0007 0000",
        "8001 1234 | 8a ff 0009 00001000 00002000 | 8b ff 000a 00001388 00000002 00000003 | 84 ff 0009 0000002a",
        "0001 | 0c 00 0008 0007 0004 00000003 00000001 0000000a 00000004 61626364",
    };
    for (size_t i = 0; i < sizeof datagrams / sizeof *datagrams; i++) {
        uint8_t written[256];
        gw_output output;
        gw_enet_event event;
        set_input(datagrams[i]);
        gw_output_init(&output, written, sizeof written);
        gw_enet_init(&reader, input, length, NULL);
        while (gw_enet_next(&reader, &event) == GW_NEXT_EVENT)
            if (event.role == GW_ENET_ROLE_HEADER)
                gw_enet_write_header(&output, NULL, &reader.header);
            else
                gw_enet_write_command(&output, &event.command, input + event.payload.offset);
        assert_int_equal(output.length, length);
        assert_memory_equal(written, input, length);
    }
}

TEST(headers_are_written_with_a_checksum)
{
    uint8_t written[8];
    const gw_enet_header header = { .word = 0x8001, .sent_time = 0x1234, .checksum = 0xcafef00d, .has_checksum = true };
    gw_output output;
    gw_output_init(&output, written, sizeof written);
    gw_enet_write_header(&output, NULL, &header);
    assert_int_equal(output.length, 8);
    assert_memory_equal(written, "\x80\x01\x12\x34\xca\xfe\xf0\x0d", 8);
}

TEST(an_empty_input_needs_no_bytes)
{
    gw_enet_summary summary;
    gw_recognition recognition;
    assert_false(gw_enet_validate(NULL, 0, NULL, &summary));
    assert_false(gw_enet_recognize(NULL, 0, 0, NULL, &recognition));
    assert_false(gw_enet_may_begin(NULL, 0));
    assert_false(gw_enet_has_shape(NULL, 0, 0));
    assert_int_equal(gw_enet_range_first(NULL, 0), -1);
}

TEST(a_command_is_printed_by_its_number)
{
    char buffer[64];
    gw_text text;
    const gw_enet_command command = { .number = GW_ENET_DISCONNECT, .values[GW_ENET_ROLE_DATA] = 7 };
    gw_text_init(&text, buffer, sizeof buffer);
    gw_enet_print_command(&text, &command);
    assert_string_equal(buffer, "Disconnect data=7");
}
