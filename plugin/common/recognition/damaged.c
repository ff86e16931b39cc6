/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the damaged payloads of known conversations. The rule and its false-positive rates are in damaged.h.
 */
#include "common/recognition/damaged.h"

#include <epan/exceptions.h>
#include <gamewire/bytes.h>
#include <wsutil/bits_ctz.h>

#include "common/archive.h"
#include "common/conversation.h"
#include "common/display/experts.h"
#include "common/items.h"
#include "common/keys.h"

#define COMPARED 32U /* bytes at the start of a payload */
/* Streams whose payloads are stored, those with the latest ones: most connections of a long capture have ended. */
#define STREAMS 1024U
#define KINDS   16U /* of a direction */
/* Kinds with one first byte: payloads of many lengths do not displace all others. */
#define KINDS_OF_BYTE 4U
/* A kind stays for so many payloads of its direction after its latest one: with more kinds in turn than there are places,
 * each would displace the next one before it has a second payload. */
#define KEPT_PAYLOADS 32U
#define LEAST_COUNT   4U
#define LEAST_OF_BYTE 3U

#define FIRST_BYTES_BITS 24U
#define LENGTH_BITS      16U
#define ANY_LENGTH_BITS  24U

#define LENGTH_SIZE 4U

/* Accepted payloads for each one that is not read: in a conversation that carries other formats too, these are not
 * the protocol's. */
#define ACCEPTED_FOR_UNREAD 4U

/* The payloads of a direction with one length and first byte. */
typedef struct gw_damaged_kind {
    struct gw_damaged_kind *next;
    uint32_t length;         /* on the wire */
    uint32_t latest;         /* number of the latest payload in its direction */
    uint32_t constant;       /* bit n: byte n is the same in all of them */
    uint8_t count;           /* UINT8_MAX: that many or more */
    uint8_t size;            /* of the compared bytes */
    bool is_strong;          /* the first one has GW_DAMAGED_SAMPLE_BITS */
    uint8_t bytes[COMPARED]; /* of the first one */
} payload_kind;

typedef struct direction {
    payload_kind *kinds;
    uint32_t payloads;
} direction;

/* The payloads of one stream of a conversation. */
typedef struct gw_damaged_stream {
    struct gw_damaged_stream *next;            /* of the same conversation */
    struct gw_damaged_stream *earlier, *later; /* of the file, by their latest payloads */
    const conversation_t *conversation;
    uint32_t stream;
    uint32_t unread; /* number of payloads that were not accepted after the first one that was */
    direction sides[2];
} stream_payloads;

/* A damaged payload of a frame. */
typedef struct found_payload {
    struct found_payload *next;
    uint32_t hash;
    uint32_t length;
} found_payload;

/* True while the other heuristics of a list are called: no protocol of this plugin finds damaged payloads then. */
static bool is_offering;

/* Sets that no payload is stored. Called when the file is closed, which empties the maps, and when Wireshark ends.
 * True: it stays registered for the next file. */
static ws_bool forget_samples(wmem_allocator_t *scope _U_, wmem_cb_event_t event, void *damaged)
{
    gw_damaged *of_file = (gw_damaged *)damaged;
    of_file->any = false;
    of_file->earliest = of_file->latest = NULL;
    of_file->spare = NULL;
    of_file->streams = 0;
    return event == WMEM_CB_FREE_EVENT;
}

/* Prepares the maps (`samples`: accepted payloads; `found`: damaged ones; `unread`: not possible and not like others),
 * which Wireshark empties whenever a file is closed; forget_samples() then resets the other members. */
void gw_damaged_init(gw_damaged *damaged)
{
    wmem_register_callback(wmem_file_scope(), forget_samples, damaged);
    damaged->samples = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    damaged->found = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    damaged->unread = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}

/* ---- samples ------------------------------------------------------------------------------------------- */

/* The payloads of this stream of the conversation; NULL: none was accepted. */
static stream_payloads *find_stream(const gw_damaged *damaged, const conversation_t *conversation, uint32_t stream)
{
    /* Mostly that of the latest payload. */
    if (damaged->latest && damaged->latest->conversation == conversation && damaged->latest->stream == stream)
        return damaged->latest;
    stream_payloads *entry = (stream_payloads *)wmem_map_lookup(damaged->samples, conversation);
    while (entry && entry->stream != stream)
        entry = entry->next;
    return entry;
}

