/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's high-level multiplayer, as ENet and WebSocket carry it: SceneMultiplayer of Godot 4, MultiplayerAPI of 3.
 *
 * tree.c shows what a message holds, findings.c what its ids mean,
 * analysis.c knows what other messages said, names.c has the tables of names,
 * statistics.c counts, fields.c names the fields.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/prefs.h>

#include "common/columns.h"
#include "common/conversation.h"
#include "common/demand.h"
#include "common/fault.h"
#include "common/recognition.h"
#include "enet/enet.h"
#include "fields.h"
#include "godot/variant/generation.h"
#include "tree.h"

#define INFO_SIZE 400
/* Of one message, that are read: a real one has some hundred at the most. */
#define MOST_EVENTS 25000
/* A WebSocket server's first message in Godot 4: the client's id. */
#define ASSIGNED_SIZE 4

#define BIT(form) (UINT32_C(1) << GW_GODOT_MULTIPLAYER_##form)

static int proto_multiplayer = -1;
static dissector_handle_t multiplayer_handle;
static heur_dissector_list_t raw_list;
static gw_heuristic over_enet;
static gw_heuristic over_websocket;

static int generation = GW_GODOT_ANY;

/* ---- form ---------------------------------------------------------------------------------------------- */

/* Which forms there are on this transport, and that the preference allows. */
static uint32_t forms_of(uint32_t forms)
{
    uint32_t allowed = 0;
    for (uint32_t form = 0; form < GW_GODOT_MULTIPLAYER_FORMS; form++)
        if (generation == GW_GODOT_ANY ||
            (int)gw_godot_multiplayer_generation((gw_godot_multiplayer_form)form) == generation)
            allowed |= UINT32_C(1) << form;
    return forms & allowed;
}

static gw_godot_multiplayer_form form_of_3(uint32_t forms)
{
    return forms & BIT(3_WEBSOCKET) ? GW_GODOT_MULTIPLAYER_3_WEBSOCKET : GW_GODOT_MULTIPLAYER_3_ENET;
}

/* Tries all `forms`; returns the one that most speaks for, and one of them where nothing does. The tests and their
 * bits: codecs/godot/multiplayer/recognise.c. 48 accept a message, or several in a row; strangers in WebSocket
 * (tests/strangers/streams.py) have not reached them. */
static gw_godot_multiplayer_form recognise(tvbuff_t *tvb, uint32_t forms, gw_recognition *recognition)
{
    gw_godot_multiplayer_form best = forms & BIT(4) ? GW_GODOT_MULTIPLAYER_4 : form_of_3(forms);
    unsigned captured = tvb_captured_length(tvb);
    const uint8_t *bytes = tvb_get_ptr(tvb, 0, (int)captured);
    *recognition = (gw_recognition){ .possible = false };
    for (uint32_t form = 0; form < GW_GODOT_MULTIPLAYER_FORMS; form++) {
        const gw_godot_multiplayer_options options = { .form = (gw_godot_multiplayer_form)form };
        gw_recognition one;
        if (!(forms >> form & 1U) ||
            !gw_godot_multiplayer_recognise(bytes, captured, tvb_reported_length(tvb), &options, &one))
            continue;
        if (!recognition->possible || one.bits > recognition->bits)
            best = options.form;
        recognition->possible = true;
        recognition->readings |= one.readings;
        recognition->bits = MAX(recognition->bits, one.bits);
    }
    return best;
}

/* ---- columns ------------------------------------------------------------------------------------------- */

static void show_line(godot_multiplayer_message *message, const char *line)
{
    packet_info *pinfo = message->pinfo;
    proto_item_append_text(message->items[0], ", %s", line);
    /* ENet puts a fence after the line of each of its messages. */
    if (!message->is_websocket) {
        col_add_fstr(pinfo->cinfo, COL_INFO, "%s%s", message->place.ordinal ? "; " : "", line);
        return;
    }
    gw_columns_add(pinfo, proto_multiplayer, line);
}

