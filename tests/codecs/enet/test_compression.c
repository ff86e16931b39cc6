/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's range coder beside libenet's own, both ways, on generated data and on hostile input; FastLZ by hand, beside
 * what its generator meant, and on hostile input.
 *
 * GAMEWIRE_RANGE_CODER: how many inputs; 20,000 without it. GAMEWIRE_HOSTILE: how many hostile ones for each of the
 * two; 60,000 without it.
 */
#include <stdio.h>
#include <time.h>

#include <enet/enet.h>
#include <gamewire/enet.h>

#include "testing.h"

#define SIZE 4096

static gw_enet_range_model model;
static uint8_t input[SIZE], packed[2 * SIZE], unpacked[SIZE], expected[2 * SIZE];
static void *reference; /* libenet's coder */

/* ---- data that compresses, more or less ------------------------------------------------------------------ */

static uint64_t random_state = UINT64_C(0x9E3779B97F4A7C15);

static uint32_t any(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static uint32_t below(uint32_t limit)
{
    return any() % limit;
}

static uint8_t next_value(unsigned kind, size_t at)
{
    static const char words[] = "position velocity rotation ";
    switch (kind) {
    case 0:
        return (uint8_t)any();
    case 1:
        return (uint8_t)below(4);
    case 2:
        return (uint8_t)words[at % (sizeof words - 1)];
    case 3:
        return at >= 8 && below(8) ? input[at - 8] : (uint8_t)any();
    case 4:
        return below(50) ? 0 : (uint8_t)any();
    case 5:
        return (uint8_t)(at % 251);
    default:
        return (uint8_t)(below(16) * 16);
    }
}

/* Usually the length of a datagram; sometimes enough for the model to run out of nodes. */
static size_t make_input(void)
{
    unsigned kind = below(7);
    size_t length = below(16) ? 1 + below(1400) : 1 + below(SIZE - 1);
    for (size_t i = 0; i < length; i++)
        input[i] = next_value(below(64) ? kind : 0, i);
    return length;
}

static unsigned long rounds(void)
{
    const char *wanted = getenv("GAMEWIRE_RANGE_CODER");
    return wanted ? strtoul(wanted, NULL, 10) : 20000;
}

/* ---- range coder ------------------------------------------------------------------------------------------ */

static size_t pack_with_reference(size_t length)
{
    ENetBuffer buffer = { .data = input, .dataLength = length };
    if (!reference)
        reference = enet_range_coder_create();
    return enet_range_coder_compress(reference, &buffer, 1, length, expected, sizeof expected);
}

TEST(codec_and_libenet_compress_and_decompress_alike)
{
    for (unsigned long i = rounds(); i; i--) {
        gw_output output;
        gw_enet_unpacked result;
        size_t length = make_input();
        size_t packed_length = pack_with_reference(length);
        gw_output_init(&output, packed, sizeof packed);
        gw_enet_range_encode(&model, &output, input, length);
        assert_int_equal(output.length, packed_length);
        assert_memory_equal(packed, expected, packed_length);
        assert_true(gw_enet_range_decode(&model, packed, packed_length, unpacked, sizeof unpacked, &result));
        assert_int_equal(result.length, length);
        assert_int_equal(result.consumed, packed_length);
        assert_memory_equal(unpacked, input, length);
        assert_int_equal(gw_enet_range_first(packed, packed_length), input[0]);
    }
}

static bool may_begin_compressed(const char *commands, size_t length)
{
    gw_output output;
    gw_output_init(&output, packed, sizeof packed);
    gw_enet_range_encode(&model, &output, (const uint8_t *)commands, length);
    return gw_enet_range_may_begin(&model, packed, output.length);
}

TEST(the_first_bytes_of_a_stream_show_whether_it_contains_commands)
{
    assert_true(may_begin_compressed("\x85\xff\0\5", 4));
    assert_true(may_begin_compressed("\x86\1\0\5\0\3abc", 9));
    assert_true(may_begin_compressed("\1\0\0\5\0\5\1\2", 8));
    assert_false(may_begin_compressed("\5\xff\0\5", 4));
    assert_false(may_begin_compressed("\x85\0\0\5", 4));
    assert_false(may_begin_compressed("\x85\xff\0", 3));
    assert_false(may_begin_compressed("\1\0\0\5\0\6\1\2", 8));
    assert_false(gw_enet_range_may_begin(&model, packed, 0));
    /* The last byte is encoded after two that occurred before. */
    assert_true(may_begin_compressed("\1\0\0\1\0\1\0\0", 8));
}

/* ---- hostile input ----------------------------------------------------------------------------------------- */

#define GUARD 64 /* bytes after the output that must not be written */

/* The time limit of a decompressor for one datagram, including sanitizers. The tests print the longest time. */
#define LONGEST_SECONDS 0.2

static double slowest;

typedef bool decoder(const uint8_t *bytes, size_t length, uint8_t *output, size_t size, gw_enet_unpacked *result);

static unsigned long hostile_rounds(void)
{
    const char *wanted = getenv("GAMEWIRE_HOSTILE");
    return wanted ? strtoul(wanted, NULL, 10) : 60000;
}

static bool decode_range(const uint8_t *bytes, size_t length, uint8_t *output, size_t size, gw_enet_unpacked *result)
{
    return gw_enet_range_decode(&model, bytes, length, output, size, result);
}

/* Random bytes; a stream with up to three bytes changed; the same but truncated; a stream with bytes after it. For each
 * stream `valid` many are created. */
static size_t make_hostile(const uint8_t *valid, size_t valid_length)
{
    unsigned kind = below(4);
    size_t length = kind ? valid_length : 1 + below(below(4) ? 64 : SIZE);
    if (kind)
        memcpy(packed, valid, length);
    for (size_t at = kind ? length : 0; at < length + (kind == 3 ? 40 : 0); at++)
        packed[at] = (uint8_t)any();
    length += kind == 3 ? 40 : 0;
    for (unsigned changes = kind && kind < 3 ? 1 + below(3) : 0; changes; changes--)
        packed[below((uint32_t)length)] = (uint8_t)any();
    return kind == 2 ? 1 + below((uint32_t)length) : length;
}

/* Decodes `length` bytes of `packed` into at most `size` bytes. For any input, output and time are bounded, and a fault
 * is set exactly if the result is false. */
static bool survives(decoder *decode, size_t length, size_t size, gw_enet_unpacked *result)
{
    static uint8_t output[SIZE + GUARD];
    memset(output + size, 0xA5, GUARD);
    clock_t before = clock();
    bool whole = decode(packed, length, output, size, result);
    double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    slowest = seconds > slowest ? seconds : slowest;
    assert_true(seconds < LONGEST_SECONDS);
    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(output[size + i], 0xA5);
    assert_true(result->length <= size && result->consumed <= length && result->fault.offset <= length);
    assert_int_equal(whole, result->fault.fault_class == GW_FAULT_NONE);
    memcpy(unpacked, output, result->length);
    return whole;
}

/* Streams that are accepted have the same output as in libenet. */
TEST(hostile_range_coder_streams_are_rejected_or_decoded_as_by_libenet)
{
    static uint8_t valid[2 * SIZE];
    size_t valid_length = 0;
    unsigned long accepted = 0;
    slowest = 0;
    for (unsigned long i = hostile_rounds(); i; i--) {
        gw_enet_unpacked result;
        if (!valid_length || !below(8)) {
            valid_length = pack_with_reference(make_input());
            memcpy(valid, expected, valid_length);
        }
        size_t length = make_hostile(valid, valid_length < SIZE ? valid_length : SIZE);
        if (!survives(decode_range, length, below(4) ? SIZE : below(SIZE), &result))
            continue;
        accepted++;
        assert_int_equal(enet_range_coder_decompress(reference, packed, length, expected, SIZE), result.length);
        assert_memory_equal(unpacked, expected, result.length);
    }
    print_message("%lu hostile streams, slowest %.2f ms: libenet and the range coder read %lu of them, alike\n",
                  hostile_rounds(), 1000 * slowest, accepted);
    assert_true(accepted > 0);
}

TEST(zeros_are_the_end_symbol)
{
    gw_enet_unpacked result;
    assert_true(gw_enet_range_decode(&model, packed, 0, unpacked, sizeof unpacked, &result));
    assert_int_equal(result.length, 0);
    assert_int_equal(gw_enet_range_first(packed, 0), -1);
}

static void assert_range_fault(size_t length, size_t size, gw_enet_fault code, uint64_t needed)
{
    gw_enet_unpacked result;
    assert_false(gw_enet_range_decode(&model, packed, length, unpacked, size, &result));
    assert_int_equal(result.fault.code, code);
    assert_int_equal(result.fault.fault_class, gw_fault_class_of(&gw_enet_faults, code));
    assert_int_equal(result.fault.needed, needed);
    assert_true(result.fault.offset <= length);
}

TEST(a_stream_longer_than_the_output_is_a_fault)
{
    gw_enet_unpacked result;
    memset(input, 7, 3000);
    size_t length = pack_with_reference(3000);
    memcpy(packed, expected, length);
    assert_true(length < 100);
    assert_true(gw_enet_range_decode(&model, packed, length, unpacked, 3000, &result));
    assert_range_fault(length, 2999, GW_ENET_FAULT_UNPACKED_TOO_LONG, 0);
}

/* Zeros are read after the end of the input; they rarely decode as an end symbol. */
TEST(a_truncated_stream_is_a_fault)
{
    unsigned truncated = 0;
    for (size_t i = 0; i < 100; i++)
        input[i] = (uint8_t)(i * 37);
    size_t length = pack_with_reference(100);
    memcpy(packed, expected, length);
    for (size_t cut = 1; cut < length; cut++) {
        gw_enet_unpacked result;
        bool whole = gw_enet_range_decode(&model, packed, cut, unpacked, sizeof unpacked, &result);
        if (!whole && result.fault.code == GW_ENET_FAULT_RANGE_TRUNCATED) {
            truncated++;
            assert_range_fault(cut, sizeof unpacked, GW_ENET_FAULT_RANGE_TRUNCATED, 1);
        }
        assert_true(!whole || result.length < 100);
    }
    assert_true(truncated > 0);
}

/* The largest number is above the total: 2^32 - 1 is not a multiple of 257 x 16711935. */
TEST(a_number_above_the_total_is_a_fault)
{
    memset(packed, 0xFF, 8);
    bool whole;
    gw_enet_unpacked result;
    unsigned refused = 0;
    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++) {
            packed[4] = (uint8_t)first;
            packed[5] = (uint8_t)second;
            whole = gw_enet_range_decode(&model, packed, 64, unpacked, sizeof unpacked, &result);
            refused += !whole && result.fault.code == GW_ENET_FAULT_RANGE_INVALID;
        }
    assert_true(refused > 0);
}

