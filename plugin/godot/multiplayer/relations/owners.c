/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts how often the sender of a synchronizer's updates changes: consecutive updates of one peer are a turn.
 */
#include "internal.h"

#include "common/times.h"

/* Two peers are rivals after this number of turns, none longer than LONGEST_TURN, that take SHORTEST_RIVALRY in all:
 * more than a round trip. */
#define FEWEST_TURNS     8
#define LONGEST_TURN     (GW_NANOSECONDS / 2)
#define SHORTEST_RIVALRY (GW_NANOSECONDS / 2)
/* Of one synchronizer: later ones are not stored. */
#define MOST_RIVALRIES 64

typedef struct update_sender {
    int32_t id; /* 0: not known */
    uint8_t side;
    bool is_known;
} update_sender;

/* Times as of gw_nanoseconds(). */
typedef struct synchronizer_owners {
    update_sender current;
    update_sender other; /* of the turn before */
    uint32_t turns;      /* of these two, without a longer one */
    int64_t begun;       /* first of these turns */
    uint32_t begun_seq;
    int64_t turned; /* current turn */
    int64_t latest; /* latest update */
    uint32_t latest_seq;
    uint32_t rivalries;
    godot_mp_rivals *first;
    godot_mp_rivals *last;
    bool are_rivals; /* `last` goes on */
} synchronizer_owners;

static bool is_same(const update_sender *one, const update_sender *other)
{
    return one->is_known && other->is_known && one->id == other->id && one->side == other->side;
}

static void add_rivals(synchronizer_owners *owners)
{
    godot_mp_rivals *rivals = wmem_new(wmem_file_scope(), godot_mp_rivals);
    *rivals = (godot_mp_rivals){ .first_seq = owners->begun_seq, .ids = { owners->other.id, owners->current.id } };
    *(owners->last ? &owners->last->next : &owners->first) = rivals;
    owners->last = rivals;
    owners->rivalries++;
    owners->are_rivals = true;
}

static void keep_owner(const godot_mp_position *position, const char *path, int32_t id)
{
    const update_sender sender = { .id = id, .side = position->side, .is_known = true };
    const int64_t time = gw_nanoseconds(&position->pinfo->abs_ts);
    if (!position->first_pass)
        return;
    synchronizer_owners *owners = wmem_map_lookup(position->connection->owners, path);
    if (!owners) {
        owners = wmem_new0(wmem_file_scope(), synchronizer_owners);
        owners->current = sender;
        wmem_map_insert(position->connection->owners, wmem_strdup(wmem_file_scope(), path), owners);
    }
    /* 1. A long turn ends the rivalry: the peer that has it is the authority. */
    bool ends = time - owners->turned > LONGEST_TURN;
    /* 2. Another peer than before begins a turn; the first turn of two peers begins with the latest update of the other. */
    bool is_turn = !is_same(&sender, &owners->current);
    ends = ends || (is_turn && !is_same(&sender, &owners->other));
    if (ends) {
        owners->turns = 0;
        owners->are_rivals = false;
    }
    if (is_turn && !owners->turns) {
        owners->begun = owners->latest;
        owners->begun_seq = owners->latest_seq;
    }
    if (is_turn) {
        owners->turns++;
        owners->other = owners->current;
        owners->current = sender;
        owners->turned = time;
    }
    /* 3. After enough turns in enough time they are rivals, until a long turn. */
    if (owners->turns >= FEWEST_TURNS && time - owners->begun > SHORTEST_RIVALRY) {
        if (!owners->are_rivals && owners->rivalries < MOST_RIVALRIES)
            add_rivals(owners);
        if (owners->are_rivals)
            owners->last->last_seq = position->seq;
    }
    owners->latest = time;
    owners->latest_seq = position->seq;
}

static const godot_mp_rivals *find_rivals(const godot_mp_position *position, const char *path)
{
    const synchronizer_owners *owners = wmem_map_lookup(position->connection->owners, path);
    const godot_mp_rivals *rivals = owners ? owners->first : NULL;
    while (rivals && position->seq > rivals->last_seq)
        rivals = rivals->next;
    return rivals && position->seq >= rivals->first_seq ? rivals : NULL;
}

void godot_mp_analyze_owners(const godot_mp_context *context)
{
    const godot_mp_findings *findings = context->findings;
    for (uint32_t i = 0; findings->updates && i < context->facts->update_count; i++) {
        godot_mp_found_update *update = &findings->updates[i];
        const godot_mp_path *path = update->path.is_later ? NULL : update->path.entry;
        if (!path)
            continue;
        keep_owner(context->position, path->path, findings->has_source ? findings->source : 0);
        update->rivals = find_rivals(context->position, path->path);
    }
}
