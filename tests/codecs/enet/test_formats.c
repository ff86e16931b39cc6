/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Formats of ENet's versions and forks, each with a CONNECT and a message: headers are read and written back, and a
 * CONNECT shows its format. The beginnings for ENet 1.2, ENet-CSharp and Growtopia are those of real hosts; the others
 * are made from the layouts of the libraries' headers.
 */
#include <stdio.h>

#include <gamewire/bytes.h>
#include <gamewire/enet.h>

#include "testing.h"

#define PORT 41004

#define LIMITS         "00008000 00000003 00000000 00000000 00001388 00000002 00000002"
#define CONNECT        "82ff0001 0000 ffff 00000500 " LIMITS " 010b5747 00000000"
#define CONNECT_LEAGUE "82ff0001 00 00 03e4 " LIMITS " 01 000000"
#define CONNECT_1_2    "82ff0001 0000 0578 " LIMITS " bf7b9276"
#define RELIABLE       "86000001 0003 616263"

typedef struct example {
    gw_enet_format_number format;
    uint8_t length;      /* of the header of the CONNECT */
    const char *connect; /* NULL: not recognized by it, as another row has the same */
    const char *header;  /* of a message */
    uint16_t peer;
    uint32_t session;
} example;

static const example examples[] = {
    { GW_ENET_CSHARP, 4, "4fff 0001 " CONNECT, "6005 1234", 5, 2 },
    { GW_ENET_GROWTOPIA, 10, "60d4 c0f8 d35d 8fff bb8a " CONNECT, "60d4 c0f8 d35d a005 1234", 5, 2 },
    { GW_ENET_1_2, 8, "bf7b9276 ffff b717 " CONNECT_1_2, "bf7b9276 8005 1234", 5, 0xbf7b9276 },
    { GW_ENET_LEAGUE_3, 4, "01 ff 1234 " CONNECT_LEAGUE, "01 85 1234", 5, 1 },
    { GW_ENET_LEAGUE_4_20, 8, "cafef00d 01 ff 1234 " CONNECT_LEAGUE, "cafef00d 01 85 1234", 5, 1 },
    { GW_ENET_LEAGUE_8_CLIENT, 12, "cafef00d 8badf00d 01 ff 1234 " CONNECT_LEAGUE, "cafef00d 8badf00d 01 85 1234", 5,
      1 },
    { GW_ENET_LEAGUE_8_SERVER, 4, NULL, "01 85 1234", 5, 1 },
    { GW_ENET_MORE_PEERS, 5, "a7ff 1234 1f " CONNECT, "b005 1234 01", 0x0805, 2 },
    { GW_ENET_6, 6, "8fff 1234 0000 " CONNECT, "a005 1234 0000", 5, 2 },
};

#define EXAMPLES (sizeof examples / sizeof *examples)

static uint8_t input[256];
static size_t length;

static void add_hex(const char *hex)
{
    for (; *hex; hex++) {
        unsigned byte;
        if (*hex == ' ')
            continue;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        input[length++] = (uint8_t)byte;
        hex++;
    }
}

static void set_message(const example *row)
{
    length = 0;
    add_hex(row->header);
    add_hex(RELIABLE);
}

static gw_enet_options options_of(const example *row)
{
    const gw_enet_format *format = &gw_enet_formats[row->format];
    return (gw_enet_options){ .format = format, .checksum = format->checksum_always, .port = PORT };
}

static const gw_enet_format *format_of_connect(const char *hex, uint16_t port, gw_enet_options *options)
{
    length = 0;
    add_hex(hex);
    return gw_enet_format_of_connect(input, length, port, options);
}

/* CRC-64 (Jones), reflected, all bits inverted before and after: bit by bit. */
static uint64_t crc_64(const uint8_t *bytes, size_t size)
{
    uint64_t state = UINT64_MAX;
    while (size--) {
        state ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            state = state >> 1 ^ (state & 1 ? UINT64_C(0x95AC9329AC4BC9B5) : 0);
    }
    return ~state;
}

