/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Analysis of a debugger session across messages.
 */
#include "internal.h"

#include <epan/proto_data.h>

#include "common/conversation.h"

/* Maximum number of threads that are stopped at the same time. */
#define MOST_THREADS 16

typedef struct stopped_thread {
    int64_t thread;
    godot_debugger_findings *findings; /* NULL: none */
} stopped_thread;

typedef struct debugger_state {
    bool game_known;
    uint8_t game; /* side of the game */
    stopped_thread threads[MOST_THREADS];
} debugger_state;

gw_godot_debugger_side godot_debugger_sender(packet_info *pinfo)
{
    const debugger_state *state = (const debugger_state *)gw_conversation_find(pinfo, proto_godot_debugger);
    if (state && state->game_known)
        return state->game == gw_sender_side(pinfo) ? GW_GODOT_DEBUGGER_GAME : GW_GODOT_DEBUGGER_EDITOR;

    /* The side whose port is one of the editor's default ones, unless both sides have one. */
    bool from_editor = godot_debugger_is_port(pinfo->srcport), to_editor = godot_debugger_is_port(pinfo->destport);
    if (from_editor == to_editor)
        return GW_GODOT_DEBUGGER_EITHER;
    return from_editor ? GW_GODOT_DEBUGGER_EDITOR : GW_GODOT_DEBUGGER_GAME;
}

/* ---- breaks -------------------------------------------------------------------------------------------- */

/* NULL if the thread is not known to be stopped. */
static stopped_thread *find_entry(debugger_state *state, int64_t thread)
{
    for (unsigned i = 0; i < MOST_THREADS; i++)
        if (state->threads[i].findings && state->threads[i].thread == thread)
            return &state->threads[i];
    return NULL;
}

/* Stores the message's part of a stop. NULL: it belongs to no stop that was captured. */
static godot_debugger_findings *keep_effect(packet_info *pinfo, debugger_state *state,
                                            const godot_debugger_facts *facts)
{
    stopped_thread *entry = find_entry(state, facts->thread);
    godot_debugger_findings *findings = entry ? entry->findings : NULL;
    switch (facts->effect) {
    case GW_GODOT_DEBUGGER_ENTERS:
        /* In the thread's entry; or in a free one or, if all are in use, the first one. */
        for (unsigned i = 0; i < MOST_THREADS && !entry; i++)
            if (!state->threads[i].findings)
                entry = &state->threads[i];
        if (!entry)
            entry = &state->threads[0];
        findings = wmem_new0(wmem_file_scope(), godot_debugger_findings);
        findings->entered_in = pinfo->num;
        findings->entered = pinfo->abs_ts;
        *entry = (stopped_thread){ facts->thread, findings };
        return findings;
    case GW_GODOT_DEBUGGER_RESUMES:
        if (findings && !findings->resumed_in) {
            findings->resumed_in = pinfo->num;
            findings->resumed = pinfo->abs_ts;
        }
        return findings;
    case GW_GODOT_DEBUGGER_EXITS:
        if (findings) {
            findings->exited_in = pinfo->num;
            findings->exited = pinfo->abs_ts;
            entry->findings = NULL;
        }
        return findings;
    default:
        return NULL;
    }
}

const godot_debugger_findings *godot_debugger_analyze(packet_info *pinfo, const godot_debugger_facts *facts)
{
    unsigned ordinal = gw_packet_ordinal(pinfo, proto_godot_debugger);
    if (gw_is_later_pass(pinfo))
        return (const godot_debugger_findings *)p_get_proto_data(wmem_file_scope(), pinfo, proto_godot_debugger,
                                                                 ordinal);
    if (gw_is_quoted(pinfo))
        return NULL;
    debugger_state *state = (debugger_state *)gw_conversation_obtain(pinfo, proto_godot_debugger, sizeof *state);
    if (!state->game_known && facts->sender != GW_GODOT_DEBUGGER_EITHER) {
        state->game_known = true;
        state->game = gw_sender_side(pinfo) ^ (facts->sender == GW_GODOT_DEBUGGER_GAME ? 0U : 1U);
    }
    godot_debugger_findings *findings = keep_effect(pinfo, state, facts);
    if (findings)
        p_add_proto_data(wmem_file_scope(), pinfo, proto_godot_debugger, ordinal, findings);
    return findings;
}