/* Removes the stream from the list of all streams, which is in the order of their latest payloads. */
static void unlink_stream(gw_damaged *damaged, stream_payloads *entry)
{
    *(entry->earlier ? &entry->earlier->later : &damaged->earliest) = entry->later;
    *(entry->later ? &entry->later->earlier : &damaged->latest) = entry->earlier;
}

/* Adds the stream, which has a payload now, to the end of the list of all streams. */
static void link_as_latest(gw_damaged *damaged, stream_payloads *entry)
{
    entry->earlier = damaged->latest;
    entry->later = NULL;
    *(damaged->latest ? &damaged->latest->later : &damaged->earliest) = entry;
    damaged->latest = entry;
}

/* Removes the stream whose latest payload is the earliest of all, and returns its memory. Its kinds are used again by
 * new_kind(). */
static stream_payloads *remove_earliest(gw_damaged *damaged)
{
    stream_payloads *removed = damaged->earliest;
    const conversation_t *conversation = removed->conversation;
    unlink_stream(damaged, removed);
    stream_payloads *first = (stream_payloads *)wmem_map_lookup(damaged->samples, conversation);
    stream_payloads **link = &first;
    while (*link != removed)
        link = &(*link)->next;
    *link = removed->next;
    if (first)
        wmem_map_insert(damaged->samples, conversation, first);
    else
        wmem_map_remove(damaged->samples, conversation);
    for (unsigned side = 0; side < 2; side++) {
        payload_kind *next;
        for (payload_kind *kind = removed->sides[side].kinds; kind; kind = next) {
            next = kind->next;
            kind->next = damaged->spare;
            damaged->spare = kind;
        }
    }
    return removed;
}

/* The payloads of the packet's direction in this stream of its conversation; empty if there were none yet. The stream
 * becomes the latest one. With more than STREAMS, it takes the place of the earliest one. */
static direction *obtain_direction(gw_damaged *damaged, packet_info *pinfo, uint32_t stream)
{
    const conversation_t *conversation = gw_conversation_of(pinfo);
    stream_payloads *entry = find_stream(damaged, conversation, stream);
    damaged->any = true; /* from now on, payloads that are not possible are compared */
    if (entry && entry != damaged->latest) {
        unlink_stream(damaged, entry);
        link_as_latest(damaged, entry);
    } else if (!entry) {
        bool is_full = damaged->streams == STREAMS;
        entry = is_full ? remove_earliest(damaged) : (stream_payloads *)gw_archive_alloc(sizeof *entry);
        damaged->streams += !is_full;
        *entry = (stream_payloads){ .next = (stream_payloads *)wmem_map_lookup(damaged->samples, conversation),
                                    .conversation = conversation,
                                    .stream = stream };
        wmem_map_insert(damaged->samples, conversation, entry);
        link_as_latest(damaged, entry);
    }
    return &entry->sides[gw_sender_side(pinfo)];
}

/* A new kind, added to those of the direction: in memory of a stream that was removed, if there is any. */
static payload_kind *new_kind(gw_damaged *damaged, direction *side)
{
    payload_kind *kind = damaged->spare;
    if (kind)
        damaged->spare = kind->next;
    else
        kind = (payload_kind *)gw_archive_alloc(sizeof *kind);
    kind->next = side->kinds;
    side->kinds = kind;
    return kind;
}

/* Finds or adds the kind of payloads with this length and the first of `bytes`; a new kind has a count of 0. A
 * direction has at most KINDS kinds, and KINDS_OF_BYTE with one first byte, so that payloads of many lengths do not
 * displace all others. At a limit, the new kind takes the place of the one whose latest payload is the oldest: of the
 * kinds with this first byte if these have reached their limit, else of all. NULL: that one still stays. */
static payload_kind *obtain_kind(gw_damaged *damaged, direction *side, const uint8_t *bytes, uint32_t length)
{
    payload_kind *oldest = NULL, *oldest_of_byte = NULL;
    uint32_t count = 0, count_of_byte = 0;
    for (payload_kind *kind = side->kinds; kind; kind = kind->next) {
        bool is_of_byte = kind->bytes[0] == bytes[0];
        if (is_of_byte && kind->length == length)
            return kind;
        if (!oldest || kind->latest < oldest->latest)
            oldest = kind;
        if (is_of_byte && (!oldest_of_byte || kind->latest < oldest_of_byte->latest))
            oldest_of_byte = kind;
        count_of_byte += is_of_byte;
        count++;
    }
    payload_kind *kind = count_of_byte < KINDS_OF_BYTE ? oldest : oldest_of_byte;
    if (count_of_byte < KINDS_OF_BYTE && count < KINDS)
        kind = new_kind(damaged, side);
    else if (side->payloads - kind->latest < KEPT_PAYLOADS)
        return NULL;
    kind->length = length;
    kind->count = 0;
    return kind;
}

