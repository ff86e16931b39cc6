/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is timed: a job takes a corpus from its first document to its last. One that meets an error ends the
 * program, because its time would mean nothing.
 */
#ifndef GAMEWIRE_BENCH_JOBS_H
#define GAMEWIRE_BENCH_JOBS_H

#include "corpus.h"
#include "tape.h"

typedef struct job_input {
    corpus documents;
    tape values;   /* of encoders only */
    uint8_t *room; /* each document is encoded to its start; holds the last one afterward */
    size_t room_size;
} job_input;

/* Returns how many nodes it met, every value on the wire: containers, keys and scalars; of Squirrel, whose goal is that of
 * an event, how many events, a frame's end among them; 0 when it does not count them. */
typedef size_t job_function(const job_input *input);

/* Ours: every event is taken, and its number or text looked at. */
job_function decode_godot;
job_function validate_godot;
job_function encode_godot;
job_function decode_leviathan;
job_function validate_leviathan;
job_function decode_squirrel;
job_function validate_squirrel;

/* Peers, doing the same with the same documents in their own formats. */
job_function decode_libcbor;
job_function decode_libcbor_utf8;
job_function decode_msgpack_c;
job_function decode_msgpack_c_utf8;
job_function encode_msgpuck;

/* Results are stored here, so that the compiler cannot remove their computation. */
extern volatile uint64_t job_sink;

void job_failed(const char *what);

#endif