TEST(headers_are_read_and_written_back)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        const gw_enet_options options = options_of(&examples[i]);
        gw_enet_header header;
        uint8_t written[16];
        gw_output output;
        set_message(&examples[i]);
        assert_true(gw_enet_read_header(input, length, &options, &header));
        assert_int_equal(header.peer, examples[i].peer);
        assert_int_equal(header.session, examples[i].session);
        assert_int_equal(header.sent_time, 0x1234);
        assert_int_equal(header.length, length - 9);
        assert_true(header.has_peer && header.has_sent_time && !header.is_compressed && !header.is_encrypted);
        gw_output_init(&output, written, sizeof written);
        gw_enet_write_header(&output, options.format, &header);
        assert_int_equal(output.length, header.length);
        assert_memory_equal(written, input, header.length);
    }
}

TEST(messages_are_read)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        const gw_enet_options options = options_of(&examples[i]);
        gw_enet_summary summary;
        set_message(&examples[i]);
        assert_true(gw_enet_validate(input, length, &options, &summary));
        assert_int_equal(summary.odd, 0);
        assert_int_equal(summary.commands, 1);
    }
}

TEST(faults_have_their_offsets)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        const gw_enet_options options = options_of(&examples[i]);
        gw_enet_summary summary;
        set_message(&examples[i]);
        size_t before = length - 9;
        assert_false(gw_enet_validate(input, before - 1, &options, &summary));
        assert_int_equal(summary.fault.code, GW_ENET_FAULT_HEADER_TRUNCATED);
        assert_false(gw_enet_validate(input, length - 1, &options, &summary));
        assert_int_equal(summary.fault.code, GW_ENET_FAULT_PAYLOAD_TRUNCATED);
        input[before] = options.format->last_command + 1;
        assert_false(gw_enet_validate(input, length, &options, &summary));
        assert_int_equal(summary.fault.code, GW_ENET_FAULT_COMMAND_UNKNOWN);
        assert_int_equal(summary.fault.offset, before);
    }
}

TEST(a_connect_shows_its_format)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        gw_enet_options options;
        gw_enet_summary summary;
        if (!examples[i].connect)
            continue;
        const gw_enet_format *format = format_of_connect(examples[i].connect, PORT, &options);
        assert_ptr_equal(format, &gw_enet_formats[examples[i].format]);
        assert_int_equal(options.checksum, format->checksum_always);
        assert_int_equal(length, (size_t)examples[i].length + format->connect->size);
        assert_true(gw_enet_validate(input, length, &options, &summary));
        assert_int_equal(summary.odd, 0);
        assert_null(gw_enet_format_of_connect(input, length - 1, PORT, &options));
        input[examples[i].length + 3] = 2; /* another sequence number */
        assert_null(gw_enet_format_of_connect(input, length, PORT, &options));
    }
}

TEST(the_port_of_growtopia_is_that_of_the_datagram)
{
    gw_enet_options options;
    assert_null(format_of_connect("60d4 c0f8 d35d 8fff bb8a " CONNECT, PORT + 1, &options));
}

TEST(the_session_of_1_2_is_that_of_the_connect)
{
    gw_enet_options options;
    assert_null(format_of_connect("bf7b9277 ffff b717 " CONNECT_1_2, PORT, &options));
}

TEST(a_checksum_of_eight_bytes_covers_the_connect)
{
    gw_enet_options options;
    uint8_t covered[128];
    length = 0;
    add_hex("4fff 0001 00000000 00000000 " CONNECT);
    memcpy(covered, input, length); /* eight zeros are in the checksum's place */
    uint64_t checksum = crc_64(covered, length);
    gw_store_be32(input + 4, (uint32_t)(checksum >> 32));
    gw_store_be32(input + 8, (uint32_t)checksum);
    assert_ptr_equal(gw_enet_format_of_connect(input, length, PORT, &options), &gw_enet_formats[GW_ENET_CSHARP]);
    assert_true(options.checksum);
    const gw_enet_covered parts = { input, input + 12, 4, length - 12 };
    assert_true(gw_enet_checksum(GW_ENET_CRC_64, &parts, 0) == checksum);
    uint32_t id;
    assert_true(gw_enet_connect_id_of(GW_ENET_CRC_64, &parts, checksum, &id));
    assert_int_equal(id, 0);
    assert_false(gw_enet_connect_id_of(GW_ENET_CRC_64, &parts, checksum ^ 1, &id));
    input[length - 1] ^= 1;
    assert_null(gw_enet_format_of_connect(input, length, PORT, &options));
}