/* Of the bytes that all payloads of this kind have in common (bit n of `constant`: byte n), the bits of those that are
 * equal in `bytes` too. */
static uint32_t constant_bytes(const payload_kind *kind, uint32_t constant, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t left = constant; left; left &= left - 1) {
        /* The lowest byte of those that are left. */
        uint32_t i = (uint32_t)ws_ctz(left);
        if (i >= MIN(kind->size, size) || kind->bytes[i] != bytes[i])
            constant &= ~(UINT32_C(1) << i);
    }
    return constant;
}

/* On the first pass: stores an accepted payload as an example, with which gw_damaged_find_like() compares later
 * payloads that are not possible. Of the first payload of a kind (a length and a first byte) the first COMPARED bytes
 * are stored; of the next ones, which of these bytes they have in common with it. `weigh` returns the bits of evidence
 * of a payload: others are compared with a kind only if its first payload has GW_DAMAGED_SAMPLE_BITS. `stream`: of the
 * conversation; 0 if it has one. */
void gw_damaged_keep(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream, gw_weigh weigh,
                     const void *data)
{
    uint32_t size = MIN(tvb_captured_length(tvb), COMPARED);
    if (!gw_is_first_pass(pinfo) || !size)
        return;
    const uint8_t *bytes = tvb_get_ptr(tvb, 0, (int)size);
    direction *side = obtain_direction(damaged, pinfo, stream);
    payload_kind *kind = obtain_kind(damaged, side, bytes, tvb_reported_length(tvb));
    side->payloads++;
    if (!kind)
        return;
    if (!kind->count) {
        kind->size = (uint8_t)size;
        kind->constant = UINT32_MAX;
        kind->is_strong = weigh(tvb, data) >= GW_DAMAGED_SAMPLE_BITS;
        memcpy(kind->bytes, bytes, size);
    } else {
        kind->constant = constant_bytes(kind, kind->constant, bytes, size);
        kind->size = (uint8_t)MIN(kind->size, size);
    }
    kind->count = (uint8_t)MIN(kind->count + 1U, UINT8_MAX);
    kind->latest = side->payloads;
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

/* Bits of the first bytes that equal those of the kind's first payload. Skips up to `may_differ` bytes that differ;
 * counting ends at the next one that differs. */
static uint32_t bits_of_first_bytes(const payload_kind *kind, const uint8_t *bytes, uint32_t size, uint32_t may_differ)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < MIN(size, kind->size); i++)
        if (bytes[i] == kind->bytes[i])
            bits += gw_bits_of_byte(bytes[i]);
        else if (!may_differ--)
            break;
    return bits;
}

/* Bits of the bytes that equal the kind's, of those that are the same in several payloads (bit n of `constant`: byte
 * n). One of them may differ; 0 if more do. */
static uint32_t bits_of_constant_bytes(const payload_kind *kind, uint32_t constant, const uint8_t *bytes, uint32_t size)
{
    uint32_t bits = 0, different = 0;
    for (uint32_t i = 0; i < MIN(size, kind->size); i++) {
        if (!(constant >> i & 1U))
            continue;
        if (bytes[i] == kind->bytes[i])
            bits += gw_bits_of_byte(bytes[i]);
        else if (different++)
            return 0;
    }
    return bits;
}

/* True if the payload is like those of the kind: the four tests of part 2 of the rule in damaged.h, one after the
 * other. `side` is the direction of the kind. */
