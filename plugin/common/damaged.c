/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the damaged payloads of known conversations. The rule and its false-positive rates are in damaged.h.
 */
#include "common/damaged.h"

#include <epan/exceptions.h>
#include <gamewire/bytes.h>

#include "common/conversation.h"
#include "common/experts.h"
#include "common/items.h"

#define COMPARED 32U /* bytes at the start of a payload */
#define KINDS    16U /* of a direction */
/* Kinds with one first byte: payloads of many lengths do not displace all others. */
#define KINDS_OF_BYTE 4U
#define LEAST_COUNT   4U
#define LEAST_OF_BYTE 3U

#define FIRST_BYTES_BITS 24U
#define LENGTH_BITS      16U
#define ANY_LENGTH_BITS  24U

#define LENGTH_SIZE 4U

/* Accepted payloads for each one that is not read: in a conversation that carries other formats too, these are not the protocol's. */
#define ACCEPTED_FOR_UNREAD 4U

/* The payloads of a direction with one length and first byte. */
typedef struct sample {
    uint32_t length; /* on the wire */
    uint32_t count;
    uint32_t latest;         /* number of the latest payload in its direction */
    uint32_t size;           /* of `bytes` */
    uint32_t constant;       /* bit n: byte n is the same in all of them */
    uint8_t bytes[COMPARED]; /* of the first one */
    bool is_strong;          /* the first one has GW_DAMAGED_SAMPLE_BITS */
} sample;

/* Most connections are short and have few kinds: the array is as long as the next power of two. */
typedef struct direction {
    sample *kinds;
    uint32_t kind_count;
    uint32_t payloads;
} direction;

/* The payloads of one stream of a conversation. */
typedef struct samples {
    struct samples *next;
    uint32_t stream;
    uint32_t unread; /* number of payloads that were not accepted after the first one that was */
    direction *sides[2];
} samples;

/* A damaged payload of a frame. */
typedef struct found_payload {
    struct found_payload *next;
    uint32_t hash;
    uint32_t length;
} found_payload;

/* True while the other heuristics of a list are called: no protocol of this plugin finds damaged payloads then. */
static bool is_offering;

/* The file is closed. True: to be called for the next file too. */
static ws_bool forget_samples(wmem_allocator_t *scope _U_, wmem_cb_event_t event, void *damaged)
{
    ((gw_damaged *)damaged)->any = false;
    return event == WMEM_CB_FREE_EVENT;
}

void gw_damaged_init(gw_damaged *damaged)
{
    wmem_register_callback(wmem_file_scope(), forget_samples, damaged);
    damaged->samples = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    damaged->found = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    damaged->unread = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}

/* ---- samples ------------------------------------------------------------------------------------------- */

static samples *find_samples(const gw_damaged *damaged, const conversation_t *conversation, uint32_t stream)
{
    samples *entry = (samples *)wmem_map_lookup(damaged->samples, conversation);
    while (entry && entry->stream != stream)
        entry = entry->next;
    return entry;
}

static direction *obtain_direction(gw_damaged *damaged, packet_info *pinfo, uint32_t stream)
{
    conversation_t *conversation = gw_conversation_of(pinfo);
    samples *entry = find_samples(damaged, conversation, stream);
    damaged->any = true;
    if (!entry) {
        entry = wmem_new0(wmem_file_scope(), samples);
        entry->stream = stream;
        entry->next = (samples *)wmem_map_lookup(damaged->samples, conversation);
        wmem_map_insert(damaged->samples, conversation, entry);
    }
    direction **side = &entry->sides[gw_sender_side(pinfo)];
    if (!*side)
        *side = wmem_new0(wmem_file_scope(), direction);
    return *side;
}

/* The kind of the payload; a new one if there is none with its length and first byte. */
static sample *obtain_kind(direction *side, uint8_t first, uint32_t length)
{
    sample *oldest = NULL, *oldest_of_byte = NULL;
    uint32_t of_byte = 0, count = side->kind_count;
    for (uint32_t i = 0; i < count; i++) {
        sample *kind = &side->kinds[i];
        bool is_of_byte = kind->bytes[0] == first;
        if (is_of_byte && kind->length == length)
            return kind;
        if (!oldest || kind->latest < oldest->latest)
            oldest = kind;
        if (is_of_byte && (!oldest_of_byte || kind->latest < oldest_of_byte->latest))
            oldest_of_byte = kind;
        of_byte += is_of_byte;
    }
    /* The new one displaces the oldest of its first byte, if there are several, or of all, if there is no room. */
    sample *kind = of_byte < KINDS_OF_BYTE ? oldest : oldest_of_byte;
    if (of_byte < KINDS_OF_BYTE && count < KINDS) {
        /* As many as a power of two are stored: double the room. */
        if (!(count & (count - 1)))
            side->kinds = (sample *)wmem_realloc(wmem_file_scope(), side->kinds, MAX(1U, 2 * count) * sizeof(sample));
        kind = &side->kinds[side->kind_count++];
    }
    *kind = (sample){ .length = length };
    return kind;
}

