/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads a message into events and facts: in the form of its connection, if that is known; else weighs it in each form,
 * chooses the form, and compares the sources of a connection's messages.
 */
#include "internal.h"

#include <epan/dissectors/packet-tcp.h>

#include "common/conversation.h"
#include "common/display/experts.h"
#include "common/items.h"
#include "common/keys.h"
#include "godot/variant/generation.h"

/* Limit of the events of one message that are read, with the fields of their heads: real messages have some hundred. */
#define MOST_ITEMS   25000U
#define FIRST_EVENTS 32U

/* A WebSocket server's first message in Godot 4: the client's id. */
#define ASSIGNED_SIZE 4
/* Peer joined: the command, the system command, and the peer's id. */
#define JOINED_SIZE    6
#define JOINED_COMMAND 0x07

/* A message with this much evidence proves its form if no other form reads it. */
#define FORM_BITS 16U
/* If the forms of both generations read a direction's messages, one of them is proven by this much more evidence; the
 * same against the other direction's form. A single message counts for no more. */
#define LEAD_BITS 48
/* More evidence for one of them than other hints have. */
#define CLEAR_LEAD 32
/* The same source in two different messages, as Godot 3 has it in their first four bytes. */
#define SOURCE_BITS 8
/* Messages of a direction that are weighed if the other direction's form is proven and reads them. */
#define MOST_WEIGHED 64U

/* Accepted messages for each one that is not: in a connection that carries other formats too, these are not Godot's. */
#define ACCEPTED_FOR_UNREAD 16U

#define BIT(form) (UINT32_C(1) << GW_GODOT_MP_##form)

/* ---- reading ------------------------------------------------------------------------------------------- */

/* True on a later pass if the first one has found the message possible in its known form: it is not tested again. */
static bool was_possible(const godot_mp_position *position)
{
    return gw_is_later_pass(position->pinfo) && position->archived && position->archived->is_possible;
}

/* Reads the message in this form: sets its reader, events and facts, and the evidence for
 * gw_godot_mp_is_possible(). Replaces what an earlier call, in another form, has read. */
static void read_events(godot_mp_message *message, gw_godot_mp_form form)
{
    unsigned length = tvb_captured_length(message->tvb);
    const gw_godot_mp_options options = { .form = form,
                                          .find_duplicates = true,
                                          .is_cut = length < tvb_reported_length(message->tvb),
                                          .transport = &message->transport };
    gw_godot_mp_reader *reader = &message->reader;
    godot_mp_facts *facts = &message->facts;
    gw_godot_mp_event event;
    gw_godot_mp_init(reader, gw_bytes_of(message->tvb), length, &options);
    *facts = (godot_mp_facts){ .command = GW_GODOT_MP_UNKNOWN };
    /* Without the bits of evidence, which weigh_forms() has if they are needed. */
    message->evidence = (gw_godot_mp_evidence){ .is_known = true };
    message->event_count = message->rest = message->value_odd = 0;
    const bool is_tested = !was_possible(&message->position);
    for (uint32_t items = 0; gw_godot_mp_next(reader, &event) == GW_NEXT_EVENT; items += 1U + event.field_count) {
        if (items >= MOST_ITEMS) {
            message->rest = event.payload.offset;
            return;
        }
        if (message->event_count == message->event_room) {
            message->event_room = MAX(2 * message->event_room, FIRST_EVENTS);
            message->events =
                wmem_realloc(message->pinfo->pool, message->events, message->event_room * sizeof *message->events);
        }
        message->events[message->event_count++] = event;
        message->value_odd |= event.value_odd;
        if (is_tested)
            gw_godot_mp_weigh(&message->evidence, reader, &event);
        godot_mp_facts_add(facts, message->pinfo, message->tvb, reader, &event);
    }
    if (reader->fault.fault_class && gw_fault_is_cut(message->pinfo, message->tvb, &reader->fault)) {
        facts->is_cut = facts->state.types.is_cut = true;
        /* A spawn that is cut after its name still has the ids of the node and of its synchronizers. */
        facts->spawns = facts->command == GW_GODOT_MP_SPAWN && facts->name;
    }
}

/* ---- the form of a direction --------------------------------------------------------------------------- */

