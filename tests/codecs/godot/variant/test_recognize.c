/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is recognized as a Variant, with how much evidence; and what is not.
 */
#include "captures.h"
#include "reading.h"

#include <stdio.h>

#include <gamewire/recognition.h>

#define IN_2   (1U << GW_GODOT_2)
#define IN_3   (1U << GW_GODOT_3)
#define IN_4   (1U << GW_GODOT_4)
#define IN_ALL (IN_2 | IN_3 | IN_4)

/* Recognizes the first `captured` bytes of the payload; all bytes if it is shorter. */
static gw_recognition recognize_cut(const char *hex, size_t captured)
{
    gw_recognition recognition;
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    size_t there = captured < length ? captured : length;
    uint8_t *exact = malloc(there ? there : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, there);
    bool possible = gw_godot_recognize(exact, there, length, NULL, &recognition);
    free(exact);
    free(bytes);
    assert_int_equal(possible, recognition.possible);
    assert_int_equal(possible, recognition.readings != 0);
    return recognition;
}

static gw_recognition recognize(const char *hex)
{
    return recognize_cut(hex, SIZE_MAX);
}

static void assert_bits(const char *hex, uint32_t bits, uint32_t readings)
{
    gw_recognition recognition = recognize(hex);
    if (!recognition.possible || recognition.unlikely)
        fail_msg("%s: %s", hex, recognition.possible ? "unlikely" : "not possible");
    if (recognition.bits != bits || recognition.readings != readings)
        fail_msg("%s: %u bits, readings %#x", hex, recognition.bits, recognition.readings);
}

static void assert_impossible(const char *hex)
{
    gw_recognition recognition = recognize(hex);
    if (recognition.possible || recognition.bits)
        fail_msg("%s: possible, %u bits", hex, recognition.bits);
}

static void assert_unlikely(const char *hex)
{
    gw_recognition recognition = recognize(hex);
    if (!recognition.possible || !recognition.unlikely || recognition.bits)
        fail_msg("%s: %d %d %u", hex, recognition.possible, recognition.unlikely, recognition.bits);
}

/* {"cmd": "move", "x": 7}, as PacketPeer.put_var() of Godot 4.6.3 writes it over WebSocket, and others like it. */
TEST(a_record_of_texts_and_numbers_is_proof)
{
    assert_bits("1b000000 02000000 04000000 03000000 636d6400 04000000 04000000 6d6f7665 04000000 01000000 78000000 "
                "02000000 07000000",
                48, IN_4);
    /* Without a text among the values, with a number as a key, and in an array. */
    assert_bits(
        "1b000000 02000000 04000000 03000000 636d6400 02000000 04000000 04000000 01000000 78000000 02000000 07000000",
        36, IN_4);
    assert_bits(
        "1b000000 02000000 04000000 03000000 636d6400 04000000 04000000 6d6f7665 02000000 01000000 02000000 07000000",
        38, IN_4);
    assert_bits("1c000000 04000000 04000000 03000000 636d6400 04000000 04000000 6d6f7665 04000000 01000000 78000000 "
                "02000000 07000000",
                32, IN_4);
}

static bool is_text_datagram(const char *hex, size_t captured)
{
    gw_recognition recognition = recognize_cut(hex, captured);
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    bool is_text = gw_godot_is_text_datagram(bytes, captured < length ? captured : length, length, &recognition);
    free(bytes);
    return is_text;
}