static void keep_constant_bytes(sample *kind, const uint8_t *bytes, uint32_t size)
{
    kind->size = MIN(kind->size, size);
    for (uint32_t i = 0; i < kind->size; i++)
        if (kind->bytes[i] != bytes[i])
            kind->constant &= ~(UINT32_C(1) << i);
}

void gw_damaged_keep(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream, gw_weigh weigh)
{
    uint32_t size = MIN(tvb_captured_length(tvb), COMPARED);
    if (!gw_is_first_pass(pinfo) || !size)
        return;
    const uint8_t *bytes = tvb_get_ptr(tvb, 0, (int)size);
    direction *side = obtain_direction(damaged, pinfo, stream);
    sample *kind = obtain_kind(side, bytes[0], tvb_reported_length(tvb));
    if (!kind->count) {
        kind->size = size;
        kind->constant = UINT32_MAX;
        kind->is_strong = weigh(tvb) >= GW_DAMAGED_SAMPLE_BITS;
        memcpy(kind->bytes, bytes, size);
    } else {
        keep_constant_bytes(kind, bytes, size);
    }
    kind->count++;
    kind->latest = ++side->payloads;
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

/* The evidence of one equal byte: zeros and small numbers are frequent in payloads of all protocols. */
static uint32_t bits_of(uint8_t byte)
{
    return !byte ? 1 : byte < 0x20 ? 4 : 8;
}

/* Bits of the equal bytes at the start, in which `may_differ` bytes may differ: counting ends at the next one that
 * does. */
static uint32_t bits_of_first_bytes(const sample *kind, const uint8_t *bytes, uint32_t size, uint32_t may_differ)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < MIN(size, kind->size); i++)
        if (bytes[i] == kind->bytes[i])
            bits += bits_of(bytes[i]);
        else if (!may_differ--)
            break;
    return bits;
}

/* Bits of the bytes that all payloads of this kind have in common; 0 if more than one of them differs here. */
static uint32_t bits_of_constant_bytes(const sample *kind, const uint8_t *bytes, uint32_t size)
{
    uint32_t bits = 0, different = 0;
    for (uint32_t i = 0; i < MIN(size, kind->size); i++) {
        if (!(kind->constant >> i & 1U))
            continue;
        if (bytes[i] == kind->bytes[i])
            bits += bits_of(bytes[i]);
        else if (different++)
            return 0;
    }
    return bits;
}

/* Part 2 of the rule, for payloads of one kind. */
static bool is_like(const direction *side, const sample *kind, tvbuff_t *tvb)
{
    const uint8_t *bytes = gw_bytes_of(tvb);
    const uint32_t size = tvb_captured_length(tvb), length = tvb_reported_length(tvb), rest = length - LENGTH_SIZE;
    if (bits_of_first_bytes(kind, bytes, size, 1) >= FIRST_BYTES_BITS)
        return true;
    /* The same after four bytes that are the length of the rest. `rest` is valid only with `size` above LENGTH_SIZE. */
    if (size > LENGTH_SIZE && (gw_le32(bytes) == rest || gw_be32(bytes) == rest) &&
        bits_of_first_bytes(kind, bytes + LENGTH_SIZE, size - LENGTH_SIZE, 0) >= FIRST_BYTES_BITS)
        return true;
    if (kind->length == length && kind->count >= LEAST_COUNT &&
        bits_of_constant_bytes(kind, bytes, size) >= LENGTH_BITS)
        return true;
    /* All payloads with the first byte of the kind, of any length, as one kind: numbers that change from message to
     * message do not count as damaged bytes. */
    sample all = *kind;
    all.count = 0;
    for (uint32_t i = 0; i < side->kind_count; i++) {
        const sample *other = &side->kinds[i];
        if (other->bytes[0] != kind->bytes[0])
            continue;
        keep_constant_bytes(&all, other->bytes, other->size);
        all.constant &= other->constant;
        all.count += other->count;
    }
    return all.count >= LEAST_OF_BYTE && bits_of_constant_bytes(&all, bytes, size) >= ANY_LENGTH_BITS;
}

/* ---- finding ------------------------------------------------------------------------------------------- */