/* One message: in which forms it can be read, and the evidence for them. */
typedef struct weighed_message {
    gw_godot_mp_form best;   /* with the most evidence: the message is read in it */
    gw_godot_mp_form form_3; /* the transport's form of Godot 3 */
    uint32_t readings;       /* bit f: the form f reads it */
    int32_t lead;            /* as in a direction */
    uint32_t bits;           /* of evidence for the best form */
    uint32_t evidence;
    uint32_t bytes;
    uint32_t source;
} weighed_message;

/* The form of a message that need not be weighed, because its direction's form was proven by it or before it, or
 * because MOST_WEIGHED messages of its direction did not contradict the other direction's proven form; else FORMS. */
static gw_godot_mp_form find_form(const godot_mp_position *position)
{
    if (!position->connection)
        return GW_GODOT_MP_FORMS;
    /* A guess is weighed again: on a later pass, messages after this one may have proven the form. */
    if (position->archived && position->archived->form != GW_GODOT_MP_FORMS)
        return position->archived->is_guess ? GW_GODOT_MP_FORMS : (gw_godot_mp_form)position->archived->form;
    const godot_mp_direction *direction = &position->connection->directions[position->side];
    if (direction->form != GW_GODOT_MP_FORMS || direction->weighed < MOST_WEIGHED)
        return direction->form;
    return godot_mp_find_proven_form(position, position->side ^ 1U);
}

/* Adds the evidence of a message to the lead of its direction: bits for Godot 3 less those for Godot 4. Of two
 * consecutive messages with the same evidence, as a repeated message has it, only one counts. Returns the proven form:
 * this message's, if it has FORM_BITS and no other form reads it, unless the other direction's proven form
 * (`other_side`, or FORMS) differs; else that of a lead of LEAD_BITS; FORMS: none. */
static gw_godot_mp_form add_evidence(godot_mp_direction *direction, gw_godot_mp_form other_side,
                                     const weighed_message *weighed)
{
    if (weighed->evidence != direction->evidence)
        direction->lead += CLAMP(weighed->lead, -LEAD_BITS, LEAD_BITS);
    /* Evidence for Godot 3, whose messages begin with the sender's id. Messages of the same bytes are none: they may be
     * another format's. */
    if (weighed->source && weighed->source == direction->source && weighed->bytes != direction->bytes)
        direction->lead += SOURCE_BITS;
    direction->weighed++;
    direction->evidence = weighed->evidence;
    direction->bytes = weighed->bytes;
    direction->source = weighed->source;
    bool is_only_reading = weighed->readings == UINT32_C(1) << weighed->best && weighed->bits >= FORM_BITS;
    if (is_only_reading && (other_side == GW_GODOT_MP_FORMS || other_side == weighed->best))
        return weighed->best;
    if (direction->lead >= LEAD_BITS)
        return weighed->form_3;
    return direction->lead <= -LEAD_BITS ? GW_GODOT_MP_4 : GW_GODOT_MP_FORMS;
}

/* The form in which a message is read: the form that is known, else the best one. On the first pass, archives it for
 * later passes, and adds the evidence to the direction's, until its form is proven; that also proves the generation of
 * the conversation (godot_generation_keep()). */
static gw_godot_mp_form keep_form(const godot_mp_position *position, const weighed_message *weighed)
{
    gw_godot_mp_form known = find_form(position);
    gw_godot_mp_form form = known != GW_GODOT_MP_FORMS ? known : weighed->best;
    if (!position->connection || !position->archived || !gw_is_first_pass(position->pinfo))
        return form;
    godot_mp_direction *direction = &position->connection->directions[position->side];
    if (known == GW_GODOT_MP_FORMS) {
        direction->form = add_evidence(direction, godot_mp_find_proven_form(position, position->side ^ 1U), weighed);
        if (direction->form != GW_GODOT_MP_FORMS) {
            direction->seq = position->seq;
            godot_generation_keep(position->pinfo, GW_GODOT_GENERATION_BIT(gw_godot_mp_generation(direction->form)));
        }
    }
    if (direction->form != GW_GODOT_MP_FORMS)
        form = direction->form;
    position->archived->form = form;
    /* A guess: nothing is proven, and more than one bit of `readings` is set. */
    position->archived->is_guess = known == GW_GODOT_MP_FORMS && direction->form == GW_GODOT_MP_FORMS &&
                                   weighed->readings & (weighed->readings - 1);
    return form;
}

/* ---- the form of a message ----------------------------------------------------------------------------- */

/* Tries all forms that the transport has and the preference allows: `readings` has a bit for each that can read the
 * message; the best one has the most evidence; without evidence, it is any of them. The tests and their bits:
 * codecs/godot/multiplayer/recognize.c. 48 bits are sufficient for a message, or for several consecutive ones; other
 * protocols in WebSocket (tests/strangers/streams.py) did not reach them. */