TEST(each_format_has_its_own_evidence)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        gw_enet_options options = options_of(&examples[i]);
        gw_recognition recognition;
        set_message(&examples[i]);
        assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
        assert_int_not_equal(recognition.bits, 0);
        if (!examples[i].connect)
            continue;
        length = 0;
        add_hex(examples[i].connect);
        options = options_of(&examples[i]);
        assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
        assert_true(recognition.bits >= 64);
    }
}

TEST(a_wrong_session_or_peer_of_1_2_is_no_evidence)
{
    const gw_enet_options options = { .format = &gw_enet_formats[GW_ENET_1_2] };
    gw_recognition recognition;
    length = 0;
    add_hex("bf7b9277 ffff b717 " CONNECT_1_2);
    assert_false(gw_enet_recognize(input, length, length, &options, &recognition));
    length = 0;
    add_hex("bf7b9276 8400 b75e " RELIABLE);
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    assert_int_equal(recognition.bits, 0);
}

TEST(other_datagrams_show_no_format)
{
    gw_enet_options options;
    assert_null(format_of_connect("4fff 0001", PORT, &options));
    assert_null(format_of_connect("4fff 0001 " CONNECT CONNECT, PORT, &options));
    assert_non_null(format_of_connect("4fff 0001 " CONNECT, PORT, &options));
    input[4] = 0x83;
    assert_null(gw_enet_format_of_connect(input, length, PORT, &options));
    /* The usual format, ENet 1.3, is not looked for. */
    assert_null(format_of_connect("8fff 0001 " CONNECT, PORT, &options));
}

/* 0x0f is no command, wherever a format has the first one. */
TEST(other_datagrams_are_of_no_format)
{
    gw_recognition recognition;
    length = 0;
    add_hex("0f0f0f0f 0f0f0f0f 0f0f0f0f 0f0f0f0f 0f0f0f0f 0f0f0f0f 0f0f0f0f 0f0f0f0f");
    for (int number = 0; number < GW_ENET_FORMATS; number++)
        for (int checksum = 0; checksum < 2; checksum++) {
            const gw_enet_options options = { .format = &gw_enet_formats[number], .checksum = checksum };
            assert_false(gw_enet_recognize(input, length, length, &options, &recognition));
        }
}

TEST(encrypted_commands_are_one_item)
{
    const gw_enet_options options = { .format = &gw_enet_formats[GW_ENET_6] };
    gw_enet_reader reader;
    gw_enet_event event;
    gw_enet_summary summary;
    gw_recognition recognition;
    char line[128];
    gw_text text;
    length = 0;
    add_hex("a005 1234 0010 0badf00d");
    gw_enet_init(&reader, input, length, &options);
    for (int i = 0; i < 2; i++)
        assert_int_equal(gw_enet_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.role, GW_ENET_ROLE_ENCRYPTED);
    assert_int_equal(event.payload.offset, 6);
    assert_int_equal(event.payload.length, 4);
    assert_int_equal(gw_enet_next(&reader, &event), GW_NEXT_END);
    assert_true(gw_enet_validate(input, length, &options, &summary) && summary.compressed);
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    assert_int_equal(recognition.bits, 0);
    gw_text_init(&text, line, sizeof line);
    gw_enet_print(&text, input, length, &options);
    assert_string_equal(line, "Encrypted len=4");
}