/* A data packet of WireGuard: 4, an index, a counter of 64 bits, encrypted bytes. */
TEST(a_text_of_the_length_of_a_packet_of_wireguard_is_none_of_its)
{
    /* {"token":4109009979.0} */
    static const char text[] = "04000000 16000000 7b22746f6b656e223a343130393030393937392e307d 0000";
    assert_true(is_text_datagram(text, SIZE_MAX));
    assert_false(is_text_datagram(text, 28));
    /* 28 bytes; padding, a control character, UTF-8, the type; a data packet */
    assert_false(is_text_datagram("04000000 14000000 7b22746f6b656e223a343130393030393937397d", SIZE_MAX));
    assert_false(is_text_datagram("04000000 16000000 7b22746f6b656e223a343130393030393937392e307d 0001", SIZE_MAX));
    assert_false(is_text_datagram("04000000 16000000 7b22746f6b656e223a343130390230393937392e307d 0000", SIZE_MAX));
    assert_false(is_text_datagram("04000000 16000000 7b22746f6b656e223a34313039ff30393937392e307d 0000", SIZE_MAX));
    assert_false(is_text_datagram("15000000 16000000 7b22746f6b656e223a343130393030393937392e307d 0000", SIZE_MAX));
    assert_false(is_text_datagram("04000000 18000000 0100000000000000 9f3c5a7be1d20c448877665544332211", SIZE_MAX));
}

/* ---- payloads that are not Variants -------------------------------------------------------------------- */

TEST(payloads_with_trailing_bytes_are_impossible)
{
    static const char *const rows[] = {
        "",
        "000000",
        "02000000",
        "02000000 01000000 00000000",
        "09000000 0000803f",
        "00000000 00000000",
        "04000000 05000000 68656c6c6f",
        "27000000 00000000",
        "61626364 65666768",
    };
    for (unsigned i = 0; i < COUNT_OF(rows); i++)
        assert_impossible(rows[i]);
}

TEST(header_bits_that_no_engine_writes_are_impossible_at_the_start)
{
    assert_impossible("02010000 01000000");
    assert_impossible("02001000 01000000");
    assert_impossible("02000001 01000000");
    assert_impossible("42000000 01000000");
}

TEST(lengths_are_multiples_of_four)
{
    static const uint8_t nil[16];
    gw_recognition recognition;
    assert_false(gw_godot_recognize(nil, 8, 4, NULL, &recognition));
    if (SIZE_MAX > UINT32_MAX)
        assert_false(gw_godot_recognize(nil, (size_t)UINT32_MAX + 5, (size_t)UINT32_MAX + 5, NULL, &recognition));
    assert_impossible("1d000000 01000000 41");
}

/* ---- payloads that other protocols send as well -------------------------------------------------------- */

TEST(integers_are_not_evidence_in_any_number)
{
    assert_bits("00000000", 0, IN_ALL);                                            /* nil */
    assert_bits("01000000 01000000", 0, IN_ALL);                                   /* bool */
    assert_bits("02000000 11000000", 0, IN_ALL);                                   /* int */
    assert_bits("02000100 0000000001000000", 0, IN_3 | IN_4);                      /* u8 2, 0, 1, 0, u64 time */
    assert_bits("06000000 01000000 02000000", 0, IN_4);                            /* Vector2i */
    assert_bits("0a000000 01000000 02000000 03000000", 0, IN_4);                   /* Vector3i */
    assert_bits("1e000000 02000000 07000000 08000000", 0, IN_4);                   /* PackedInt32Array */
    assert_bits("1d000000 04000000 61626364", 0, IN_4);                            /* PackedByteArray */
    assert_bits("1c000000 02000000 02000000 07000000 02000000 08000000", 0, IN_4); /* [7, 8] */
    assert_bits("1b000000 01000000 02000000 07000000 02000000 08000000", 0, IN_4); /* {7: 8} */
    assert_bits("1c000000 02000000 01000000 01000000 02000000 08000000", 0, IN_4); /* [true, 8] */
}