static void weigh_forms(const godot_mp_message *message, weighed_message *weighed, gw_recognition *recognition)
{
    /* In Godot 3, the head before the packet depends on the transport. */
    const godot_mp_carrier *carrier = message->carrier;
    const gw_godot_mp_form form_3 = carrier->channel        ? GW_GODOT_MP_3
                                    : carrier->is_websocket ? GW_GODOT_MP_3_WEBSOCKET
                                                            : GW_GODOT_MP_3_ENET;
    unsigned captured = tvb_captured_length(message->tvb);
    const uint8_t *bytes = gw_bytes_of(message->tvb);
    uint32_t forms = carrier->generation == GW_GODOT_3 ? 0 : BIT(4); /* of GW_GODOT_MP_4 */
    if (carrier->generation != GW_GODOT_4)
        forms |= UINT32_C(1) << form_3;
    *weighed = (weighed_message){ .best = forms & BIT(4) ? GW_GODOT_MP_4 : form_3, .form_3 = form_3 };
    *recognition = (gw_recognition){ .possible = false };
    for (uint32_t form = 0; form < GW_GODOT_MP_FORMS; form++) {
        const gw_godot_mp_options options = { .form = (gw_godot_mp_form)form, .transport = &message->transport };
        gw_recognition reading;
        if (!(forms >> form & 1U) ||
            !gw_godot_mp_recognize(bytes, captured, tvb_reported_length(message->tvb), &options, &reading))
            continue;
        weighed->readings |= UINT32_C(1) << form;
        weighed->lead += form == GW_GODOT_MP_4 ? -(int32_t)reading.bits : (int32_t)reading.bits;
        if (form != GW_GODOT_MP_4) /* which has no source in its messages */
            weighed->source = reading.sender;
        if (!recognition->possible || reading.bits > recognition->bits) {
            weighed->best = options.form;
            *recognition = reading;
        }
    }
    recognition->readings = weighed->readings;
    weighed->bits = recognition->bits;
    weighed->evidence = recognition->evidence;
    if (weighed->source)
        weighed->bytes = (uint32_t)gw_hash_bytes(bytes, captured);
}

/* The form of a message that the forms of both generations read: many messages of one generation are raw bytes in the
 * other. The evidence of the direction's messages decides; else the form of the other direction; else the generation of
 * the conversation's Variants; else the engine's usual number of channels. FORMS: none of them decides. */
static gw_godot_mp_form preferred_form(const godot_mp_message *message, const weighed_message *weighed)
{
    const godot_mp_position *position = &message->position;
    gw_godot_mp_form proven = godot_mp_find_proven_form(position, position->side);
    gw_godot_mp_form other = godot_mp_find_proven_form(position, position->side ^ 1U);
    /* The direction's lead already includes an archived message; that of a new message is added. */
    int32_t lead = (position->connection ? position->connection->directions[position->side].lead : 0) +
                   (position->archived ? 0 : weighed->lead);
    if (proven != GW_GODOT_MP_FORMS)
        return proven;
    if (lead >= CLEAR_LEAD)
        return weighed->form_3;
    if (lead <= -CLEAR_LEAD)
        return GW_GODOT_MP_4;
    if (other != GW_GODOT_MP_FORMS)
        return other;
    const uint8_t readers = godot_generation_find(message->pinfo).readers;
    bool may_be_3 = readers & GW_GODOT_GENERATION_BIT(GW_GODOT_3);
    bool may_be_4 = readers & GW_GODOT_GENERATION_BIT(GW_GODOT_4);
    if (may_be_3 != may_be_4)
        return may_be_3 ? weighed->form_3 : GW_GODOT_MP_4;
    uint32_t channels = position->enet ? position->enet->channel_count : 0;
    if (channels == GODOT_MP_CHANNELS_3)
        return weighed->form_3;
    return channels == GODOT_MP_CHANNELS_4 ? GW_GODOT_MP_4 : GW_GODOT_MP_FORMS;
}

/* True if godot_mp_keep_first() stored this message as the first one of its connection. */
static bool is_first(const godot_mp_position *position)
{
    return position->connection && position->connection->first_frame == position->pinfo->num && !position->ordinal;
}

