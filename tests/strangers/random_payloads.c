/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Random payloads before the functions that the heuristics ask.
 *
 *     random_payloads COUNT [SEED]          counts what each codec would recognize; status 1 if any is recognized
 *     random_payloads --pcap COUNT [SEED]   writes the plain ones to the standard output, as a capture
 *
 * COUNT payloads are plain: 1 to 200 random bytes. Of each other class, which begins as ours do, there are a
 * tenth as many; chance that is so likely makes some of them recognized, and that is no error.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gamewire/bytes.h>
#include <gamewire/enet.h>
#include <gamewire/godot.h>
#include <gamewire/leviathan.h>
#include <gamewire/squirrel.h>

#define LONGEST 200

struct payload {
    size_t length;
    uint8_t bytes[LONGEST];
};

static uint64_t state;

/* xorshift64* */
static uint64_t next_random(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(0x2545F4914F6CDD1D);
}

static uint32_t below(uint32_t limit)
{
    return (uint32_t)((next_random() >> 32) * limit >> 32);
}

/* ---- classes ------------------------------------------------------------------------------------------- */

static void put_le32(struct payload *payload, size_t at, uint32_t number)
{
    for (size_t i = 0; i < 4 && at + i < payload->length; i++)
        payload->bytes[at + i] = (uint8_t)(number >> 8 * i);
}

static void plain(struct payload *payload)
{
    payload->length = 1 + below(LONGEST);
    for (size_t at = 0; at < payload->length; at += 4)
        put_le32(payload, at, (uint32_t)(next_random() >> 32));
}

/* The type that a Variant begins with, then anything. */
static void small_type(struct payload *payload)
{
    plain(payload);
    payload->length = 8 + payload->length / 4 * 4;
    if (payload->length > LONGEST)
        payload->length = LONGEST;
    put_le32(payload, 0, below(39) | (below(8) ? 0 : below(16) << 16));
}

/* Words of which half are small: counts, ids, types. */
static void small_words(struct payload *payload)
{
    small_type(payload);
    for (size_t at = 4; at < payload->length; at += 4)
        if (below(2))
            put_le32(payload, at, below(below(2) ? 40 : 1000));
}

static void magic_ln(struct payload *payload)
{
    plain(payload);
    memcpy(payload->bytes, "Ln", 2);
}

static void magic_la(struct payload *payload)
{
    plain(payload);
    memcpy(payload->bytes, "La", 2);
}

static void identifier(struct payload *payload)
{
    plain(payload);
    put_le32(payload, 0, GW_SQUIRREL_FIRST_FRAME + below(GW_SQUIRREL_FRAME_COUNT));
}

/* ---- counting ------------------------------------------------------------------------------------------ */

static const uint32_t thresholds[] = { 2, 8, 16, 24, 32, GW_RECOGNIZED_ALONE };
#define THRESHOLDS (sizeof thresholds / sizeof *thresholds)

struct counts {
    uint64_t payloads;
    uint64_t godot[THRESHOLDS];
    uint64_t enet;
    uint64_t leviathan;
    uint64_t squirrel;
};

/* Bits of evidence, as each family's heuristic asks for them. */
static uint32_t godot_bits(const struct payload *payload)
{
    gw_recognition recognition;
    gw_godot_recognize(payload->bytes, payload->length, payload->length, NULL, &recognition);
    return recognition.bits;
}

static bool is_squirrel(const struct payload *payload)
{
    gw_recognition recognition;
    gw_squirrel_recognize(payload->bytes, payload->length, payload->length, NULL, &recognition);
    return recognition.bits >= GW_RECOGNIZED_ALONE;
}

static bool is_enet(const struct payload *payload)
{
    gw_recognition recognition;
    gw_enet_recognize(payload->bytes, payload->length, payload->length, NULL, &recognition);
    return recognition.bits >= GW_RECOGNIZED_ALONE;
}

static bool is_leviathan(const struct payload *payload)
{
    gw_recognition recognition;
    gw_leviathan_recognize(payload->bytes, payload->length, payload->length, NULL, &recognition);
    return recognition.bits >= GW_RECOGNIZED_ALONE;
}

static void count(struct counts *counts, const struct payload *payload)
{
    uint32_t bits = godot_bits(payload);
    counts->payloads++;
    for (size_t i = 0; i < THRESHOLDS; i++)
        counts->godot[i] += bits >= thresholds[i];
    counts->enet += is_enet(payload);
    counts->leviathan += is_leviathan(payload);
    counts->squirrel += is_squirrel(payload);
}