/* ---- FastLZ ------------------------------------------------------------------------------------------------ */

static size_t from_hex(const char *hex)
{
    size_t length = 0;
    for (; *hex; hex++) {
        unsigned byte;
        if (*hex == ' ')
            continue;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        packed[length++] = (uint8_t)byte;
        hex++;
    }
    return length;
}

static void assert_fastlz(const char *hex, const char *text, size_t count)
{
    gw_enet_unpacked result;
    size_t length = from_hex(hex);
    assert_true(gw_enet_fastlz_decode(packed, length, unpacked, sizeof unpacked, &result));
    assert_int_equal(result.length, count);
    assert_int_equal(result.consumed, length);
    assert_memory_equal(unpacked, text, count);
}

static void assert_fastlz_fault(const char *hex, size_t size, gw_enet_fault code, uint32_t offset, uint64_t needed)
{
    gw_enet_unpacked result;
    size_t length = from_hex(hex);
    assert_false(gw_enet_fastlz_decode(packed, length, unpacked, size, &result));
    assert_int_equal(result.fault.code, code);
    assert_int_equal(result.fault.fault_class, gw_fault_class_of(&gw_enet_faults, code));
    assert_int_equal(result.fault.offset, offset);
    assert_int_equal(result.fault.needed, needed);
}