static void end_line(godot_multiplayer_message *message)
{
    const gw_fault *fault = &message->reader.fault;
    gw_text *text = message->printer.text;
    if (fault->fault_class == GW_FAULT_NONE || gw_fault_is_cut(message->pinfo, message->tvb, fault))
        return;
    gw_text_string(text, text->length ? " [" : "[");
    gw_text_string(text, gw_godot_multiplayer_fault_text(fault->code));
    gw_text_char(text, ']');
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

static godot_multiplayer_message *new_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    godot_multiplayer_message *message = wmem_new0(pinfo->pool, godot_multiplayer_message);
    unsigned length = tvb_captured_length(tvb);
    message->pinfo = pinfo;
    message->tvb = tvb;
    message->bytes = tvb_get_ptr(tvb, 0, (int)length);
    message->items[0] = proto_tree_add_item(parent, proto_multiplayer, tvb, 0, (int)length, ENC_NA);
    message->trees[0] = proto_item_add_subtree(message->items[0], godot_multiplayer_ett_protocol);
    message->wants_values = gw_is_visible(message->trees[0]) ||
                            proto_field_is_referenced(parent, godot_multiplayer_hf.rpc_argument) ||
                            proto_field_is_referenced(parent, godot_multiplayer_hf.sync_value) ||
                            proto_field_is_referenced(parent, godot_multiplayer_hf.spawn_state) ||
                            proto_field_is_referenced(parent, godot_multiplayer_hf.spawn_custom);
    message->facts.bytes = length;
    message->facts.command = GW_GODOT_MULTIPLAYER_UNKNOWN;
    return message;
}

static void add_form(const godot_multiplayer_message *message, gw_godot_multiplayer_form form)
{
    proto_tree *tree = message->trees[0];
    proto_item_set_generated(proto_tree_add_string(tree, godot_multiplayer_hf.form, message->tvb, 0, 0,
                                                   gw_godot_multiplayer_form_text(form)));
    proto_item_set_generated(proto_tree_add_uint(tree, godot_multiplayer_hf.generation, message->tvb, 0, 0,
                                                 (uint32_t)gw_godot_multiplayer_generation(form)));
}

/* The ends of the link, where the message itself does not name them. */
static void add_peer(const godot_multiplayer_message *message, int hf, uint8_t side, int32_t id)
{
    godot_peer peer = godot_peer_at(&message->place, side);
    proto_item *item = proto_tree_add_int(message->trees[0], hf, message->tvb, 0, 0, id);
    proto_item_set_generated(item);
    if (peer.id == id && peer.frame)
        proto_item_set_generated(proto_tree_add_uint(proto_item_add_subtree(item, godot_multiplayer_ett_item),
                                                     godot_multiplayer_hf.peer_known_from, message->tvb, 0, 0,
                                                     peer.frame));
}

static void show_peers(godot_multiplayer_message *message)
{
    godot_multiplayer_facts *facts = &message->facts;
    facts->has_source = godot_source_of(&message->place, &facts->source);
    facts->has_target = godot_target_of(&message->place, &facts->target);
    facts->receiver = godot_peer_at(&message->place, message->place.side ^ 1U).id;
    facts->server_sends = godot_peer_at(&message->place, message->place.side).id == GW_GODOT_MULTIPLAYER_SERVER;
    facts->server_receives = facts->receiver == GW_GODOT_MULTIPLAYER_SERVER;
    facts->repeated = message->place.repeated;
    if (message->place.is_head)
        return;
    if (facts->has_source)
        add_peer(message, godot_multiplayer_hf.source, message->place.side, facts->source);
    if (facts->has_target)
        add_peer(message, godot_multiplayer_hf.target, message->place.side ^ 1U, facts->target);
}

/* ---- the game's own bytes ------------------------------------------------------------------------------ */