static bool is_like(const direction *side, const payload_kind *kind, tvbuff_t *tvb)
{
    const uint8_t *bytes = gw_bytes_of(tvb);
    const uint32_t size = tvb_captured_length(tvb), length = tvb_reported_length(tvb), rest = length - LENGTH_SIZE;
    /* 1. Its first bytes are equal, except at most one. */
    if (bits_of_first_bytes(kind, bytes, size, 1) >= FIRST_BYTES_BITS)
        return true;
    /* 2. They are equal after four bytes that are the length of the rest. `rest` is valid only with `size` above
     * LENGTH_SIZE. */
    if (size > LENGTH_SIZE && (gw_le32(bytes) == rest || gw_be32(bytes) == rest) &&
        bits_of_first_bytes(kind, bytes + LENGTH_SIZE, size - LENGTH_SIZE, 0) >= FIRST_BYTES_BITS)
        return true;
    /* 3. It has the length of the kind, and its constant bytes, except at most one. */
    if (kind->length == length && kind->count >= LEAST_COUNT &&
        bits_of_constant_bytes(kind, kind->constant, bytes, size) >= LENGTH_BITS)
        return true;
    /* 4. It has the constant bytes of all payloads with the first byte of the kind, of any length, except at most
     * one: numbers that change from message to message do not count as damaged bytes. */
    uint32_t constant = kind->constant, count = 0;
    for (const payload_kind *other = side->kinds; other; other = other->next) {
        if (other->bytes[0] != kind->bytes[0])
            continue;
        constant = constant_bytes(kind, constant & other->constant, other->bytes, other->size);
        count += other->count;
    }
    return count >= LEAST_OF_BYTE && bits_of_constant_bytes(kind, constant, bytes, size) >= ANY_LENGTH_BITS;
}

/* ---- finding ------------------------------------------------------------------------------------------- */

/* The key by which a payload is found again in its frame on later passes. */
static found_payload payload_of(tvbuff_t *tvb)
{
    uint32_t length = tvb_captured_length(tvb);
    return (found_payload){ .hash = (uint32_t)gw_hash_bytes(gw_bytes_of(tvb), length), .length = length };
}

/* True if keep_payload() has stored this payload of the packet's frame in this map of gw_damaged. Most frames have
 * none, and their payloads are not hashed. */
static bool has_payload(wmem_map_t *payloads, const packet_info *pinfo, tvbuff_t *tvb)
{
    const found_payload *entry = (found_payload *)wmem_map_lookup(payloads, GUINT_TO_POINTER(pinfo->num));
    const found_payload payload = entry ? payload_of(tvb) : (found_payload){ .length = 0 };
    while (entry && (entry->hash != payload.hash || entry->length != payload.length))
        entry = entry->next;
    return entry != NULL;
}

/* On the first pass: stores the payload for its frame in `payloads` (the map `found` or `unread` of gw_damaged), by
 * which later passes find the result of the first one. */
static void keep_payload(wmem_map_t *payloads, const packet_info *pinfo, tvbuff_t *tvb)
{
    found_payload *payload = wmem_new(wmem_file_scope(), found_payload);
    *payload = payload_of(tvb);
    payload->next = (found_payload *)wmem_map_lookup(payloads, GUINT_TO_POINTER(pinfo->num));
    wmem_map_insert(payloads, GUINT_TO_POINTER(pinfo->num), payload);
}

/* On the first pass: stores a payload as damaged, without a comparison, because its protocol knows, by ids in it, that
 * it is one of this conversation. Nothing while other heuristics are called for the payload (is_offering), which may
 * accept it as possible only. */
void gw_damaged_keep_known(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb)
{
    if (is_offering || !gw_is_first_pass(pinfo) || gw_is_quoted(pinfo) || has_payload(damaged->found, pinfo, tvb))
        return;
    damaged->any = true;
    keep_payload(damaged->found, pinfo, tvb);
}

/* True if the payload is like those that were accepted before it in its direction and stream: is_like(). False while
 * other heuristics are called for it (is_offering), which may accept it as possible only. Later passes repeat the
 * result of the first one. */
bool gw_damaged_find_like(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream)
{
    if (is_offering || gw_is_quoted(pinfo) || !tvb_captured_length(tvb))
        return false;
    if (has_payload(damaged->found, pinfo, tvb))
        return true;
    /* NULL on later passes, on which only stored payloads are damaged. */
    const conversation_t *conversation = gw_is_first_pass(pinfo) ? gw_conversation_lookup(pinfo) : NULL;
    const stream_payloads *entry = conversation ? find_stream(damaged, conversation, stream) : NULL;
    const direction *side = entry ? &entry->sides[gw_sender_side(pinfo)] : NULL;
    for (const payload_kind *kind = side ? side->kinds : NULL; kind; kind = kind->next) {
        /* A payload with less evidence may itself be of another protocol: nothing is compared with it. */
        if (!kind->is_strong || !is_like(side, kind, tvb))
            continue;
        keep_payload(damaged->found, pinfo, tvb);
        return true;
    }
    return false;
}