TEST(literals_are_copied)
{
    assert_fastlz("02 616263", "abc", 3);
    assert_fastlz("02 616263 00 64", "abcd", 4);
    assert_fastlz("22 616263", "abc", 3);
}

TEST(matches_copy_from_the_output)
{
    assert_fastlz("02 616263 20 02", "abcabc", 6);
    assert_fastlz("02 616263 40 02 00 78", "abcabcax", 8);
    /* Distance 1: a run. */
    assert_fastlz("00 61 a0 00", "aaaaaaaa", 8);
    /* 7 + 2 and the next byte. */
    assert_fastlz("00 61 e0 03 00", "aaaaaaaaaaaaa", 13);
}

TEST(level_2_has_longer_lengths)
{
    char run[1 + 9 + 255 + 4];
    memset(run, 'a', sizeof run);
    assert_fastlz("20 61 e0 ff 04 00", run, sizeof run);
    /* In level 1 the byte after 255 is the distance. */
    assert_fastlz("00 61 e0 ff 00", run, 1 + 9 + 255);
}

TEST(level_2_has_longer_distances)
{
    static uint8_t large[SIZE * 4];
    static uint8_t stream[SIZE * 4];
    gw_enet_unpacked result;
    size_t at = 0;
    /* 8193 literals in runs of 32, then a match of three bytes 8192 + 1 back: to the first byte. */
    for (size_t written = 0; written < 8193; written += 32) {
        size_t run = written + 32 <= 8193 ? 32 : 8193 - written;
        stream[at] = (uint8_t)(run - 1);
        if (!at)
            stream[at] |= 0x20;
        at++;
        for (size_t i = 0; i < run; i++)
            stream[at++] = (uint8_t)((written + i) % 253);
    }
    memcpy(stream + at, "\x3f\xff\x00\x01", 4);
    at += 4;
    assert_true(gw_enet_fastlz_decode(stream, at, large, sizeof large, &result));
    assert_int_equal(result.length, 8196);
    assert_memory_equal(large + 8193, large, 3);
    /* One byte further back is before the output. */
    stream[at - 1] = 2;
    assert_false(gw_enet_fastlz_decode(stream, at, large, sizeof large, &result));
    assert_int_equal(result.fault.code, GW_ENET_FAULT_FASTLZ_INVALID);
}