/* The key by which a payload is found again in its frame on later passes. */
static found_payload payload_of(tvbuff_t *tvb)
{
    uint32_t length = tvb_captured_length(tvb);
    return (found_payload){ .hash = wmem_strong_hash(gw_bytes_of(tvb), length), .length = length };
}

/* Most frames have none, and their payloads are not hashed. */
static bool was_found(wmem_map_t *found, const packet_info *pinfo, tvbuff_t *tvb)
{
    const found_payload *entry = (found_payload *)wmem_map_lookup(found, GUINT_TO_POINTER(pinfo->num));
    const found_payload payload = entry ? payload_of(tvb) : (found_payload){ .length = 0 };
    while (entry && (entry->hash != payload.hash || entry->length != payload.length))
        entry = entry->next;
    return entry != NULL;
}

static void keep_found(wmem_map_t *found, const packet_info *pinfo, tvbuff_t *tvb)
{
    found_payload *payload = wmem_new(wmem_file_scope(), found_payload);
    *payload = payload_of(tvb);
    payload->next = (found_payload *)wmem_map_lookup(found, GUINT_TO_POINTER(pinfo->num));
    wmem_map_insert(found, GUINT_TO_POINTER(pinfo->num), payload);
}

void gw_damaged_keep_known(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb)
{
    if (is_offering || !gw_is_first_pass(pinfo) || gw_is_quoted(pinfo) || was_found(damaged->found, pinfo, tvb))
        return;
    damaged->any = true;
    keep_found(damaged->found, pinfo, tvb);
}

bool gw_damaged_find_like(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream)
{
    if (is_offering || gw_is_quoted(pinfo) || !tvb_captured_length(tvb))
        return false;
    if (was_found(damaged->found, pinfo, tvb))
        return true;
    const conversation_t *conversation = gw_is_first_pass(pinfo) ? gw_conversation_lookup(pinfo) : NULL;
    const samples *entry = conversation ? find_samples(damaged, conversation, stream) : NULL;
    const direction *side = entry ? entry->sides[gw_sender_side(pinfo)] : NULL;
    for (uint32_t i = 0; side && i < side->kind_count; i++) {
        /* A payload with less evidence may itself be of another protocol: nothing is compared with it. */
        if (!side->kinds[i].is_strong || !is_like(side, &side->kinds[i], tvb))
            continue;
        keep_found(damaged->found, pinfo, tvb);
        return true;
    }
    return false;
}

bool gw_damaged_is_unlike(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream)
{
    return !is_offering && !gw_damaged_find(damaged, pinfo, tvb, stream);
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

/* Calls the other heuristics of the list. Its own entry is called again, and declines; its layer, which is the last
 * one so far, is not the layer of a payload that another dissector accepted. */
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

int gw_damaged_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, dissector_t dissect)
{
    const char *protocol = pinfo->current_proto;
    if (offer(tvb, pinfo, tree, data))
        return (int)tvb_captured_length(tvb);
    pinfo->current_proto = protocol;
    return dissect(tvb, pinfo, tree, data);
}

/* ---- neither possible nor like others ------------------------------------------------------------------- */

void gw_damaged_count(gw_damaged *damaged, packet_info *pinfo, uint32_t stream)
{
    if (gw_is_first_pass(pinfo) && !gw_is_quoted(pinfo))
        obtain_direction(damaged, pinfo, stream)->payloads++;
}

/* On the first pass: counts a payload that was not accepted. True if such payloads are rare in its conversation: at
 * least ACCEPTED_FOR_UNREAD were accepted for each one that was not, this one included. */
static bool count_unread(const gw_damaged *damaged, packet_info *pinfo)
{
    const conversation_t *conversation = gw_conversation_lookup(pinfo);
    samples *entry = conversation ? find_samples(damaged, conversation, 0) : NULL;
    if (!entry)
        return false;
    uint32_t accepted = 0;
    for (unsigned side = 0; side < 2; side++)
        accepted += entry->sides[side] ? entry->sides[side]->payloads : 0;
    return accepted / ACCEPTED_FOR_UNREAD > entry->unread++;
}

bool gw_damaged_is_unread(gw_damaged *damaged, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
                          bool *accepted)
{
    *accepted = false;
    if (is_offering || !damaged->any || gw_is_quoted(pinfo) || gw_is_incomplete(pinfo, tvb) ||
        !tvb_captured_length(tvb))
        return false;
    if (gw_is_first_pass(pinfo) && count_unread(damaged, pinfo))
        keep_found(damaged->unread, pinfo, tvb);
    if (!was_found(damaged->unread, pinfo, tvb))
        return false;
    const char *protocol = pinfo->current_proto;
    *accepted = offer(tvb, pinfo, tree, data);
    pinfo->current_proto = protocol;
    return !*accepted;
}
