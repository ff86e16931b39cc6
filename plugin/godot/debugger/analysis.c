/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is known of a debugger session beyond one message.
 */
#include "analysis.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>

#include "common/conversation.h"

/* Threads that are stopped at the same time. */
#define MOST_THREADS 16

/* Of the proto data in file scope: a segment that begins in step is marked by its sequence number and this bit; breaks
 * have the message's number. */
#define STEP_KEY UINT32_C(0x80000000)

typedef struct stopped_thread {
    int64_t thread;
    godot_break *stop; /* NULL: none */
} stopped_thread;

typedef struct debugger_state {
    bool game_known;
    uint8_t game; /* its side */
    bool in_step[2];
    stopped_thread threads[MOST_THREADS];
} debugger_state;

static int proto_debugger = -1;

void godot_debugger_analysis_register(int protocol)
{
    proto_debugger = protocol;
}

bool godot_debugger_is_known(packet_info *pinfo)
{
    return gw_conversation_find(pinfo, proto_debugger) != NULL;
}

gw_godot_debugger_side godot_debugger_sender(packet_info *pinfo)
{
    const debugger_state *state = (const debugger_state *)gw_conversation_find(pinfo, proto_debugger);
    if (!state || !state->game_known)
        return GW_GODOT_DEBUGGER_EITHER;
    return state->game == gw_sender_side(pinfo) ? GW_GODOT_DEBUGGER_GAME : GW_GODOT_DEBUGGER_EDITOR;
}

/* ---- step ---------------------------------------------------------------------------------------------- */

static uint32_t step_key(const void *data)
{
    const struct tcpinfo *tcp = (const struct tcpinfo *)data;
    return STEP_KEY | (tcp ? tcp->seq & ~STEP_KEY : 0);
}

bool godot_debugger_begins_in_step(packet_info *pinfo, const void *data)
{
    uint32_t key = step_key(data);
    if (PINFO_FD_VISITED(pinfo) || gw_is_quoted(pinfo))
        return p_get_proto_data(wmem_file_scope(), pinfo, proto_debugger, key) != NULL;
    debugger_state *state = (debugger_state *)gw_conversation_find(pinfo, proto_debugger);
    if (!state || !state->in_step[gw_sender_side(pinfo)])
        return false;
    p_set_proto_data(wmem_file_scope(), pinfo, proto_debugger, key, state);
    return true;
}

void godot_debugger_set_step(packet_info *pinfo, bool in_step)
{
    if (PINFO_FD_VISITED(pinfo) || gw_is_quoted(pinfo))
        return;
    debugger_state *state = (debugger_state *)gw_conversation_obtain(pinfo, proto_debugger, sizeof *state);
    state->in_step[gw_sender_side(pinfo)] = in_step;
}

/* ---- breaks -------------------------------------------------------------------------------------------- */

/* The entry of a thread; a free one, or the first, when it has none. */
static stopped_thread *entry_of(debugger_state *state, int64_t thread)
{
    stopped_thread *unused = NULL;
    for (unsigned i = 0; i < MOST_THREADS; i++) {
        if (state->threads[i].stop && state->threads[i].thread == thread)
            return &state->threads[i];
        if (!state->threads[i].stop && !unused)
            unused = &state->threads[i];
    }
    return unused ? unused : &state->threads[0];
}

static godot_break *enter(packet_info *pinfo, debugger_state *state, int64_t thread)
{
    stopped_thread *entry = entry_of(state, thread);
    entry->thread = thread;
    entry->stop = wmem_new0(wmem_file_scope(), godot_break);
    entry->stop->entered_in = pinfo->num;
    entry->stop->entered = pinfo->abs_ts;
    return entry->stop;
}

static godot_break *resume(packet_info *pinfo, debugger_state *state, int64_t thread)
{
    godot_break *stop = entry_of(state, thread)->stop;
    if (stop && !stop->resumed_in) {
        stop->resumed_in = pinfo->num;
        stop->resumed = pinfo->abs_ts;
    }
    return stop;
}

static godot_break *leave(packet_info *pinfo, debugger_state *state, int64_t thread)
{
    stopped_thread *entry = entry_of(state, thread);
    godot_break *stop = entry->stop;
    entry->stop = NULL;
    if (stop) {
        stop->exited_in = pinfo->num;
        stop->exited = pinfo->abs_ts;
    }
    return stop;
}

static godot_break *follow(packet_info *pinfo, debugger_state *state, uint8_t effect, int64_t thread)
{
    switch ((gw_godot_debugger_effect)effect) {
    case GW_GODOT_DEBUGGER_ENTERS:
        return enter(pinfo, state, thread);
    case GW_GODOT_DEBUGGER_RESUMES:
        return resume(pinfo, state, thread);
    case GW_GODOT_DEBUGGER_EXITS:
        return leave(pinfo, state, thread);
    default:
        return NULL;
    }
}

static void learn_sides(packet_info *pinfo, debugger_state *state, const gw_godot_debugger_reader *reader)
{
    if (state->game_known || reader->sender == GW_GODOT_DEBUGGER_EITHER)
        return;
    state->game_known = true;
    state->game = gw_sender_side(pinfo) ^ (reader->sender == GW_GODOT_DEBUGGER_GAME ? 0U : 1U);
}

const godot_break *godot_debugger_learn(packet_info *pinfo, const gw_godot_debugger_reader *reader, int64_t thread)
{
    unsigned ordinal = gw_packet_ordinal(pinfo, proto_debugger);
    if (PINFO_FD_VISITED(pinfo))
        return (const godot_break *)p_get_proto_data(wmem_file_scope(), pinfo, proto_debugger, ordinal);
    if (gw_is_quoted(pinfo))
        return NULL;
    debugger_state *state = (debugger_state *)gw_conversation_obtain(pinfo, proto_debugger, sizeof *state);
    learn_sides(pinfo, state, reader);
    godot_break *stop = follow(pinfo, state, reader->effect, thread);
    if (stop)
        p_add_proto_data(wmem_file_scope(), pinfo, proto_debugger, ordinal, stop);
    return stop;
}