TEST(streams_that_end_early_report_the_missing_bytes)
{
    assert_fastlz_fault("", SIZE, GW_ENET_FAULT_FASTLZ_TRUNCATED, 0, 1);
    assert_fastlz_fault("02 6162", SIZE, GW_ENET_FAULT_FASTLZ_TRUNCATED, 1, 1);
    assert_fastlz_fault("00 61 20", SIZE, GW_ENET_FAULT_FASTLZ_TRUNCATED, 3, 1);
    assert_fastlz_fault("00 61 e0", SIZE, GW_ENET_FAULT_FASTLZ_TRUNCATED, 3, 1);
    assert_fastlz_fault("20 61 3f ff 00", SIZE, GW_ENET_FAULT_FASTLZ_TRUNCATED, 4, 1);
    assert_fastlz_fault("20 61 e0 ff", SIZE, GW_ENET_FAULT_FASTLZ_TRUNCATED, 4, 1);
}

TEST(data_that_is_not_fastlz_is_rejected)
{
    assert_fastlz_fault("40 61", SIZE, GW_ENET_FAULT_FASTLZ_INVALID, 0, 0);
    assert_fastlz_fault("00 61 20 01", SIZE, GW_ENET_FAULT_FASTLZ_INVALID, 4, 0);
}

TEST(fastlz_does_not_go_beyond_the_output)
{
    assert_fastlz_fault("02 616263", 2, GW_ENET_FAULT_UNPACKED_TOO_LONG, 1, 0);
    assert_fastlz_fault("00 61 a0 00", 7, GW_ENET_FAULT_UNPACKED_TOO_LONG, 4, 0);
}

/* Creates a stream of random instructions, and its output in `input`. Returns the length of both. */
static size_t make_fastlz(uint8_t *stream, size_t *meant)
{
    unsigned level = below(2);
    size_t at = 0, length = 0, wanted = 1 + below(1400);
    while (length < wanted) {
        unsigned count = 1 + below(32);
        stream[at] = (uint8_t)((count - 1) | (at ? 0 : level << 5));
        at++;
        for (; count; count--)
            stream[at++] = input[length++] = (uint8_t)below(7);
        size_t distance = 1 + below((uint32_t)length), size = 3 + below(below(4) ? 6 : 300);
        unsigned more = size < 9 ? 0 : (unsigned)size - 9;
        if (!level && more > 255)
            continue;
        stream[at++] = (uint8_t)((size < 9 ? size - 2 : 7) << 5 | (distance - 1) >> 8);
        for (; size >= 9 && level && more >= 255; more -= 255)
            stream[at++] = 255;
        if (size >= 9)
            stream[at++] = (uint8_t)more;
        stream[at++] = (uint8_t)(distance - 1);
        for (; size; size--, length++)
            input[length] = input[length - distance];
    }
    *meant = length;
    return at;
}

TEST(generated_fastlz_streams_have_the_generated_output)
{
    for (unsigned long i = rounds(); i; i--) {
        gw_enet_unpacked result;
        size_t meant;
        size_t length = make_fastlz(packed, &meant);
        assert_true(survives(gw_enet_fastlz_decode, length, meant, &result));
        assert_int_equal(result.length, meant);
        assert_int_equal(result.consumed, length);
        assert_memory_equal(unpacked, input, meant);
    }
}

TEST(hostile_fastlz_streams_are_bounded)
{
    static uint8_t valid[2 * SIZE];
    size_t valid_length = 0, meant;
    unsigned long accepted = 0;
    slowest = 0;
    for (unsigned long i = hostile_rounds(); i; i--) {
        gw_enet_unpacked result;
        if (!valid_length || !below(8))
            valid_length = make_fastlz(valid, &meant);
        accepted +=
            survives(gw_enet_fastlz_decode, make_hostile(valid, valid_length), below(4) ? SIZE : below(SIZE), &result);
    }
    print_message("%lu hostile streams, slowest %.2f ms: %lu of them are FastLZ all the same\n", hostile_rounds(),
                  1000 * slowest, accepted);
    assert_true(accepted > 0);
}
