/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Weighs a message in each form, chooses the form, and compares the sources of a connection's messages.
 */
#include "internal.h"

#include <gamewire/bytes.h>

#include "common/conversation.h"
#include "common/spans.h"
#include "godot/variant/generation.h"

/* A WebSocket server's first message in Godot 4: the client's id. */
#define ASSIGNED_SIZE 4
/* Of a direction whose messages the forms of both generations read: more evidence for one than other hints have. */
#define CLEAR_LEAD 32

/* Of an item whose size is in the message. */
#define SIZE_BITS 16U

#define BIT(form) (UINT32_C(1) << GW_GODOT_MP_##form)

/* ---- form ---------------------------------------------------------------------------------------------- */

static gw_godot_mp_form form_of_3(const godot_mp_carrier *carrier)
{
    if (carrier->channel)
        return GW_GODOT_MP_3;
    return carrier->is_websocket ? GW_GODOT_MP_3_WEBSOCKET : GW_GODOT_MP_3_ENET;
}

/* The forms that this transport has and the preference allows. */
static uint32_t forms_of(const godot_mp_carrier *carrier)
{
    uint32_t form_3 = UINT32_C(1) << form_of_3(carrier);
    if (carrier->generation == GW_GODOT_4)
        return BIT(4);
    return carrier->generation == GW_GODOT_3 ? form_3 : BIT(4) | form_3;
}

/* Adds the evidence of one form that reads the message. */
static void add_reading(godot_mp_weighed *weighed, gw_recognition *recognition, gw_godot_mp_form form,
                        const gw_recognition *reading)
{
    int32_t bits = (int32_t)reading->bits;
    weighed->readings |= UINT32_C(1) << form;
    weighed->lead += form == GW_GODOT_MP_4 ? -bits : bits;
    if (form != GW_GODOT_MP_4)
        weighed->source = reading->sender;
    if (!recognition->possible || reading->bits > recognition->bits) {
        weighed->best = form;
        *recognition = *reading;
    }
    recognition->readings = weighed->readings;
}

/* Tries all forms: the best one is that with the most evidence, or any possible form if there is no evidence. The tests
 * and their bits: codecs/godot/multiplayer/recognize.c. 48 bits are sufficient for a message, or for several consecutive
 * ones; other protocols in WebSocket (tests/strangers/streams.py) did not reach them. */
static void weigh_forms(const godot_mp_message *message, godot_mp_weighed *weighed, gw_recognition *recognition)
{
    uint32_t forms = forms_of(message->carrier);
    unsigned captured = tvb_captured_length(message->tvb);
    const uint8_t *bytes = gw_bytes_of(message->tvb);
    const gw_godot_mp_form form_3 = form_of_3(message->carrier);
    *weighed = (godot_mp_weighed){ .best = forms & BIT(4) ? GW_GODOT_MP_4 : form_3, .form_3 = form_3 };
    *recognition = (gw_recognition){ .possible = false };
    for (uint32_t form = 0; form < GW_GODOT_MP_FORMS; form++) {
        const gw_godot_mp_options options = { .form = (gw_godot_mp_form)form, .transport = &message->transport };
        gw_recognition one;
        if (forms >> form & 1U &&
            gw_godot_mp_recognize(bytes, captured, tvb_reported_length(message->tvb), &options, &one))
            add_reading(weighed, recognition, options.form, &one);
    }
    weighed->bits = recognition->bits;
    weighed->evidence = recognition->evidence;
    if (weighed->source)
        weighed->bytes = wmem_strong_hash(bytes, captured);
}

/* The generation of the conversation's Variants, or else the engines' defaults; FORMS: not known. */
static gw_godot_mp_form find_hint(const godot_mp_message *message)
{
    const uint8_t readers = godot_generation_find(message->pinfo).readers;
    uint32_t channels = message->place.channel_count;
    bool may_be_3 = readers & GW_GODOT_GENERATION_BIT(GW_GODOT_3);
    bool may_be_4 = readers & GW_GODOT_GENERATION_BIT(GW_GODOT_4);
    if (may_be_3 != may_be_4)
        return may_be_3 ? form_of_3(message->carrier) : GW_GODOT_MP_4;
    if (channels == GODOT_MP_CHANNELS_3)
        return form_of_3(message->carrier);
    return channels == GODOT_MP_CHANNELS_4 ? GW_GODOT_MP_4 : GW_GODOT_MP_FORMS;
}

/* If the forms of both generations read the message: many messages of one generation are raw bytes in the other. The
 * evidence of the direction's messages decides; else the form of the other direction, else other hints. */
static gw_godot_mp_form prefer_form(const godot_mp_message *message, const godot_mp_weighed *weighed)
{
    const godot_mp_place *place = &message->place;
    gw_godot_mp_form own = godot_mp_find_proven_form(place, place->side);
    gw_godot_mp_form other = godot_mp_find_proven_form(place, place->side ^ 1U);
    int32_t lead = godot_mp_find_lead(place) + (place->kept ? 0 : weighed->lead);
    if (own != GW_GODOT_MP_FORMS)
        return own;
    if (lead >= CLEAR_LEAD)
        return weighed->form_3;
    if (lead <= -CLEAR_LEAD)
        return GW_GODOT_MP_4;
    return other != GW_GODOT_MP_FORMS ? other : find_hint(message);
}