/* One whole Variant that an engine may have written: put_var over a multiplayer peer. */
static bool is_variant(tvbuff_t *tvb, gw_godot_generation wanted)
{
    unsigned length = tvb_captured_length(tvb);
    const gw_godot_options options = { .generation = wanted };
    gw_godot_summary summary;
    return length >= 8 && length % 4 == 0 &&
           gw_godot_validate(tvb_get_ptr(tvb, 0, (int)length), length, &options, &summary) &&
           summary.length == length &&
           !(summary.odd & ~(uint32_t)(GW_GODOT_ODD_STALE_PADDING | GW_GODOT_ODD_FULL_OBJECT));
}

static void offer_data(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    tvbuff_t *tvb = tvb_new_subset_length(message->tvb, (int)event->payload.offset, (int)event->payload.length);
    proto_tree *tree = message->trees[event->depth];
    heur_dtbl_entry_t *entry;
    godot_variant_request request = { .generation = (gw_godot_generation)message->reader.generation, .in_line = true };
    godot_variant_result result;
    if (dissector_try_heuristic(raw_list, tvb, message->pinfo, tree, &entry, NULL) ||
        !is_variant(tvb, request.generation))
        return;
    request.wants_text = message->wants_line;
    godot_variant_add(message->pinfo, tvb, tree, &request, &result);
    if (message->wants_line && result.text) {
        gw_text_string(message->printer.text, ": ");
        gw_text_string(message->printer.text, result.text);
    }
}

/* ---- the read loop ------------------------------------------------------------------------------------- */

static void read_events(godot_multiplayer_message *message)
{
    gw_godot_multiplayer_event event;
    gw_next next;
    uint32_t events = 0;
    while ((next = gw_godot_multiplayer_next(&message->reader, &event)) == GW_NEXT_EVENT) {
        if (events++ == MOST_EVENTS) {
            godot_multiplayer_show_rest(message, event.payload.offset);
            return;
        }
        const char *name = godot_multiplayer_show(message, &event);
        godot_peer_learn(&message->place, &message->reader, &event);
        if (message->wants_line)
            gw_godot_multiplayer_print_event(&message->printer, &message->reader, &event, name);
        if (event.field == GW_GODOT_MULTIPLAYER_DATA)
            offer_data(message, &event);
    }
    if (next == GW_NEXT_FAULT)
        godot_multiplayer_show_fault(message);
}

static void dissect_message(godot_multiplayer_message *message, gw_godot_multiplayer_form form)
{
    const gw_godot_multiplayer_options options = { .form = form };
    char *line = (char *)wmem_alloc(message->pinfo->pool, INFO_SIZE);
    gw_text text;
    gw_text_init(&text, line, INFO_SIZE);
    col_set_str(message->pinfo->cinfo, COL_PROTOCOL, "Godot MP");
    message->wants_line = col_get_writable(message->pinfo->cinfo, COL_INFO) || gw_is_visible(message->trees[0]) ||
                          godot_multiplayer_is_tapped();
    gw_godot_multiplayer_init(&message->reader, message->bytes, tvb_captured_length(message->tvb), &options);
    gw_godot_multiplayer_printer_init(&message->printer, &text);
    add_form(message, form);
    read_events(message);
    show_peers(message);
    if (message->wants_line) {
        end_line(message);
        show_line(message, line);
        message->facts.line = line;
    }
    godot_multiplayer_count(message->pinfo, &message->facts);
}

/* ---- entry points -------------------------------------------------------------------------------------- */

/* Who carries the messages, and what it knows of them. */
typedef struct godot_carrier {
    uint32_t forms;           /* bits: those that the carrier has and the preference allows */
    const enet_message *enet; /* NULL: not ENet */
    bool is_websocket;
    godot_carried carried;
    gw_recognition recognition;
    gw_godot_multiplayer_form best; /* form that most speaks for */
} godot_carrier;

/* A client tells ENet its peer id when it connects. */
static void learn_from_enet(const godot_place *place, const enet_message *enet)
{
    if (!enet || !enet->client_known)
        return;
    uint8_t client = enet->from_client ? place->side : place->side ^ 1U;
    godot_peer_set(place, client ^ 1U, GW_GODOT_MULTIPLAYER_SERVER, 0);
    if (enet->has_connect_data && enet->connect_data > GW_GODOT_MULTIPLAYER_SERVER && enet->connect_data <= INT32_MAX)
        godot_peer_set(place, client, (int32_t)enet->connect_data, 0);
}

