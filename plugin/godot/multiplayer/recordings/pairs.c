/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A record waits for one of the same message by the other end: the same peers and bytes, within LONGEST_WAY. Of several,
 * the one with the same ordinal is taken, else the oldest. The clocks of two machines differ, so the receiver's record may
 * come first.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/conversation.h"
#include "common/items.h"
#include "common/keys.h"

/* Seconds. */
#define LONGEST_WAY 30
/* Of records with the same bytes between the same peers. */
#define MOST_WAITING 64U

typedef struct waiting_key {
    uint32_t connection;
    int32_t from;
    int32_t to;
    uint32_t bytes; /* hash of the message */
} waiting_key;

_Static_assert(sizeof(waiting_key) == GW_KEY_SIZE, "hashed as a key");

typedef struct waiting_copy {
    waiting_key key; /* the map's, if it is the first of its list */
    godot_mp_copy *copy;
    struct waiting_copy *next;  /* with the same key */
    struct waiting_copy *later; /* of all */
    bool is_unlisted;           /* it was paired, or its list was full */
} waiting_copy;

static gw_archive copies;
static wmem_map_t *waiting;           /* waiting_key: the first waiting_copy */
static waiting_copy *oldest, *newest; /* of all, also of those in no list */

static void forget_waiting(void)
{
    oldest = newest = NULL;
}

void godot_mp_register_pairs(void)
{
    gw_archive_init(&copies);
    waiting = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), gw_hash_key, gw_equal_keys);
    register_init_routine(forget_waiting);
}

/* ---- the lists ----------------------------------------------------------------------------------------- */

static void set_first(const waiting_key *key, waiting_copy *first)
{
    wmem_map_remove(waiting, key);
    if (first)
        wmem_map_insert(waiting, &first->key, first);
}

static void take_out(waiting_copy *gone)
{
    waiting_copy *first = wmem_map_lookup(waiting, &gone->key);
    gone->is_unlisted = true;
    if (first == gone) {
        set_first(&gone->key, gone->next);
        return;
    }
    while (first && first->next != gone)
        first = first->next;
    if (first)
        first->next = gone->next;
}

static bool is_too_old(const godot_mp_copy *copy, int64_t now)
{
    return now - copy->time > LONGEST_WAY * GW_NANOSECONDS;
}

static void drop_old(int64_t now)
{
    while (oldest && (oldest->is_unlisted || is_too_old(oldest->copy, now))) {
        waiting_copy *gone = oldest;
        oldest = gone->later;
        if (!oldest)
            newest = NULL;
        if (!gone->is_unlisted)
            take_out(gone);
        wmem_free(wmem_file_scope(), gone);
    }
}

static void add_waiting(const waiting_key *key, godot_mp_copy *copy)
{
    waiting_copy *added = wmem_new0(wmem_file_scope(), waiting_copy);
    waiting_copy *last = wmem_map_lookup(waiting, key);
    added->key = *key;
    added->copy = copy;
    if (newest)
        newest->later = added;
    else
        oldest = added;
    newest = added;
    if (!last) {
        wmem_map_insert(waiting, &added->key, added);
        return;
    }
    unsigned count = 1;
    for (; last->next; last = last->next)
        count++;
    if (count < MOST_WAITING)
        last->next = added;
    else
        added->is_unlisted = true;
}

/* ---- one record ---------------------------------------------------------------------------------------- */

/* The record of the other end. `count`: how many may be it. */
static waiting_copy *find_other(const waiting_key *key, const godot_mp_copy *copy, unsigned *count)
{
    waiting_copy *found = NULL;
    *count = 0;
    for (waiting_copy *one = wmem_map_lookup(waiting, key); one; one = one->next) {
        if (one->copy->is_received == copy->is_received)
            continue;
        if (one->copy->ordinal == copy->ordinal) {
            *count = 1;
            return one;
        }
        if (!found)
            found = one;
        ++*count;
    }
    return found;
}

/* The same record again: a file that was merged twice, or the beginning of a recording's next part. */
static bool is_again(const waiting_key *key, const godot_mp_copy *copy)
{
    for (const waiting_copy *one = wmem_map_lookup(waiting, key); one; one = one->next)
        if (one->copy->is_received == copy->is_received && one->copy->ordinal == copy->ordinal &&
            one->copy->time == copy->time)
            return true;
    return false;
}

static void keep_copy(godot_mp_copy *copy, const waiting_key *key)
{
    unsigned count;
    drop_old(copy->time);
    waiting_copy *other = find_other(key, copy, &count);
    if (!other) {
        copy->is_repeated = is_again(key, copy);
        if (!copy->is_repeated)
            add_waiting(key, copy);
        return;
    }
    copy->other = other->copy;
    other->copy->other = copy;
    copy->is_repeated = true;
    copy->is_uncertain = other->copy->is_uncertain = count > 1;
    take_out(other);
}

const godot_mp_copy *godot_mp_pair(packet_info *pinfo, const godot_mp_copy_key *key, tvbuff_t *message)
{
    if (!gw_is_first_pass(pinfo))
        return gw_archive_find(&copies, pinfo, 0, NULL);
    unsigned length = tvb_captured_length(message);
    const waiting_key whole = { key->connection, key->from, key->to,
                                wmem_strong_hash(gw_bytes_of(message), length) ^ length };
    godot_mp_copy *copy = gw_archive_add(&copies, pinfo, 0, sizeof *copy);
    copy->time = gw_nanoseconds(&pinfo->abs_ts);
    copy->frame = pinfo->num;
    copy->ordinal = key->ordinal;
    copy->is_received = key->is_received;
    keep_copy(copy, &whole);
    return copy;
}