TEST(layouts_of_other_protocols_are_not_recognized)
{
    /* Zeros: [null, null, null] and {null: null, null: null}, which engines do not write. */
    assert_bits("13000000 03000000 00000000 00000000 00000000", 0, IN_3);
    assert_unlikely("12000000 02000000 00000000 00000000 00000000 00000000");
    /* A word and zeros, with the size of a vector. */
    assert_bits("05000000 00000000 00000000", 0, IN_ALL);
    assert_bits("09000000 00000000 00000000 00000000", 0, IN_4);
    assert_bits("0b000000 00000000 00000000 00000000 00000000 00000000 00000000", 0, IN_ALL);
    assert_bits("1c000000 00000000", 0, IN_2 | IN_4);
    /* u32 2, u32 counter */
    assert_bits("02000000 11000000", 0, IN_ALL);
    /* u32 20, 22 or 29, u32 length, bytes */
    assert_bits("14000000 08000000 0001020304050607", 0, IN_3);
    assert_bits("1d000000 08000000 0001020304050607", 0, IN_4);
    /* u32 25 or 36, u32 n, n times 12 bytes of small numbers: denormal floats */
    assert_unlikely("24000000 01000000 01000000 02000000 03000000");
    assert_unlikely("19000000 01000000 01000000 02000000 03000000");
    /* The same numbers as one vector. */
    assert_unlikely("09000000 01000000 02000000 03000000");
}

TEST(numbers_that_no_game_would_send_are_unlikely)
{
    assert_unlikely("05000000 0000803f 01000000");          /* denormal */
    assert_unlikely("05000000 0000803f 0000c07f");          /* NaN */
    assert_unlikely("05000000 0000803f ffff7f7f");          /* 3e38 */
    assert_unlikely("20000000 02000000 0000803f 01000000"); /* inside a packed array */
    assert_unlikely("1c000000 01000000 05000000 0000803f 01000000");
}

TEST(texts_of_control_characters_are_small_numbers)
{
    assert_unlikely("04000000 01000000 07000000");
    assert_unlikely("22000000 01000000 02000000 07000000");
    assert_bits("04000000 04000000 610a6209", 8, IN_ALL); /* line break and tab */
}

TEST(values_that_no_engine_writes_are_unlikely)
{
    static const char *const rows[] = {
        "01000000 02000000",                                                       /* a bool of 2 */
        "04000000 01000000 ff000000",                                              /* not UTF-8 */
        "04000000 03000000 61006200",                                              /* a NUL */
        "1c000100 02000000 01000000 04000000 01000000 61000000",                   /* a String in Array[int] */
        "1b000000 02000000 02000000 01000000 00000000 02000000 01000000 00000000", /* a key twice */
        "16000000 00000080 00000000 04000000",                                     /* flags of a NodePath */
        "10000000 04000000 61626364",                                              /* its old format, of Godot 2 */
    };
    for (unsigned i = 0; i < COUNT_OF(rows); i++)
        assert_unlikely(rows[i]);
}

TEST(values_that_no_engine_writes_are_odd_alone_without_structure)
{
    assert_true(recognize("01000000 02000000").is_odd_alone);
    assert_true(recognize("01000000 00010000").is_odd_alone);
    assert_true(recognize("07000100 0000803f 00000040 00004040").is_odd_alone); /* Vector3 has no such flag */
    assert_true(recognize("1c000000 02000000 01000000 02000000 02000000 07000000").is_odd_alone);
    assert_false(recognize("1c000000 02000000 01000000 02000000 04000000 01000000 61000000").is_odd_alone);
    assert_false(recognize("04000000 01000000 ff000000").is_odd_alone);
    assert_false(recognize("05000000 0000803f 01000000").is_odd_alone); /* denormal, which engines write */
    assert_false(recognize("01000000 01000000").is_odd_alone);
}

TEST(a_reading_without_oddities_has_precedence)
{
    /* PoolIntArray([0x01000061]), or &"a" with padding that Godot 4 zeroes. */
    assert_bits("15000000 01000000 61000001", 0, IN_3);
    /* A vector of denormal numbers in Godot 2, {null: 7} in Godot 4. */
    assert_bits("1b000000 01000000 00000000 02000000 07000000", 0, IN_4);
}

/* ---- evidence ------------------------------------------------------------------------------------------ */

TEST(ordinary_floats_have_two_bits_and_their_type_two)
{
    assert_bits("03000000 0000003f", 2, IN_ALL);
    assert_bits("05000000 0000c03f 000000c0", 6, IN_ALL);
    assert_bits("09000000 0000c03f 000000c0 0000f241", 8, IN_4);
    assert_bits("07000000 0000c03f 000000c0 0000f241", 8, IN_2 | IN_3);
    assert_bits("09000000 0000c03f 00000000 00000080", 4, IN_4); /* zeros are no evidence */
    assert_bits("03000100 9a9999999999b93f", 6, IN_3 | IN_4);    /* 0.1: the 64-bit flag counts four */
}

