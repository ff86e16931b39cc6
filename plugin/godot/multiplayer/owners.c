/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts how often the sender of a synchronizer's updates changes: consecutive updates of one peer are a turn.
 */
#include "owners.h"

/* Two peers are rivals after this number of turns, none longer than LONGEST_TURN, that take SHORTEST_RIVALRY in all: in
 * seconds and nanoseconds, more than a round trip. */
#define FEWEST_TURNS 8
#define LONGEST_TURN \
    { \
        0, 500000000 \
    }
#define SHORTEST_RIVALRY \
    { \
        0, 500000000 \
    }
/* Of one synchronizer: later ones are not stored. */
#define MOST_RIVALRIES 64

typedef struct update_sender {
    int32_t id; /* 0: not known */
    uint8_t side;
    bool is_known;
} update_sender;

typedef struct synchronizer_owners {
    update_sender current;
    update_sender other; /* of the turn before */
    uint32_t turns;      /* of these two, without a longer one */
    nstime_t begun;      /* first of these turns */
    uint32_t begun_seq;
    nstime_t turned; /* current turn */
    nstime_t latest; /* latest update */
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

static bool is_within(const nstime_t *later, const nstime_t *earlier, nstime_t limit)
{
    nstime_t between;
    nstime_delta(&between, later, earlier);
    return nstime_cmp(&between, &limit) <= 0;
}

static void end_turns(synchronizer_owners *owners)
{
    owners->turns = 0;
    owners->are_rivals = false;
}

/* The turns begin with the latest update of the other peer. */
static void begin_turn(synchronizer_owners *owners, const update_sender *sender, const nstime_t *time)
{
    if (!owners->turns || !is_same(sender, &owners->other)) {
        end_turns(owners);
        owners->begun = owners->latest;
        owners->begun_seq = owners->latest_seq;
    }
    owners->turns++;
    owners->other = owners->current;
    owners->current = *sender;
    owners->turned = *time;
}

static void keep_turn(synchronizer_owners *owners, const update_sender *sender, const nstime_t *time)
{
    const nstime_t longest = LONGEST_TURN;
    if (!is_within(time, &owners->turned, longest))
        end_turns(owners);
    if (!owners->current.is_known)
        owners->current = *sender;
    else if (!is_same(sender, &owners->current))
        begin_turn(owners, sender, time);
}

static void keep_rivals(synchronizer_owners *owners, uint32_t seq)
{
    if (!owners->are_rivals) {
        if (owners->rivalries == MOST_RIVALRIES)
            return;
        godot_mp_rivals *rivals = wmem_new(wmem_file_scope(), godot_mp_rivals);
        *rivals = (godot_mp_rivals){ .first_seq = owners->begun_seq, .ids = { owners->other.id, owners->current.id } };
        if (owners->last)
            owners->last->next = rivals;
        else
            owners->first = rivals;
        owners->last = rivals;
        owners->rivalries++;
        owners->are_rivals = true;
    }
    owners->last->last_seq = seq;
}

static synchronizer_owners *obtain_owners(const godot_mp_place *place, const char *path)
{
    synchronizer_owners *owners = wmem_map_lookup(place->connection->owners, path);
    if (!owners) {
        owners = wmem_new0(wmem_file_scope(), synchronizer_owners);
        wmem_map_insert(place->connection->owners, wmem_strdup(wmem_file_scope(), path), owners);
    }
    return owners;
}

void godot_mp_keep_owner(const godot_mp_place *place, const char *path, int32_t id)
{
    const update_sender sender = { .id = id, .side = place->side, .is_known = true };
    const nstime_t *time = &place->pinfo->abs_ts;
    const nstime_t shortest = SHORTEST_RIVALRY;
    if (!place->first_pass)
        return;
    synchronizer_owners *owners = obtain_owners(place, path);
    keep_turn(owners, &sender, time);
    if (owners->turns >= FEWEST_TURNS && !is_within(time, &owners->begun, shortest))
        keep_rivals(owners, place->seq);
    owners->latest = *time;
    owners->latest_seq = place->seq;
}

const godot_mp_rivals *godot_mp_find_rivals(const godot_mp_place *place, const char *path)
{
    const synchronizer_owners *owners = wmem_map_lookup(place->connection->owners, path);
    const godot_mp_rivals *rivals = owners ? owners->first : NULL;
    while (rivals && place->seq > rivals->last_seq)
        rivals = rivals->next;
    return rivals && place->seq >= rivals->first_seq ? rivals : NULL;
}