static void choose_form(const godot_mp_message *message, godot_mp_weighed *weighed, gw_recognition *recognition)
{
    const godot_mp_place *place = &message->place;
    gw_godot_mp_form other = godot_mp_find_proven_form(place, place->side ^ 1U);
    if (!weighed->readings && other != GW_GODOT_MP_FORMS)
        weighed->best = other;
    if (!(weighed->readings & (weighed->readings - 1)))
        return;
    gw_godot_mp_form preferred = prefer_form(message, weighed);
    if (preferred == GW_GODOT_MP_FORMS)
        return;
    weighed->best = preferred;
    recognition->readings = UINT32_C(1) << preferred;
}

bool godot_mp_may_be_assigned(const godot_mp_message *message)
{
    return message->carrier->is_websocket && tvb_captured_length(message->tvb) == ASSIGNED_SIZE &&
           godot_mp_may_be_first(&message->place);
}

void godot_mp_recognize(godot_mp_message *message, godot_mp_weighed *weighed, gw_recognition *recognition)
{
    weigh_forms(message, weighed, recognition);
    choose_form(message, weighed, recognition);
    if (godot_mp_may_be_assigned(message)) {
        godot_mp_keep_first(&message->place, (int32_t)tvb_get_letohl(message->tvb, 0));
        /* Any id is possible in Godot 4, with the least evidence of all commands: later messages decide. */
        *recognition = (gw_recognition){ .bits = MAX(recognition->bits, 1),
                                         .readings = recognition->readings | BIT(4),
                                         .possible = true };
    }
}

/* ---- sources ------------------------------------------------------------------------------------------- */

/* Messages of Godot 3 name their source: the client that sent them, which the server may relay. */
typedef struct side_sources {
    uint32_t source;  /* of the latest message; 0: none yet */
    uint32_t waiting; /* the bits of that message, if its source was new */
    bool relays;      /* has had several sources */
} side_sources;

typedef struct row_sources {
    uint32_t begun; /* as in gw_row */
    uint32_t open;  /* bits of the row that do not count: they wait, or their source was not confirmed */
    side_sources sides[2];
} row_sources;

/* gw_row -> row_sources; of the current file */
static wmem_map_t *all_sources;

/* Those of another row are forgotten. */
static row_sources *obtain_sources(const gw_row *row)
{
    row_sources *sources = (row_sources *)wmem_map_lookup(all_sources, row);
    if (!sources) {
        sources = wmem_new0(wmem_file_scope(), row_sources);
        wmem_map_insert(all_sources, row, sources);
    }
    if (sources->begun != row->begun)
        *sources = (row_sources){ .begun = row->begun };
    return sources;
}

/* A client sends only its own id, and never receives it: false if both sides relay, or one relays what is from the
 * other. */
static bool may_have_source(const row_sources *sources, uint8_t side, uint32_t source)
{
    const side_sources *own = &sources->sides[side], *other = &sources->sides[side ^ 1U];
    bool relays = own->source && own->source != source;
    return source != other->source && !(relays && other->relays);
}

static void confirm_source(row_sources *sources, uint8_t side, uint32_t source)
{
    side_sources *own = &sources->sides[side];
    if (own->source != source)
        return;
    sources->open -= own->waiting;
    own->waiting = 0;
}

/* `bits`: those that the row has from this message. */
static void keep_source(row_sources *sources, uint8_t side, uint32_t source, uint32_t bits)
{
    side_sources *own = &sources->sides[side];
    if (own->source == source)
        return;
    own->relays |= own->source != 0;
    own->source = source;
    own->waiting = bits;
    sources->open += bits;
}

/* Evidence counts only when two consecutive messages of a side name the same source: in other protocols, this field is
 * often a counter. The row adds up the bits of all messages; therefore its threshold is higher by those that do not
 * count. `source`: 0 for a message without one. */
static bool extend_row(const godot_mp_message *message, const gw_recognition *recognition, uint32_t source)
{
    gw_heuristic *heuristic = message->carrier->heuristic;
    packet_info *pinfo = message->pinfo;
    uint32_t stream = message->carrier->stream;
    uint8_t side = message->place.side;
    const gw_row *row = gw_heuristic_find_row(heuristic, pinfo, stream);
    const gw_row before = row ? *row : (gw_row){ 0 };
    row_sources *sources = row ? obtain_sources(row) : NULL;
    uint32_t threshold = GW_RECOGNIZED_ALONE;
    /* 1. A message whose source contradicts the row is of another connection: it begins another row. */
    if (sources && source && !may_have_source(sources, side, source)) {
        gw_heuristic_end_row(heuristic, pinfo, stream);
        sources = NULL;
    }
    /* 2. The same source again: the bits of the message before count, and those of this one. */
    if (sources && source)
        confirm_source(sources, side, source);
    if (sources)
        threshold += sources->open;
    /* 3. Another source: the bits of this message wait. */
    if (source && !(sources && sources->sides[side].source == source))
        threshold += recognition->bits;
    if (gw_heuristic_accepts(heuristic, pinfo, message->tvb, recognition, stream, threshold))
        return true;
    /* 4. The row may have begun with this message, also for other reasons than its source. */
    row = source ? gw_heuristic_find_row(heuristic, pinfo, stream) : NULL;
    if (row)
        keep_source(obtain_sources(row), side, source, row->bits - (row->begun == before.begun ? before.bits : 0));
    return false;
}