/* Reads the header's event. `reader`: stays after it. */
static gw_enet_event read_header_of(gw_enet_reader *reader, size_t captured, const gw_enet_options *options)
{
    gw_enet_event event;
    gw_enet_init(reader, input, captured, options);
    assert_int_equal(gw_enet_next(reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.role, GW_ENET_ROLE_HEADER);
    return event;
}

TEST(the_parts_of_a_header_are_the_fields_that_it_has)
{
    /* Of ENet-CSharp: a checksum of eight bytes, of which the number has the low half, and no sent time. */
    static const struct {
        gw_enet_role role;
        uint32_t offset, length, number;
    } parts[] = { { GW_ENET_ROLE_WORD, 0, 2, 0x2005 }, { GW_ENET_ROLE_CHECKSUM, 2, 8, 0x0badf00d } };
    const gw_enet_options options = { .format = &gw_enet_formats[GW_ENET_CSHARP], .checksum = true };
    gw_enet_reader reader;
    gw_enet_part part = { 0 };
    length = 0;
    add_hex("2005 cafef00d0badf00d 05ff0001");
    const gw_enet_event event = read_header_of(&reader, length, &options);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_true(gw_enet_next_part(&reader, &event, &part));
        assert_int_equal(part.field->role, parts[i].role);
        assert_int_equal(part.span.offset, parts[i].offset);
        assert_int_equal(part.span.length, parts[i].length);
        assert_int_equal(part.number, parts[i].number);
    }
    assert_false(gw_enet_next_part(&reader, &event, &part));
    assert_int_equal(reader.header.checksum, UINT64_C(0xcafef00d0badf00d));
}

TEST(a_masked_port_is_odd_by_itself)
{
    gw_enet_options options = options_of(&examples[1]);
    gw_enet_reader reader;
    gw_enet_part part = { 0 };
    options.port = PORT + 1;
    set_message(&examples[1]);
    gw_enet_event event = read_header_of(&reader, length, &options);
    assert_int_equal(event.odd, GW_ENET_ODD_MASKED_PORT);
    while (gw_enet_next_part(&reader, &event, &part))
        assert_int_equal(part.odd, part.field->role == GW_ENET_ROLE_MASKED_PORT ? GW_ENET_ODD_MASKED_PORT : 0);
    /* The input has not all of the number. */
    event = read_header_of(&reader, 3, &options);
    assert_true(event.is_cut);
    assert_int_equal(event.odd, 0);
    assert_int_equal(event.payload.length, 2);
    assert_int_equal(reader.fault.offset, 2);
    assert_int_equal(reader.fault.needed, 1);
}

TEST(a_masked_port_may_be_wrong)
{
    gw_enet_options options = options_of(&examples[1]);
    gw_enet_summary summary;
    set_message(&examples[1]);
    options.port = 0;
    assert_true(gw_enet_validate(input, length, &options, &summary));
    assert_int_equal(summary.odd, 0);
    options.port = PORT + 1;
    assert_true(gw_enet_validate(input, length, &options, &summary));
    assert_int_equal(summary.odd, GW_ENET_ODD_MASKED_PORT);
    /* A key that is higher than the port. */
    length = 0;
    add_hex("f000 502c d35d a005 1234 " RELIABLE);
    options.port = PORT;
    assert_true(gw_enet_validate(input, length, &options, &summary));
    assert_int_equal(summary.odd, GW_ENET_ODD_MASKED_PORT);
}

/* Of the first `captured` bytes of the input. */
static bool peek(size_t captured, const gw_enet_options *options, gw_enet_beginning *beginning)
{
    gw_enet_header header;
    gw_enet_read_header(input, captured, options, &header);
    return gw_enet_peek(input, captured, options, &header, beginning);
}

