/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The relations of a message to others, each in a file of this folder that keeps its data on the first pass and sets its
 * findings.
 */
#include "internal.h"

#include "godot/multiplayer/names/internal.h"

typedef void relation(const godot_mp_context *context);

/* In this order: each uses the findings of those before it. The first sets findings without a connection, too. What they
 * store, and its limits: internal.h. */
static relation *const relations[] = {
    godot_mp_analyze_ends, /* the peers at the ends, the source and the target; whether they have admitted each other */
    godot_mp_analyze_paths,   /* ids of paths: definitions, confirmations, refusals, calls, spawners */
    godot_mp_analyze_spawns,  /* spawned nodes and their synchronizers; despawns */
    godot_mp_analyze_syncs,   /* the sync before; of each update: synchronizer, rivals, interval */
    godot_mp_analyze_players, /* names in calls */
    godot_mp_analyze_relays,  /* the same message in another connection */
    godot_mp_analyze_calls,   /* too many reliable calls */
};

void godot_mp_analyze(godot_mp_message *message)
{
    godot_mp_findings *findings = wmem_new0(message->pinfo->pool, godot_mp_findings);
    const godot_mp_context context = {
        .message = message, .position = &message->position, .facts = &message->facts, .findings = findings
    };
    message->findings = findings;
    for (size_t i = 0; i < G_N_ELEMENTS(relations) && (!i || message->position.connection); i++)
        relations[i](&context);
}