TEST(with_one_unusual_float_no_float_is_evidence)
{
    assert_bits("05000000 0000c03f 20bcbe4c", 0, IN_ALL); /* 1e8 */
    assert_bits("03000000 20bcbe4c", 0, IN_ALL);
    assert_bits("03000000 bd378635", 0, IN_ALL); /* 1e-6, rounded below */
}

TEST(letters_are_not_floats)
{
    assert_bits("05000000 41424344 45464748", 0, IN_ALL); /* "ABCDEFGH": 781.04 and 12561.6 */
}

TEST(colors_and_rotations_must_be_valid)
{
    assert_bits("14000000 0000803e 0000003f 0000403f 0000803f", 10, IN_4); /* Color */
    assert_bits("0f000000 00000000 00000000 f304353f f304353f", 6, IN_4);  /* Quaternion, normalized */
    gw_recognition recognition = recognize("14000000 0000803e 0000003f 0000403f 00008040");
    assert_true(recognition.possible && recognition.bits <= 2);
    recognition = recognize("0f000000 0000803f 0000803f 0000803f 0000803f");
    assert_true(recognition.possible && recognition.bits <= 2);
}

TEST(floats_alone_are_not_sufficient)
{
    gw_recognition recognition = recognize("24000000 04000000 0000803f 0000803f 0000803f 0000803f 0000803f 0000803f "
                                           "0000803f 0000803f 0000803f 0000803f 0000803f 0000803f");
    assert_int_equal(recognition.bits, 18);
}

TEST(texts_have_evidence_by_their_length)
{
    assert_bits("04000000 00000000", 0, IN_ALL);
    assert_bits("04000000 01000000 61000000", 2, IN_ALL);
    assert_bits("04000000 02000000 61620000", 4, IN_ALL);
    assert_bits("04000000 05000000 68656c6c6f 000000", 8, IN_ALL);
    assert_bits("22000000 02000000 05000000 61626364 00000000 02000000 61000000", 10, IN_4);
}

TEST(structure_has_evidence)
{
    /* {"a": 1}: its count 4, a first String 8, its text 2, a first int 6. */
    assert_bits("1b000000 01000000 04000000 01000000 61000000 02000000 01000000", 20, IN_4);
    assert_bits("12000000 01000000 04000000 01000000 61000000 02000000 01000000", 20, IN_3);
    assert_bits("14000000 01000000 04000000 01000000 61000000 02000000 01000000", 20, IN_2);
    /* [[1], "x"]: 4; Array 8 and its count 2; int 6; String 8 and 2 */
    assert_bits("1c000000 02000000 1c000000 01000000 02000000 01000000 04000000 01000000 78000000", 30, IN_4);
    /* Array[String](["a"]): the declaration 6 */
    assert_bits("1c000100 04000000 01000000 04000000 01000000 61000000", 20, IN_4);
    /* NodePath("/root/Main") */
    assert_bits("16000000 02000080 00000000 01000000 04000000 726f6f74 04000000 4d61696e", 22, IN_4);
    /* A full object, with a class name and a property. */
    assert_bits("18000000 04000000 4e6f6465 01000000 02000000 68700000 02000000 07000000", 4 + 8 + 4 + 6, IN_4);
}

/* Godot 3, and 4 before 4.6.3, leave what was in the buffer: a path is the same with it. */
TEST(stale_padding_of_names_is_no_oddity)
{
    assert_bits("16000000 01000080 00000000 00000000 03000000 706f7300", 14, IN_4);
    assert_bits("16000000 01000080 00000000 00000000 03000000 706f7341", 14, IN_4);
    assert_bits("0f000000 01000080 00000000 00000000 03000000 706f7341", 14, IN_3);
    assert_unlikely("22000000 01000000 02000000 61004141");
}