/* True if the message may be a WebSocket server's first one in Godot 4, the client's id, of ASSIGNED_SIZE bytes: the
 * message that was stored as the first such one (first_frame) or, if none was, one in a connection without an accepted
 * message; from TCP's server. In a TCP connection whose beginning was not captured the first messages are others, and
 * the sides are not known. An exported message has no TCP. */
static bool may_be_assigned(const godot_mp_message *message)
{
    const godot_mp_connection *connection = message->position.connection;
    if (!message->carrier->is_websocket || tvb_captured_length(message->tvb) != ASSIGNED_SIZE)
        return false;
    if (connection && (connection->first_frame ? !is_first(&message->position) : connection->accepted_seq))
        return false;
    const conversation_t *conversation = find_conversation_pinfo(message->pinfo, 0);
    const struct tcp_analysis *tcp =
        conversation ? conversation_get_proto_data(conversation, proto_get_id_by_filter_name("tcp")) : NULL;
    return !tcp || tcp->server_port == message->pinfo->srcport;
}

/* Weighs the message in each form that its transport and the preference allow, and chooses one: `weighed->best`. If no
 * form reads it, the form of the other direction, since both peers nearly always have the same engine; if several do
 * (bits of `readings`), preferred_form(). Stores a message that may be the client's id from the server as the first one
 * of its connection. */