bool godot_mp_accepts(const godot_mp_message *message, const gw_recognition *recognition)
{
    const godot_mp_carrier *carrier = message->carrier;
    gw_recognition unnamed = *recognition;
    /* Where it is known who the client is, the codec has compared the source with it. */
    uint32_t source = message->transport.client_known ? 0 : recognition->sender;
    if (source)
        unnamed.sender = 0;
    if (gw_is_first_pass(message->pinfo) && recognition->bits < GW_RECOGNIZED_ALONE)
        return extend_row(message, &unnamed, source);
    return gw_heuristic_accepts(carrier->heuristic, message->pinfo, message->tvb, &unnamed, carrier->stream,
                                GW_RECOGNIZED_ALONE);
}

/* ---- heads --------------------------------------------------------------------------------------------- */

/* As in common/damaged.h: small bytes are in many payloads. */
static uint32_t bits_of(const godot_mp_message *message, gw_span span)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < span.length; i++) {
        uint8_t byte = message->reader.bytes[span.offset + i];
        bits += !byte ? 1 : byte < 0x20 ? 4 : 8;
    }
    return bits;
}

/* True if the updates from this size on end where the message does. */
static bool fills_message(const godot_mp_message *message, const gw_godot_mp_event *event)
{
    const gw_godot_mp_reader *reader = &message->reader;
    uint32_t head = reader->packet.delta ? 16 : 8;
    uint64_t end = gw_span_end(event->payload) + (uint64_t)event->number;
    while (end + head <= reader->length)
        end += head + gw_le32(reader->bytes + end + head - 4);
    return end == reader->length;
}

/* The ids that the connection has defined before this message: nothing is stored. */
static bool has_known_id(const godot_mp_message *message)
{
    godot_mp_message known = *message;
    known.place.first_pass = false;
    known.place.kept = NULL;
    known.place.seq = UINT32_MAX;
    godot_mp_analyze(&known);
    const godot_mp_findings *found = known.findings;
    if (message->facts.update_count)
        return found->updates[0].path.entry || found->updates[0].spawn.entry;
    return found->path.entry || found->spawn.entry;
}

static bool is_peer(const godot_mp_message *message, const gw_godot_mp_event *event)
{
    godot_mp_peer peers[2];
    godot_mp_place place = message->place;
    place.seq = UINT32_MAX;
    godot_mp_find_peers(&place, peers);
    uint8_t side = event->role == GW_GODOT_MP_ROLE_SOURCE ? place.side : place.side ^ 1U;
    return peers[side].id == event->number;
}

static bool counts(const godot_mp_message *message, const gw_godot_mp_event *event, bool is_known)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_SOURCE:
    case GW_GODOT_MP_ROLE_TARGET:
        return is_peer(message, event);
    case GW_GODOT_MP_ROLE_SIZE:
        return is_known && fills_message(message, event);
    case GW_GODOT_MP_ROLE_INDEXES:
    case GW_GODOT_MP_ROLE_COMMAND:
    case GW_GODOT_MP_ROLE_RELAY_PEER:
    case GW_GODOT_MP_ROLE_NODE_ID:
    case GW_GODOT_MP_ROLE_PATH_ID:
    case GW_GODOT_MP_ROLE_PATH:
    case GW_GODOT_MP_ROLE_SPAWNER:
    case GW_GODOT_MP_ROLE_NET_ID:
        return is_known;
    default:
        return false;
    }
}

/* A name of the declared length that ends in its only NUL, and an update that its values fill: as in the codec. */
static bool has_size(const gw_godot_mp_event *event)
{
    bool is_name = event->role == GW_GODOT_MP_ROLE_NAME && !(event->odd & GW_GODOT_MP_ODD_NAME);
    return is_name || (event->role == GW_GODOT_MP_ROLE_UPDATE && event->kind == GW_CLOSE);
}

uint32_t godot_mp_bits_of_head(const godot_mp_message *message)
{
    bool is_known = has_known_id(message);
    uint32_t bits = 0, updates = 0;
    for (uint32_t i = 0; i < message->event_count; i++) {
        const gw_godot_mp_event *event = &message->events[i];
        updates += event->role == GW_GODOT_MP_ROLE_UPDATE && event->kind == GW_OPEN;
        if (is_known && has_size(event))
            bits += SIZE_BITS;
        else if (event->kind == GW_VALUE && updates <= 1 && counts(message, event, is_known))
            bits += bits_of(message, event->payload);
    }
    return bits;
}

void godot_mp_register_recognition(void)
{
    all_sources = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}