TEST(nils_are_not_evidence)
{
    assert_bits("1c000000 02000000 00000000 04000000 01000000 78000000", 4 + 8 + 2, IN_4);
    assert_bits("1c000000 04000000 00000000 00000000 00000000 04000000 01000000 78000000", 4 + 8 + 2, IN_4);
}

/* {"cmd": "move", "id": 7, "pos": Vector3(1.5, -2, 30.25)} */
#define STATE \
    "1b000000 03000000 04000000 03000000 636d6400 04000000 04000000 6d6f7665 04000000 02000000 69640000 02000000 " \
    "07000000 04000000 03000000 706f7300 09000000 0000c03f 000000c0 0000f241"

TEST(a_small_dictionary_of_a_game_is_sufficient)
{
    assert_true(recognize(STATE).bits >= GW_RECOGNIZED_ALONE);
    /* {"score": 5, "of": "Ann"}: 4; String 8, its text 8, a name 8; int 6; String 2, text 4, name 2; String 2, text 4;
     * a record 8 */
    assert_bits("12000000 02000000 04000000 05000000 73636f7265 000000 02000000 05000000 04000000 02000000 6f66 0000 "
                "04000000 03000000 416e6e 00",
                56, IN_3);
    /* {"id": 7} */
    assert_bits("1b000000 01000000 04000000 02000000 6964 0000 02000000 07000000", 4 + 8 + 4 + 8 + 6, IN_4);
    /* {"1a": 7}, {"a b": 7}, {"a~": 7}, {"a1": 7}: three keys that are not names, and one that is */
    assert_bits("1b000000 01000000 04000000 02000000 617e 0000 02000000 07000000", 4 + 8 + 4 + 6, IN_4);
    assert_bits("1b000000 01000000 04000000 02000000 6131 0000 02000000 07000000", 4 + 8 + 4 + 8 + 6, IN_4);
    assert_bits("1b000000 01000000 04000000 02000000 615f 0000 02000000 07000000", 4 + 8 + 4 + 8 + 6, IN_4);
    assert_bits("1b000000 01000000 04000000 02000000 3161 0000 02000000 07000000", 4 + 8 + 4 + 6, IN_4);
    assert_bits("1b000000 01000000 04000000 03000000 612062 00 02000000 07000000", 4 + 8 + 4 + 6, IN_4);
    assert_true(recognize("1b000000 02000000 04000000 07000000 706c6179657273 00 1c000000 01000000 1b000000 02000000 "
                          "04000000 02000000 69640000 02000000 07000000 04000000 03000000 706f7300 09000000 0000c03f "
                          "000000c0 0000f241 04000000 04000000 6e616d65 04000000 04000000 6d6f7665")
                    .bits >= GW_RECOGNIZED_ALONE);
}

/* ---- one generation ------------------------------------------------------------------------------------ */

TEST(only_a_chosen_generation_is_tried)
{
    const uint8_t vector3[] = { 7, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40 };
    gw_recognition recognition;
    gw_godot_options options = { .generation = GW_GODOT_4 };
    assert_false(gw_godot_recognize(vector3, sizeof vector3, sizeof vector3, &options, &recognition));
    options.generation = GW_GODOT_2;
    assert_true(gw_godot_recognize(vector3, sizeof vector3, sizeof vector3, &options, &recognition));
    assert_int_equal(recognition.readings, IN_2);
    options.generation = GW_GODOT_ANY;
    assert_true(gw_godot_recognize(vector3, sizeof vector3, sizeof vector3, &options, &recognition));
    assert_int_equal(recognition.readings, IN_2 | IN_3);
}

/* ---- truncated captures -------------------------------------------------------------------------------- */

TEST(truncated_values_have_less_evidence)
{
    gw_recognition whole = recognize(STATE);
    for (size_t captured = 4; captured < 80; captured += 4) {
        gw_recognition cut = recognize_cut(STATE, captured);
        assert_true(cut.possible);
        assert_true(cut.bits + 24 <= whole.bits || !cut.bits);
    }
    assert_false(recognize_cut(STATE, 3).possible);
}

