/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the ENet codec costs, and libenet's range coder beside it. Reads datagrams (u16 length, bytes) from a file.
 *
 *   bench_enet FILE ROUNDS      one line a job: name, CPU ns, units
 *
 * Units are commands, datagrams or bytes of commands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <enet/enet.h>
#include <gamewire/bytes.h>
#include <gamewire/enet.h>

#define MOST_DATAGRAMS 4096

struct datagram {
    uint8_t *bytes;
    size_t length;
};

static struct datagram datagrams[MOST_DATAGRAMS];
static size_t count;
static gw_enet_range_model model;
static uint8_t packed[8192], unpacked[8192];
static volatile uint64_t sink;

static void read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    uint8_t length[2];
    while (file && count < MOST_DATAGRAMS && fread(length, 1, 2, file) == 2) {
        struct datagram *next = &datagrams[count++];
        next->length = gw_be16(length);
        next->bytes = malloc(next->length + 1);
        if (fread(next->bytes, 1, next->length, file) != next->length)
            exit(1);
    }
    if (!file || fclose(file) || !count)
        exit(1);
}

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Each job goes over all datagrams once, and returns how many units that were. */
static uint64_t decode(void)
{
    uint64_t commands = 0;
    for (size_t i = 0; i < count; i++) {
        gw_enet_reader reader;
        gw_enet_event event;
        gw_enet_init(&reader, datagrams[i].bytes, datagrams[i].length, NULL);
        while (gw_enet_next(&reader, &event) == GW_NEXT_EVENT)
            sink += event.payload.length;
        commands += reader.commands;
    }
    return commands;
}

static uint64_t recognize(void)
{
    for (size_t i = 0; i < count; i++) {
        gw_recognition recognition;
        gw_enet_recognize(datagrams[i].bytes, datagrams[i].length, datagrams[i].length, NULL, &recognition);
        sink += recognition.bits;
    }
    return count;
}

static uint64_t pack_ours(void)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        gw_output output;
        gw_output_init(&output, packed, sizeof packed);
        gw_enet_range_encode(&model, &output, datagrams[i].bytes, datagrams[i].length);
        sink += output.length;
        bytes += datagrams[i].length;
    }
    return bytes;
}

static void *reference;

static size_t pack_one(const struct datagram *datagram)
{
    ENetBuffer buffer = { .data = datagram->bytes, .dataLength = datagram->length };
    return enet_range_coder_compress(reference, &buffer, 1, datagram->length, packed, sizeof packed);
}

static uint64_t pack_libenet(void)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        sink += pack_one(&datagrams[i]);
        bytes += datagrams[i].length;
    }
    return bytes;
}

/* Decoders get streams that were made before. */
static struct datagram streams[MOST_DATAGRAMS];

static void make_streams(void)
{
    for (size_t i = 0; i < count; i++) {
        streams[i].length = pack_one(&datagrams[i]);
        streams[i].bytes = malloc(streams[i].length + 1);
        memcpy(streams[i].bytes, packed, streams[i].length);
    }
}

static uint64_t unpack_ours(void)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        gw_enet_unpacked result;
        gw_enet_range_decode(&model, streams[i].bytes, streams[i].length, unpacked, sizeof unpacked, &result);
        bytes += result.length;
    }
    return bytes;
}

static uint64_t unpack_libenet(void)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += enet_range_coder_decompress(reference, streams[i].bytes, streams[i].length, unpacked, sizeof unpacked);
    return bytes;
}

static const struct {
    const char *name;
    uint64_t (*run)(void);
} jobs[] = {
    { "decode", decode },           { "recognize", recognize },
    { "pack ours", pack_ours },     { "pack libenet", pack_libenet },
    { "unpack ours", unpack_ours }, { "unpack libenet", unpack_libenet },
};

int main(int argc, char **argv)
{
    unsigned long rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (!rounds)
        return 2;
    read_file(argv[1]);
    reference = enet_range_coder_create();
    make_streams();
    for (size_t job = 0; job < sizeof jobs / sizeof *jobs; job++) {
        uint64_t units = jobs[job].run();
        double start = cpu_ns();
        for (unsigned long round = 0; round < rounds; round++)
            jobs[job].run();
        printf("%s\t%.0f\t%llu\n", jobs[job].name, cpu_ns() - start, (unsigned long long)(units * rounds));
    }
    return 0;
}