static void print_counts(const char *name, const struct counts *counts)
{
    printf("%-12s %10" PRIu64, name, counts->payloads);
    for (size_t i = 0; i < THRESHOLDS; i++)
        printf(" %8" PRIu64, counts->godot[i]);
    printf(" %8" PRIu64 " %10" PRIu64 " %9" PRIu64 "\n", counts->enet, counts->leviathan, counts->squirrel);
}

static void print_head(void)
{
    printf("%-12s %10s", "class", "payloads");
    for (size_t i = 0; i < THRESHOLDS; i++)
        printf(" Godot>=%-2" PRIu32, thresholds[i]);
    printf("     ENet  Leviathan  Squirrel\n");
}

/* ---- a capture ----------------------------------------------------------------------------------------- */

#define LINKTYPE_RAW  101
#define HEADERS       28 /* IPv4 and UDP */
#define CONVERSATIONS 1000

static void write_head(void)
{
    const uint32_t head[] = { 0xA1B2C3D4, 2 | 4 << 16, 0, 0, 65535, LINKTYPE_RAW };
    fwrite(head, sizeof head, 1, stdout);
}

/* Without checksums, which both headers allow readers to pass over. */
static void write_packet(const struct payload *payload, uint64_t number)
{
    uint16_t port = (uint16_t)(50000 + number % CONVERSATIONS);
    size_t whole = HEADERS + payload->length, udp = 8 + payload->length;
    const uint32_t record[] = { (uint32_t)(number / 1000), (uint32_t)(number % 1000 * 1000), (uint32_t)whole,
                                (uint32_t)whole };
    const uint8_t headers[HEADERS] = { 0x45,
                                       0,
                                       (uint8_t)(whole >> 8),
                                       (uint8_t)whole,
                                       0,
                                       0,
                                       0,
                                       0,
                                       64,
                                       17,
                                       0,
                                       0,
                                       192,
                                       0,
                                       2,
                                       1,
                                       192,
                                       0,
                                       2,
                                       2,
                                       (uint8_t)(port >> 8),
                                       (uint8_t)port,
                                       20000 >> 8,
                                       20000 & 0xFF,
                                       (uint8_t)(udp >> 8),
                                       (uint8_t)udp,
                                       0,
                                       0 };
    fwrite(record, sizeof record, 1, stdout);
    fwrite(headers, sizeof headers, 1, stdout);
    fwrite(payload->bytes, payload->length, 1, stdout);
}

/* ---- both ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*make)(struct payload *payload);
} classes[] = {
    { "plain", plain }, { "small type", small_type }, { "small words", small_words },
    { "Ln", magic_ln }, { "La", magic_la },           { "identifier", identifier },
};
#define CLASSES (sizeof classes / sizeof *classes)

static uint64_t how_many(size_t class, uint64_t plain_ones)
{
    return class ? plain_ones / 10 : plain_ones;
}

static bool has_accepted(const struct counts *counts)
{
    return counts->godot[THRESHOLDS - 1] || counts->enet || counts->leviathan || counts->squirrel;
}

static int count_all(uint64_t plain_ones)
{
    static struct payload payload;
    bool recognized = false;
    print_head();
    for (size_t class = 0; class < CLASSES; class ++) {
        struct counts counts = { 0 };
        for (uint64_t i = how_many(class, plain_ones); i; i--) {
            classes[class].make(&payload);
            count(&counts, &payload);
        }
        print_counts(classes[class].name, &counts);
        recognized |= !class && has_accepted(&counts);
    }
    return recognized;
}

/* Plain ones only: of them none may be recognized, so that a look at the capture answers with yes or no. */
static int write_all(uint64_t plain_ones)
{
    static struct payload payload;
    write_head();
    for (uint64_t i = 0; i < plain_ones; i++) {
        plain(&payload);
        write_packet(&payload, i);
    }
    return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    bool capture = argc > 1 && !strcmp(argv[1], "--pcap");
    char **words = argv + 1 + capture;
    if (argc < 2 + capture) {
        fprintf(stderr, "usage: %s [--pcap] COUNT [SEED]\n", argv[0]);
        return 2;
    }
    uint64_t plain_ones = strtoull(words[0], NULL, 10);
    state = (words[1] ? strtoull(words[1], NULL, 10) : 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    return capture ? write_all(plain_ones) : count_all(plain_ones);
}