TEST(two_words_of_a_truncated_value_are_not_evidence)
{
    for (unsigned type = 0; type < 39; type++) {
        char hex[200];
        snprintf(hex, sizeof hex, "%02x000000 05000000 0000803f 0000803f 0000803f 0000803f 0000803f 0000803f", type);
        assert_int_equal(recognize_cut(hex, 12).bits, 0);
    }
}

TEST(a_truncated_value_must_fit_the_length_that_was_sent)
{
    /* A Vector3 in 24 bytes; a String of 4 in 16; an array of 5 members in 20, of which 2 are there. */
    assert_false(recognize_cut("09000000 0000803f 0000803f 0000803f 0000803f 0000803f", 12).possible);
    assert_false(recognize_cut("04000000 04000000 61626364 65666768", 10).possible);
    assert_true(recognize_cut("04000000 08000000 61626364 65666768", 12).possible);
    assert_false(recognize_cut("1c000000 05000000 02000000 01000000 02000000", 16).possible);
    assert_true(recognize_cut("1c000000 05000000 00000000 00000000 00000000 00000000 00000000", 16).possible);
}

/* Before its length is there, a text or packed array may have any. */
TEST(a_text_or_packed_array_that_is_truncated_in_its_length_may_end_anywhere)
{
    static const char *const rows[] = { "04000000 08000000 61626364 65666768", "1d000000 08000000 01020304 05060708",
                                        "1e000000 02000000 05000000 06000000",
                                        "24000000 01000000 0000803f 00000040 00004040",
                                        "15000000 02000000 05000000 06000000" };
    for (unsigned i = 0; i < COUNT_OF(rows); i++)
        for (size_t captured = 4; captured <= 8; captured++)
            assert_true(recognize_cut(rows[i], captured).possible);
    assert_false(recognize_cut("04000000 04000000 61626364 65666768", 8).possible);
    assert_false(recognize_cut("1d000000 04000000 01020304 05060708", 8).possible);
    assert_false(recognize_cut("1e000000 01000000 05000000 06000000", 8).possible);
}

TEST(a_long_packet_is_recognized_by_its_beginning)
{
    char hex[12000] = "1b000000 64000000";
    for (unsigned i = 0; i < 100; i++) {
        char entry[120];
        snprintf(entry, sizeof entry,
                 "04000000 04000000 6b%02x7a79 1c000000 02000000 03000000 0000803f 05000000 0000803f 0000803f",
                 0x20 + i % 0x5F);
        strcat(hex, entry);
    }
    assert_true(recognize_cut(hex, 200).bits > 0);
    assert_true(recognize_cut(hex, 1000).bits >= GW_RECOGNIZED_ALONE);
}

/* ---- the captures -------------------------------------------------------------------------------------- */

struct tally {
    unsigned packets, possible, likely, alone, some;
};

static void tally_packet(const capture_payload *payload, void *context)
{
    struct tally *tally = context;
    gw_recognition recognition;
    tally->packets++;
    tally->possible += gw_godot_recognize(payload->bytes, payload->length, payload->length, NULL, &recognition);
    tally->likely += recognition.possible && !recognition.unlikely;
    tally->some += recognition.bits > 0;
    tally->alone += recognition.bits >= GW_RECOGNIZED_ALONE;
}

TEST(all_packets_of_engines_are_possible)
{
    static const char *const patterns[] = { "godot/variant/godot-3.2.3.pcap", "godot/variant/godot-3.6.pcap",
                                            "godot/variant/godot-4.6.3.pcap" };
    for (unsigned i = 0; i < COUNT_OF(patterns); i++) {
        struct tally tally = { 0 };
        visit_captures(patterns[i], tally_packet, &tally);
        print_message("%s: %u packets, %u possible, %u likely, %u with evidence, %u alone\n", patterns[i],
                      tally.packets, tally.possible, tally.likely, tally.some, tally.alone);
        assert_true(tally.packets > 200);
        assert_int_equal(tally.possible, tally.packets);
        assert_true(tally.some * 2 > tally.packets);
    }
}
