/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Times codecs:
 *
 *   bench_codec FOLDER SHAPE ROUNDS JOB...   interleaves the jobs, so that a change of the machine's pace
 *                                            meets all of them; of each prints its name, the nodes that it
 *                                            counted, and the CPU nanoseconds of each round, between tabs
 *   bench_codec sizes                        prints the size of each reader in bytes
 *
 * A job named "cbor decode" reads FOLDER/cbor-SHAPE.corpus. One more round comes first and is not timed.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gamewire/godot.h>
#include <gamewire/leviathan.h>
#include <gamewire/squirrel.h>

#define MOST_JOBS   16
#define MOST_ROUNDS 101

typedef struct job {
    const char *name;
    const char *format;  /* of the corpus */
    const char *encodes; /* the format that it writes; NULL for decoders */
    job_function *run;
} job;

static const job jobs[] = {
    { "godot decode", "godot", NULL, decode_godot },
    { "godot validate", "godot", NULL, validate_godot },
    { "godot encode", "godot", "godot", encode_godot },
    { "leviathan decode", "leviathan", NULL, decode_leviathan },
    { "leviathan validate", "leviathan", NULL, validate_leviathan },
    { "squirrel decode", "squirrel", NULL, decode_squirrel },
    { "squirrel validate", "squirrel", NULL, validate_squirrel },
    { "libcbor decode", "cbor", NULL, decode_libcbor },
    { "libcbor decode, UTF-8 checked", "cbor", NULL, decode_libcbor_utf8 },
    { "msgpack-c decode", "msgpack", NULL, decode_msgpack_c },
    { "msgpack-c decode, UTF-8 checked", "msgpack", NULL, decode_msgpack_c_utf8 },
    { "msgpuck encode", "godot", "msgpack", encode_msgpuck },
};

typedef struct timed_job {
    const job *what;
    job_input input;
    size_t nodes;
    int64_t rounds[MOST_ROUNDS];
} timed_job;

volatile uint64_t job_sink;

void job_failed(const char *what)
{
    fprintf(stderr, "%s met an error\n", what);
    exit(1);
}

static const job *job_named(const char *name)
{
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (strcmp(jobs[i].name, name) == 0)
            return &jobs[i];
    fprintf(stderr, "no such job: %s\n", name);
    exit(1);
}

static void load(corpus *documents, const char *folder, const char *format, const char *shape)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%s", format, shape);
    corpus_load(documents, folder, name);
}

static void prepare(timed_job *timed, const char *folder, const char *shape)
{
    load(&timed->input.documents, folder, timed->what->format, shape);
    if (!timed->what->encodes)
        return;
    tape_load(&timed->input.values, &timed->input.documents);
    timed->input.room_size = timed->input.documents.largest;
    timed->input.room = malloc(timed->input.room_size);
    if (!timed->input.room)
        abort();
}

/* What an encoder left must be the last document as the generator of the corpus spelled it. */
static void check_encoded(const timed_job *timed, const char *folder, const char *shape)
{
    corpus expected;
    document last;
    size_t position = 0;
    if (!timed->what->encodes)
        return;
    load(&expected, folder, timed->what->encodes, shape);
    while (corpus_next(&expected, &position, &last))
        ;
    if (memcmp(timed->input.room, last.bytes, last.length) != 0)
        job_failed(timed->what->name);
    corpus_free(&expected);
}

static int64_t cpu_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void time_round(timed_job *timed, size_t round)
{
    int64_t start = cpu_nanoseconds();
    size_t nodes = timed->what->run(&timed->input);
    timed->rounds[round] = cpu_nanoseconds() - start;
    if (nodes != timed->nodes)
        job_failed(timed->what->name);
}

static void print_and_free(timed_job *timed, size_t rounds)
{
    printf("%s\t%zu", timed->what->name, timed->nodes);
    for (size_t i = 0; i < rounds; i++)
        printf("\t%" PRId64, timed->rounds[i]);
    putchar('\n');
    corpus_free(&timed->input.documents);
    tape_free(&timed->input.values);
    free(timed->input.room);
}

static void time_jobs(const char *folder, const char *shape, size_t rounds, char **names, size_t count)
{
    static timed_job timed[MOST_JOBS];
    for (size_t i = 0; i < count; i++) {
        timed[i].what = job_named(names[i]);
        prepare(&timed[i], folder, shape);
        timed[i].nodes = timed[i].what->run(&timed[i].input);
        check_encoded(&timed[i], folder, shape);
    }
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++)
            time_round(&timed[i], round);
    for (size_t i = 0; i < count; i++)
        print_and_free(&timed[i], rounds);
}

static void print_sizes(void)
{
    printf("godot\t%zu\n", sizeof(gw_godot_reader));
    printf("leviathan\t%zu\n", sizeof(gw_leviathan_reader));
    printf("squirrel\t%zu\n", sizeof(gw_squirrel_reader));
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "sizes") == 0) {
        print_sizes();
        return 0;
    }
    long rounds = count > 4 ? strtol(arguments[3], NULL, 10) : -1;
    if (rounds < 0 || rounds > MOST_ROUNDS || count - 4 > MOST_JOBS) {
        fprintf(stderr, "usage: bench_codec FOLDER SHAPE ROUNDS JOB... | bench_codec sizes\n");
        return 2;
    }
    time_jobs(arguments[1], arguments[2], (size_t)rounds, arguments + 4, (size_t)count - 4);
    return 0;
}