TEST(a_beginning_has_a_header_and_a_command)
{
    gw_enet_beginning beginning;
    for (size_t i = 0; i < EXAMPLES; i++) {
        const gw_enet_options options = options_of(&examples[i]);
        set_message(&examples[i]);
        assert_true(peek(length, &options, &beginning));
        gw_enet_header header;
        gw_enet_read_header(input, length, &options, &header);
        assert_int_equal(header.peer, examples[i].peer);
        assert_true(beginning.has_command && beginning.is_written && !beginning.acks_zero);
        assert_false(peek(length - 9, &options, &beginning));
        assert_false(peek(length - 10, &options, &beginning));
        input[length - 9] = 0x30;
        assert_true(peek(length, &options, &beginning) && !beginning.has_command);
        input[length - 9] = 0x06;
        assert_true(peek(length, &options, &beginning) && beginning.has_command && !beginning.is_written);
        input[length - 9] = 0x0d;
        assert_true(peek(length, &options, &beginning) && !beginning.has_command);
    }
    static const struct {
        const char *hex;
        bool acks_zero;
    } acks[] = { { "0001 01000000 0000 1234", true },
                 { "0001 01000000 0001 1234", false },
                 { "4001 01000000 0000 1234", false },
                 { "0001 01000000", false } };
    for (size_t i = 0; i < sizeof acks / sizeof *acks; i++) {
        length = 0;
        add_hex(acks[i].hex);
        assert_true(peek(length, NULL, &beginning));
        assert_int_equal(beginning.acks_zero, acks[i].acks_zero);
    }
}

/* protocol.c of 1.2, lines 1059 to 1062: neither 1.2 nor the forks of it set the number of the header, which is that of the
 * command that was in this place before. */
TEST(acks_of_1_2_have_no_number_in_their_header)
{
    static const gw_enet_format_number numbered[] = { GW_ENET_1_3, GW_ENET_CSHARP, GW_ENET_GROWTOPIA };
    static const gw_enet_format_number others[] = { GW_ENET_1_2, GW_ENET_LEAGUE_3, GW_ENET_LEAGUE_4_20,
                                                    GW_ENET_LEAGUE_8_CLIENT, GW_ENET_LEAGUE_8_SERVER };
    const gw_enet_options options = { .format = &gw_enet_formats[GW_ENET_1_2] };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(gw_enet_formats[others[i]].acks_unnumbered);
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        assert_false(gw_enet_formats[numbered[i]].acks_unnumbered);
    gw_enet_summary summary;
    length = 0;
    add_hex("bf7b9276 0005 01000007 0001 1234");
    assert_true(gw_enet_validate(input, length, &options, &summary));
    assert_int_equal(summary.odd, 0);
}

TEST(texts_are_those_of_the_format)
{
    const gw_enet_options options = { .format = &gw_enet_formats[GW_ENET_1_2] };
    char line[128];
    gw_text text;
    length = 0;
    add_hex("bf7b9276 8000 b718 83ff0001 0000 0578 " LIMITS);
    gw_text_init(&text, line, sizeof line);
    gw_enet_print(&text, input, length, &options);
    assert_non_null(strstr(line, "mtu=1400"));
    assert_null(strstr(line, "id="));
}

/* Session id and peer id of 1.2 may be read as the header, the sent time and a checksum of 1.3. */
TEST(datagrams_of_1_2_are_no_evidence_for_1_3)
{
    static const char *const datagrams[] = {
        "bf7b9276 8000 b75e 86000001 0003 616263",
        "bf7b9276 8000 b7eb 88000008 0007 0004 00000003 00000001 0000000a 00000004 61626364",
        "3a4edb47 0000 01000001 0001 b75e",
        "3a4edb47 0000 07010000 0001 0003 616263",
    };
    static const char *const impossible[] = { "bf7b9276 ffff b717 " CONNECT_1_2,
                                              "bf7b9276 8000 b718 83ff0001 0000 0578 " LIMITS };
    gw_recognition recognition;
    for (size_t i = 0; i < sizeof datagrams / sizeof *datagrams; i++) {
        length = 0;
        add_hex(datagrams[i]);
        assert_true(gw_enet_recognize(input, length, length, NULL, &recognition));
        assert_int_equal(recognition.readings, GW_ENET_READING_CHECKSUM);
        assert_int_equal(recognition.bits, 0);
    }
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        length = 0;
        add_hex(impossible[i]);
        assert_false(gw_enet_recognize(input, length, length, NULL, &recognition));
    }
    /* A peer id that 1.2 does not have. */
    length = 0;
    add_hex("bf7b9276 9000 b75e 86000001 0003 616263");
    assert_true(gw_enet_recognize(input, length, length, NULL, &recognition));
    assert_int_equal(recognition.bits, 4 + 10 + 2 - 4);
}
