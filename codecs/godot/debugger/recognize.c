/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * How strongly bytes indicate the remote debugger; the tests are listed at gw_godot_debugger_recognize(). A game that
 * sends arrays with a text in front is not rare: without a name that the tables have, nothing counts.
 */
#include "tables.h"

#define LETTER_BITS   4U
#define MOST_LETTERS  8U
#define FORM_BITS     8U
#define SUITED_BITS   4U
#define MOST_SUITED   4U
#define MOST_OF_VALUE 16U
#define MOST_BITS     UINT32_C(100000)

/* The smaller of two numbers. */
static uint32_t least(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

/* The bits of evidence of one complete message; 0 if its name is not in the tables. The message is one Array or, from a
 * game of Godot 3, a sequence of Variants, each with its own length (`is_flat`). `summary->suited`: the number of
 * values whose type is the only one that the engine sends at their place in the message. */
static uint32_t weigh(const gw_godot_debugger_reader *reader, const uint8_t *bytes,
                      const gw_godot_debugger_summary *summary)
{
    uint32_t prefix = reader->options.form == GW_GODOT_DEBUGGER_BARE ? 0 : GW_GODOT_DEBUGGER_PREFIX;
    uint32_t bits = 0, letters = 0, offset = reader->options.offset + prefix;
    gw_recognition value = { 0 };
    if (!reader->known_name)
        return 0;
    /* A sequence is not one Variant that can be weighed. */
    if (!reader->is_flat &&
        gw_godot_recognize(bytes + offset, reader->end - offset, reader->end - offset, NULL, &value))
        bits = least(value.bits, MOST_OF_VALUE);
    /* After the name, a sequence has a count, and an Array of Godot 4 an Array of data, since 4.2 with the number of
     * the thread before it. An Array of Godot 3 has arguments of any type there: its form is not evidence. */
    if (reader->is_flat || reader->generation == GW_GODOT_4)
        bits += FORM_BITS;
    /* The length of the name, up to the limit. */
    while (letters < MOST_LETTERS && reader->known_name[letters])
        letters++;
    return bits + LETTER_BITS * letters + SUITED_BITS * least(summary->suited, MOST_SUITED);
}

/* Adds up the bits of the messages from the beginning of the bytes on; false if no message begins there. Without
 * options, the bytes are a stream in which a message begins at the first one (is_synchronized). `readings` has the bit
 * of the generation of the first message, which the others must have, too; the sum is limited to MOST_BITS. */
bool gw_godot_debugger_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                                 const gw_godot_debugger_options *options, gw_recognition *recognition)
{
    gw_godot_debugger_options reading = options ? *options : (gw_godot_debugger_options){ .is_synchronized = true };
    gw_godot_debugger_reader reader;
    gw_godot_debugger_summary summary;
    *recognition = (gw_recognition){ 0 };
    /* Reading ends when the evidence is sufficient, before the end of a long segment. */
    while (reading.offset < captured && recognition->bits < 2 * GW_RECOGNIZED_ALONE) {
        gw_godot_debugger_init(&reader, bytes, captured, &reading);
        bool is_cut = reader.fault.fault_class == GW_FAULT_TRUNCATED;
        uint32_t readings = 1U << reader.generation;
        /* Evidence ends at bytes that are no message, or at one of another generation. The first message must be
         * whole. */
        if ((reader.fault.fault_class && !is_cut) || (is_cut && !recognition->readings) ||
            (recognition->readings && !is_cut && recognition->readings != readings))
            break;
        recognition->possible = true;
        if (is_cut)
            break;
        gw_godot_debugger_validate(bytes, captured, &reading, &summary);
        recognition->readings = readings;
        recognition->bits = least(recognition->bits + weigh(&reader, bytes, &summary), MOST_BITS);
        reading.offset = reader.end;
        if (reading.form == GW_GODOT_DEBUGGER_BARE) /* a WebSocket message is one Array */
            break;
    }
    /* A bare message is read up to the end of the input: a truncated one cannot be tested. */
    if (captured < wire_length && reading.form == GW_GODOT_DEBUGGER_BARE)
        *recognition = (gw_recognition){ 0 };
    return recognition->possible;
}
