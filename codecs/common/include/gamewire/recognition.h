/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The result of gw_<codec>_recognize(): how strongly one payload indicates the codec's format.
 *
 * Evidence is counted in bits that a structured payload of another protocol (types, counters, times, lengths,
 * text, zeros, records) would have to match by chance; properties that such payloads usually have do not count. The
 * tests and their false-positive rates are listed in the source of each recognizer (recognize.c).
 *
 * A payload with GW_RECOGNIZED_ALONE bits is accepted by itself. Fewer bits are added up over a conversation, if all of
 * its payloads are possible, have one reading in common and name the same sender in each direction. Of payloads with
 * the same `evidence` one is counted.
 */
#ifndef GAMEWIRE_RECOGNITION_H
#define GAMEWIRE_RECOGNITION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of evidence that are sufficient for a single payload. */
#define GW_RECOGNIZED_ALONE 48U

typedef struct gw_recognition {
    uint32_t bits;     /* evidence; 0 when nothing indicates the format */
    uint32_t readings; /* which variants of the format (a bit each, defined by the codec) can read the payload; all
                          payloads of one conversation must have one in common. 0 only if not possible */
    bool possible;     /* false: a real sender of this format does not send this payload; decline it */
    uint32_t sender;   /* identifier of the sender, which each of its payloads contains, plus 1; 0: there is none */
    uint32_t evidence; /* hash of the content that the bits are for: payloads with the same hash count once; 0: the
                          whole payloads are compared */
    bool is_answer;    /* only answers the other side: in a conversation without other payloads with evidence,
                          it is none, unless it is accepted by itself */
    bool unlikely;     /* possible, but other protocols' payloads look like this more often: it is evidence against the
                      format while a conversation is not recognized, and is no reason to decline afterward */
    bool is_odd_alone; /* unlikely, since no sender writes some of it, and has no structure that indicates the format:
                          decline it, unless something around it, such as its length, does */
} gw_recognition;

#ifdef __cplusplus
}
#endif

#endif