static void weigh_in_each_form(godot_mp_message *message, weighed_message *weighed, gw_recognition *recognition)
{
    gw_godot_mp_form preferred = GW_GODOT_MP_FORMS;
    weigh_forms(message, weighed, recognition);
    if (!weighed->readings)
        preferred = godot_mp_find_proven_form(&message->position, message->position.side ^ 1U);
    else if (weighed->readings & (weighed->readings - 1))
        preferred = preferred_form(message, weighed);
    if (preferred != GW_GODOT_MP_FORMS)
        weighed->best = preferred;
    /* The messages of a series must have a reading in common: only the preferred one counts. */
    if (preferred != GW_GODOT_MP_FORMS && weighed->readings)
        recognition->readings = UINT32_C(1) << preferred;
    if (may_be_assigned(message)) {
        godot_mp_keep_first(&message->position, (int32_t)tvb_get_letohl(message->tvb, 0));
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

typedef struct series_sources {
    uint32_t begun; /* as in gw_series */
    uint32_t open;  /* bits of the series that do not count: they wait, or their source was not confirmed */
    side_sources sides[2];
} series_sources;

/* The sources that the messages of this series have. A series consists of the messages of a conversation whose evidence
 * is added up until it is sufficient. Its sources are stored under the pointer `series`. The conversation's next series
 * has the same pointer, but another number (`begun`): the sources of the series before are dropped. */
static series_sources *obtain_sources(const gw_series *series)
{
    series_sources *sources = (series_sources *)wmem_map_lookup(godot_mp_current.sources, series);
    if (!sources) {
        sources = wmem_new0(wmem_file_scope(), series_sources);
        wmem_map_insert(godot_mp_current.sources, series, sources);
    }
    if (sources->begun != series->begun)
        *sources = (series_sources){ .begun = series->begun };
    return sources;
}

/* True if this side may send a message with this source. Only a server relays: its messages have several sources. A
 * client sends only its own id, and never receives it: false if both sides relay, or one relays messages of the
 * other. */
static bool may_have_source(const series_sources *sources, uint8_t side, uint32_t source)
{
    const side_sources *sender = &sources->sides[side], *receiver = &sources->sides[side ^ 1U];
    bool relays = sender->source && sender->source != source;
    return source != receiver->source && !(relays && receiver->relays);
}

/* Adds the message to its series (obtain_sources()); true if the series has enough evidence to accept it. Evidence of
 * messages with a source waits until two consecutive ones of a side name the same source: in other protocols, this
 * field is often a counter. The series adds up the bits of all messages; therefore its threshold is higher by the bits
 * that do not count (`open`, and those of this message if its source is new). `source`: 0 for a message without one. */
static bool extend_series(const godot_mp_message *message, const gw_recognition *recognition, uint32_t source)
{
    gw_heuristic *heuristic = message->carrier->heuristic;
    packet_info *pinfo = message->pinfo;
    uint32_t stream = message->carrier->stream;
    uint8_t side = message->position.side;
    const gw_series *series = gw_heuristic_find_series(heuristic, pinfo, stream);
    const gw_series before = series ? *series : (gw_series){ 0 };
    series_sources *sources = series ? obtain_sources(series) : NULL;
    uint32_t threshold = GW_RECOGNIZED_ALONE;
    /* 1. A message whose source contradicts the series is of another connection: it begins another series. */
    if (sources && source && !may_have_source(sources, side, source)) {
        gw_heuristic_end_series(heuristic, pinfo, stream);
        sources = NULL;
    }
    /* 2. The same source again: its waiting bits count, and those of this message. A new source: its bits wait. */
    if (sources && source && sources->sides[side].source == source) {
        sources->open -= sources->sides[side].waiting;
        sources->sides[side].waiting = 0;
    } else if (source) {
        threshold += recognition->bits;
    }
    if (sources)
        threshold += sources->open;
    if (gw_heuristic_accepts(heuristic, pinfo, message->tvb, recognition, stream, threshold))
        return true;
    /* 3. The series may have begun with this message. From a new source, the bits that it added to the series wait. */
    series = source ? gw_heuristic_find_series(heuristic, pinfo, stream) : NULL;
    sources = series ? obtain_sources(series) : NULL;
    if (!sources || sources->sides[side].source == source)
        return false;
    side_sources *sender = &sources->sides[side];
    sender->relays |= sender->source != 0;
    sender->source = source;
    sender->waiting = series->bits - (series->begun == before.begun ? before.bits : 0);
    sources->open += sender->waiting;
    return false;
}

/* For a heuristic: true if the message is accepted with this evidence, by itself or with the series of messages before
 * it, which only the first pass extends: later passes find its result. */
static bool has_sufficient_evidence(const godot_mp_message *message, const gw_recognition *recognition)
{
    const godot_mp_carrier *carrier = message->carrier;
    gw_recognition unnamed = *recognition;
    /* Where it is known who the client is, the codec has compared the source with it. */
    uint32_t source = message->transport.client_known ? 0 : recognition->sender;
    /* extend_series() compares the sources, by a rule for relays: the heuristic would begin another series at a new
     * one. */
    if (source)
        unnamed.sender = 0;
    if (gw_is_first_pass(message->pinfo) && recognition->bits < GW_RECOGNIZED_ALONE)
        return extend_series(message, &unnamed, source);
    return gw_heuristic_accepts(carrier->heuristic, message->pinfo, message->tvb, &unnamed, carrier->stream,
                                GW_RECOGNIZED_ALONE);
}

/* ---- one message --------------------------------------------------------------------------------------- */

/* True if this message is not before the first one of its connection that was accepted as multiplayer. A message that
 * has no number yet (seq 0) is after all others so far on the first pass. */
static bool is_accepted(const godot_mp_position *position)
{
    const godot_mp_connection *connection = position->connection;
    if (!connection || !connection->accepted_seq)
        return false;
    return position->seq ? position->seq >= connection->accepted_seq : gw_is_first_pass(position->pinfo);
}

/* Reads a message of an accepted connection whose form is known, and numbers it. False: the connection or the form is
 * not known, the message is not possible in that form, or its channel is recognized separately (carrier->stream); it is
 * recognized by its evidence then. */
static bool read_in_known_form(godot_mp_message *message)
{
    const godot_mp_carrier *carrier = message->carrier;
    gw_godot_mp_form form = find_form(&message->position);
    if (form == GW_GODOT_MP_FORMS || may_be_assigned(message))
        return false;
    if (carrier->heuristic && (carrier->stream || !is_accepted(&message->position)))
        return false;
    read_events(message, form);
    /* Without a heuristic, a user has selected multiplayer: nothing is declined if this direction itself proved the
     * form. */
    bool is_proven = godot_mp_find_proven_form(&message->position, message->position.side) == form;
    if ((carrier->heuristic || !is_proven) && !was_possible(&message->position) &&
        !gw_godot_mp_is_possible(&message->evidence, &message->reader, tvb_reported_length(message->tvb)))
        return false;
    godot_mp_keep_position(&message->position);
    keep_form(&message->position, &(weighed_message){ .best = form });
    if (message->position.archived && gw_is_first_pass(message->pinfo))
        message->position.archived->is_possible = true;
    return true;
}

/* On the first pass, stores how a message is shown that cannot be read, in a connection whose other messages are
 * accepted: as damaged if its head has known ids; else as not read, in the form that is archived (GODOT_MP_UNREAD), if
 * nearly all messages of the connection before it were accepted. */
static void keep_unreadable(godot_mp_message *message)
{
    const godot_mp_carrier *carrier = message->carrier;
    gw_godot_mp_form form = godot_mp_find_proven_form(&message->position, message->position.side);
    if (form == GW_GODOT_MP_FORMS)
        form = godot_mp_find_proven_form(&message->position, message->position.side ^ 1U);
    if (!gw_is_first_pass(message->pinfo) || form == GW_GODOT_MP_FORMS || !carrier->heuristic || carrier->stream ||
        !is_accepted(&message->position))
        return;
    read_events(message, form);
    /* With known ids it is shown as damaged; else it may be another format, and is reported as not read. */
    if (godot_mp_has_known_heads(message))
        gw_damaged_keep_known(&carrier->heuristic->damaged, message->pinfo, message->tvb);
    else if (message->position.first_pass &&
             gw_damaged_is_unlike(&carrier->heuristic->damaged, message->pinfo, message->tvb, 0)) {
        /* Where nearly all messages of the connection before it were accepted. */
        godot_mp_connection *connection = message->position.connection;
        if (connection->accepted / ACCEPTED_FOR_UNREAD > connection->unread)
            *(uint64_t *)godot_mp_keep_archived(&message->position, GODOT_MP_UNREAD, sizeof(uint64_t)) = form;
        connection->unread++;
    }
}

/* True if a declined message is read all the same, for definitions that a later message needs (GODOT_MP_READ): one with
 * evidence, or in a connection with other messages, unless its channel is recognized separately (carrier->stream). A
 * server's first message over WebRTC in Godot 4, whose ids the transport does not have, has no evidence (bits), but
 * shows which end is the server: a peer joined. */
static bool may_have_definitions(const godot_mp_message *message, const gw_recognition *recognition)
{
    bool is_separate = message->carrier->heuristic && message->carrier->stream;
    if (!gw_is_first_pass(message->pinfo) || !recognition->possible)
        return false;
    return recognition->bits || (message->position.connection && !is_separate) ||
           (message->carrier->channel && tvb_captured_length(message->tvb) == JOINED_SIZE &&
            tvb_get_uint8(message->tvb, 0) == JOINED_COMMAND && tvb_get_uint8(message->tvb, 1) == GW_GODOT_MP_ADD_PEER);
}

/* Reads the message, in the known form or in the one with the most evidence, and decides whether it is multiplayer. On
 * the first pass, numbers it and its connection. */
godot_mp_reading godot_mp_read(godot_mp_message *message)
{
    gw_heuristic *heuristic = message->carrier->heuristic;
    godot_mp_position *position = &message->position;
    bool accepted = read_in_known_form(message);
    if (!accepted) {
        /* 1. Weigh it, and decide whether it is multiplayer: without a heuristic, a user has selected it. */
        gw_recognition recognition;
        weighed_message weighed;
        weigh_in_each_form(message, &weighed, &recognition);
        accepted = !heuristic || has_sufficient_evidence(message, &recognition);
        if (!accepted && !recognition.possible)
            keep_unreadable(message);
        if (!accepted && !may_have_definitions(message, &recognition))
            return GODOT_MP_DECLINED;
        /* 2. Number it, and read it in the form that its direction has now. */
        godot_mp_keep_position(position);
        gw_godot_mp_form form = keep_form(position, &weighed);
        if (gw_godot_mp_generation(form) == GW_GODOT_4 && is_first(position) && may_be_assigned(message))
            form = GW_GODOT_MP_4_ASSIGNED;
        read_events(message, form);
    }
    if (!accepted)
        return GODOT_MP_READ;
    /* 3. On the first pass, the connection gets a number (godot_mp.stream). If the message was recognized, the
     *    connection's messages are accepted as multiplayer from it on. */
    godot_mp_connection *connection = position->connection;
    bool is_recognized = heuristic && !message->carrier->stream;
    if (connection && gw_is_first_pass(position->pinfo)) {
        if (connection->number == GODOT_MP_NO_STREAM)
            connection->number = godot_mp_current.connections++;
        if (is_recognized && !connection->accepted_seq)
            connection->accepted_seq = position->seq;
        if (is_recognized && position->first_pass)
            connection->accepted++;
    }
    return GODOT_MP_ACCEPTED;
}

/* Reads a declined message in the form that keep_unreadable() stored for it. False: it stored none. */
bool godot_mp_read_unread(godot_mp_message *message)
{
    gw_godot_mp_form form = godot_mp_find_unread(&message->position);
    if (form == GW_GODOT_MP_FORMS)
        return false;
    read_events(message, form);
    return true;
}