static gw_godot_multiplayer_form find_place(godot_place *place, packet_info *pinfo, tvbuff_t *tvb,
                                            const godot_carrier *carrier)
{
    godot_place_init(place, pinfo, &carrier->carried);
    learn_from_enet(place, carrier->enet);
    gw_godot_multiplayer_form form = godot_link_form(place, carrier->best, &carrier->recognition);
    if (carrier->is_websocket && tvb_captured_length(tvb) == ASSIGNED_SIZE && godot_link_is_first(place) &&
        gw_godot_multiplayer_generation(form) == GW_GODOT_4)
        return GW_GODOT_MULTIPLAYER_4_ASSIGNED;
    return form;
}

static int dissect_carried(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, const godot_carrier *carrier)
{
    unsigned length = tvb_captured_length(tvb);
    if (!length)
        return 0;
    godot_multiplayer_message *message = new_message(tvb, pinfo, parent);
    gw_godot_multiplayer_form form = find_place(&message->place, pinfo, tvb, carrier);
    message->is_websocket = carrier->is_websocket;
    message->facts.wire_bytes = carrier->enet ? carrier->enet->wire_bytes : length;
    dissect_message(message, form);
    return (int)length;
}

/* What is declined now may be what a later message needs. */
static void learn_declined(tvbuff_t *tvb, packet_info *pinfo, const godot_carrier *carrier)
{
    godot_place place;
    if (PINFO_FD_VISITED(pinfo) || gw_is_quoted(pinfo) || !carrier->recognition.possible || !carrier->recognition.bits)
        return;
    gw_godot_multiplayer_form form = find_place(&place, pinfo, tvb, carrier);
    unsigned length = tvb_captured_length(tvb);
    godot_learn_quietly(&place, tvb_get_ptr(tvb, 0, (int)length), length, form);
}

static bool dissect_if_accepted(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, gw_heuristic *heuristic,
                                const godot_carrier *carrier)
{
    if (gw_heuristic_accepts(heuristic, pinfo, tvb, &carrier->recognition))
        return dissect_carried(tvb, pinfo, tree, carrier) != 0;
    learn_declined(tvb, pinfo, carrier);
    return false;
}

#define ENET_FORMS      (BIT(4) | BIT(3_ENET))
#define WEBSOCKET_FORMS (BIT(4) | BIT(3_WEBSOCKET))
/* Channels that a client of either generation asks for by default (observed). */
#define CHANNELS_3 3
#define CHANNELS_4 255

/* Only one generation's form, if that reads the message. Many a message of one is raw bytes in the other. */
static bool keep_form(godot_carrier *carrier, gw_godot_multiplayer_form form)
{
    if (!(carrier->recognition.readings >> form & 1U))
        return false;
    carrier->recognition.readings = UINT32_C(1) << form;
    carrier->best = form;
    return true;
}

/* For what both forms read: what the Variants of the conversation have shown, or else the engines' defaults. */
static void take_hint(packet_info *pinfo, godot_carrier *carrier, gw_godot_multiplayer_form form_3)
{
    const uint8_t readers = godot_generation_find(pinfo).readers;
    const enet_message *enet = carrier->enet;
    bool may_be_3 = readers & GW_GODOT_GENERATION_BIT(GW_GODOT_3);
    bool may_be_4 = readers & GW_GODOT_GENERATION_BIT(GW_GODOT_4);
    if (may_be_3 != may_be_4 && keep_form(carrier, may_be_3 ? form_3 : GW_GODOT_MULTIPLAYER_4))
        return;
    if (enet && enet->channel_count == CHANNELS_3)
        keep_form(carrier, form_3);
    else if (enet && enet->channel_count == CHANNELS_4)
        keep_form(carrier, GW_GODOT_MULTIPLAYER_4);
}

