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

bool godot_debugger_is_known(packet_info *pinfo)
{
    return gw_conversation_find(pinfo, proto_godot_debugger) != NULL;
}

/* The side whose port is one of the editor's default ones, unless both sides have one. */
static gw_godot_debugger_side sender_by_port(const packet_info *pinfo)
{
    bool from_editor = godot_debugger_is_port(pinfo->srcport), to_editor = godot_debugger_is_port(pinfo->destport);
    if (from_editor == to_editor)
        return GW_GODOT_DEBUGGER_EITHER;
    return from_editor ? GW_GODOT_DEBUGGER_EDITOR : GW_GODOT_DEBUGGER_GAME;
}

gw_godot_debugger_side godot_debugger_sender(packet_info *pinfo)
{
    const debugger_state *state = (const debugger_state *)gw_conversation_find(pinfo, proto_godot_debugger);
    if (!state || !state->game_known)
        return sender_by_port(pinfo);
    return state->game == gw_sender_side(pinfo) ? GW_GODOT_DEBUGGER_GAME : GW_GODOT_DEBUGGER_EDITOR;
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

/* The entry of the thread; or a free one or, if all are in use, the first one. */
static stopped_thread *obtain_entry(debugger_state *state, int64_t thread)
{
    stopped_thread *entry = find_entry(state, thread);
    for (unsigned i = 0; i < MOST_THREADS && !entry; i++)
        if (!state->threads[i].findings)
            entry = &state->threads[i];
    return entry ? entry : &state->threads[0];
}

static godot_debugger_findings *keep_stop(packet_info *pinfo, debugger_state *state, int64_t thread)
{
    stopped_thread *entry = obtain_entry(state, thread);
    entry->thread = thread;
    entry->findings = wmem_new0(wmem_file_scope(), godot_debugger_findings);
    entry->findings->entered_in = pinfo->num;
    entry->findings->entered = pinfo->abs_ts;
    return entry->findings;
}

static godot_debugger_findings *keep_resumed(packet_info *pinfo, debugger_state *state, int64_t thread)
{
    const stopped_thread *entry = find_entry(state, thread);
    godot_debugger_findings *findings = entry ? entry->findings : NULL;
    if (findings && !findings->resumed_in) {
        findings->resumed_in = pinfo->num;
        findings->resumed = pinfo->abs_ts;
    }
    return findings;
}

static godot_debugger_findings *keep_continued(packet_info *pinfo, debugger_state *state, int64_t thread)
{
    stopped_thread *entry = find_entry(state, thread);
    if (!entry)
        return NULL;
    godot_debugger_findings *findings = entry->findings;
    entry->findings = NULL;
    findings->exited_in = pinfo->num;
    findings->exited = pinfo->abs_ts;
    return findings;
}

static godot_debugger_findings *keep_effect(packet_info *pinfo, debugger_state *state,
                                            const godot_debugger_facts *facts)
{
    switch (facts->effect) {
    case GW_GODOT_DEBUGGER_ENTERS:
        return keep_stop(pinfo, state, facts->thread);
    case GW_GODOT_DEBUGGER_RESUMES:
        return keep_resumed(pinfo, state, facts->thread);
    case GW_GODOT_DEBUGGER_EXITS:
        return keep_continued(pinfo, state, facts->thread);
    default:
        return NULL;
    }
}

static void keep_sides(packet_info *pinfo, debugger_state *state, gw_godot_debugger_side sender)
{
    if (state->game_known || sender == GW_GODOT_DEBUGGER_EITHER)
        return;
    state->game_known = true;
    state->game = gw_sender_side(pinfo) ^ (sender == GW_GODOT_DEBUGGER_GAME ? 0U : 1U);
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
    keep_sides(pinfo, state, facts->sender);
    godot_debugger_findings *findings = keep_effect(pinfo, state, facts);
    if (findings)
        p_add_proto_data(wmem_file_scope(), pinfo, proto_godot_debugger, ordinal, findings);
    return findings;
}