/* True if the payload is not like those that were accepted. False while other heuristics are called for it
 * (is_offering): the function that calls them has decided already whether it is. */
bool gw_damaged_is_unlike(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream)
{
    return !is_offering && !gw_damaged_find(damaged, pinfo, tvb, stream);
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

/* Calls the other heuristics of the list from which the caller, a heuristic dissector, was called; true if one
 * accepts the payload. The caller's own entry in this list is called too, and declines while `is_offering` is set. If
 * the payload is accepted, the last layer so far, which epan has added for the caller, is removed: it is not the
 * layer of this payload. */
static bool offer(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    heur_dissector_list_t list = pinfo->heur_list_name ? find_heur_dissector_list(pinfo->heur_list_name) : NULL;
    wmem_list_frame_t *layer = wmem_list_tail(pinfo->layers);
    /* Stays true if a dissector throws an exception, which counts as accepted. */
    volatile bool accepted = true;
    heur_dtbl_entry_t *entry;
    is_offering = true;
    TRY
    {
        accepted = list && dissector_try_heuristic(list, tvb, pinfo, tree, &entry, data);
    }
    FINALLY
    {
        is_offering = false;
        if (accepted)
            wmem_list_remove_frame(pinfo->layers, layer);
    }
    ENDTRY;
    return accepted;
}

/* Dissects a damaged payload (part 3 of the rule in damaged.h): with another heuristic of the caller's list that
 * accepts it, else with `dissect`, for which pinfo->current_proto, the name of the protocol that is being dissected, is
 * the caller's again. Returns the bytes dissected. */
int gw_damaged_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, dissector_t dissect)
{
    const char *protocol = pinfo->current_proto;
    if (offer(tvb, pinfo, tree, data))
        return (int)tvb_captured_length(tvb);
    pinfo->current_proto = protocol;
    return dissect(tvb, pinfo, tree, data);
}

/* ---- neither possible nor like others ------------------------------------------------------------------- */

/* On the first pass: counts an accepted payload of the stream (0: the conversation has one), in a protocol that does
 * not store its payloads with gw_damaged_keep(). gw_damaged_is_unread() compares this count with that of the payloads
 * that were not accepted. */
void gw_damaged_count(gw_damaged *damaged, packet_info *pinfo, uint32_t stream)
{
    if (gw_is_first_pass(pinfo) && !gw_is_quoted(pinfo))
        obtain_direction(damaged, pinfo, stream)->payloads++;
}

/* True if the caller is to add a note that this payload could not be read: it is not possible and not like others, such
 * payloads are rare in its conversation, and no other heuristic accepts it. `accepted` is set to true if one does.
 * False for a payload that was not captured as a whole. Which payloads are rare is decided on the first pass. */
bool gw_damaged_is_unread(gw_damaged *damaged, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
                          bool *accepted)
{
    *accepted = false;
    if (is_offering || !damaged->any || gw_is_quoted(pinfo) || gw_is_incomplete(pinfo, tvb) ||
        !tvb_captured_length(tvb))
        return false;
    /* 1. On the first pass: whether such payloads are rare in the conversation. At least ACCEPTED_FOR_UNREAD were
     * accepted for each one that was not, this one included. Such conversations have one stream, 0. */
    const conversation_t *conversation = gw_is_first_pass(pinfo) ? gw_conversation_lookup(pinfo) : NULL;
    stream_payloads *entry = conversation ? find_stream(damaged, conversation, 0) : NULL;
    if (entry) {
        uint32_t count = 0;
        for (unsigned side = 0; side < 2; side++)
            count += entry->sides[side].payloads;
        if (count / ACCEPTED_FOR_UNREAD > entry->unread++)
            keep_payload(damaged->unread, pinfo, tvb);
    }
    if (!has_payload(damaged->unread, pinfo, tvb))
        return false;
    /* 2. Whether another dissector accepts it. */
    const char *protocol = pinfo->current_proto;
    *accepted = offer(tvb, pinfo, tree, data);
    pinfo->current_proto = protocol;
    return !*accepted;
}