static void carry_by_enet(godot_carrier *carrier, packet_info *pinfo, tvbuff_t *tvb, const enet_message *enet)
{
    *carrier = (godot_carrier){ .forms = forms_of(ENET_FORMS), .enet = enet };
    if (enet)
        carrier->carried = (godot_carried){ enet->connection, enet->ordinal, enet->repeated };
    else
        carrier->carried.ordinal = gw_packet_ordinal(pinfo, proto_multiplayer);
    carrier->best = recognise(tvb, carrier->forms, &carrier->recognition);
    take_hint(pinfo, carrier, GW_GODOT_MULTIPLAYER_3_ENET);
}

static ws_bool dissect_over_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    godot_carrier carrier;
    carry_by_enet(&carrier, pinfo, tvb, data);
    return dissect_if_accepted(tvb, pinfo, tree, &over_enet, &carrier);
}

static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    godot_carrier carrier = { .forms = forms_of(WEBSOCKET_FORMS), .is_websocket = true };
    gw_recognition *recognition = &carrier.recognition;
    carrier.carried.ordinal = gw_packet_ordinal(pinfo, proto_multiplayer);
    carrier.best = recognise(tvb, carrier.forms, recognition);
    take_hint(pinfo, &carrier, GW_GODOT_MULTIPLAYER_3_WEBSOCKET);
    if (tvb_captured_length(tvb) == ASSIGNED_SIZE) {
        godot_link_note_first(pinfo, (int32_t)tvb_get_letohl(tvb, 0));
        /* As possible as an id can be, and a shade of evidence: what follows decides. */
        *recognition = (gw_recognition){ .bits = MAX(recognition->bits, 1),
                                         .readings = recognition->readings | BIT(4),
                                         .possible = true };
    }
    return dissect_if_accepted(tvb, pinfo, tree, &over_websocket, &carrier);
}

/* Chosen by a person: never declines. */
static int dissect_multiplayer(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    godot_carrier carrier;
    carry_by_enet(&carrier, pinfo, tvb, data);
    return dissect_carried(tvb, pinfo, tree, &carrier);
}

/* ---- registration -------------------------------------------------------------------------------------- */

static void register_preferences(void)
{
    static const enum_val_t generations[] = {
        { "auto", "From the bytes", GW_GODOT_ANY },
        { "3", "Godot 3", GW_GODOT_3 },
        { "4", "Godot 4", GW_GODOT_4 },
        { NULL, NULL, 0 },
    };
    module_t *module = prefs_register_protocol(proto_multiplayer, NULL);
    prefs_register_enum_preference(module, "generation", "Godot generation",
                                   "Whose packets these are. Godot 3 and 4 number their commands differently.",
                                   &generation, generations, FALSE);
    godot_names_register(module);
}

void proto_register_godot_multiplayer(void)
{
    proto_multiplayer = proto_register_protocol("Godot Multiplayer", "Godot MP", "godot_mp");
    godot_multiplayer_register_fields(proto_multiplayer);
    godot_multiplayer_analysis_register(proto_multiplayer);
    godot_multiplayer_register_statistics(proto_multiplayer);
    register_preferences();
    multiplayer_handle = register_dissector("godot_mp", dissect_multiplayer, proto_multiplayer);
    raw_list = register_heur_dissector_list("godot.raw", proto_multiplayer);
    gw_heuristic_init_nested(&over_enet);
    gw_heuristic_init_nested(&over_websocket);
}

void proto_reg_handoff_godot_multiplayer(void)
{
    heur_dissector_add(ENET_HEURISTICS, dissect_over_enet, "Godot Multiplayer over ENet", "godot_multiplayer_enet",
                       proto_multiplayer, HEURISTIC_ENABLE);
    dissector_add_for_decode_as(ENET_PORT_TABLE, multiplayer_handle);
    heur_dissector_add("ws", dissect_over_websocket, "Godot Multiplayer over WebSocket", "godot_multiplayer_ws",
                       proto_multiplayer, HEURISTIC_ENABLE);
}
