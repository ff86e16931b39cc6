/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One message on its way: recognition.c reads it, analysis.c relates it to others; then its events and findings go into
 * the tree and the line of the Info column, and bytes in a format of the game's own to dissectors of that format.
 */
#include "internal.h"

#include "names/internal.h"
#include "relations/internal.h"

#include <gamewire/output.h>
#include <wsutil/utf8_entities.h>

#include "common/conversation.h"
#include "common/display/columns.h"
#include "common/display/experts.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/menus/export.h"
#include "common/recognition/payloads.h"
#include "godot/variant/generation.h"

/* Node, method and arguments of a call. */
#define INFO_SIZE 400
/* Limit of one value's text, in its field. */
#define VALUE_SIZE 240
#define UNUSUAL    "the engine does not write such values"
/* The list of heuristics for a game's own bytes. */
#define RAW_HEURISTICS "godot.raw"

/* ---- the transport ------------------------------------------------------------------------------------- */

/* Sets what ENet knows: the message's transport, and the ids of both peers (`given`) if it is known which side is the
 * client: the server's is 1, the client's is the data of its CONNECT; 0: not captured. A message inside an ICMP error
 * has no connection, and gets no ids. Returns true if the server rejects the client, whose CONNECT has no id: "Client
 * joined with invalid ID". */
static bool set_transport(godot_mp_message *message, const enet_message *enet)
{
    bool has_id = enet->has_connect_data && enet->connect_data > GW_GODOT_MP_SERVER && enet->connect_data <= INT32_MAX;
    int32_t client = has_id ? (int32_t)enet->connect_data : 0;
    message->transport = (gw_godot_mp_transport){
        .has_channel = true,
        .channel = enet->channel,
        .client_known = enet->client_known,
        .from_client = enet->from_client,
        .client = client,
        /* By the CONNECT: Godot 4's number of channels; the mtu of the engine's ENet, 1392 since its version 1.3.16,
         * before 1400; and the id, a hash, which is seldom as small as the numbers that other games send. */
        .is_godot_4 = enet->channel_count == GODOT_MP_CHANNELS_4 &&
                      (enet->connect_mtu == 1392 || enet->connect_mtu == 1400) && client > UINT16_MAX,
        .is_first = enet->is_first,
    };
    if (enet->client_known && !gw_is_quoted(message->pinfo)) {
        uint8_t side = enet->from_client ? message->position.side : message->position.side ^ 1U;
        message->position.given[side] = client;
        message->position.given[side ^ 1U] = GW_GODOT_MP_SERVER;
    }
    return enet->has_connect_data && !has_id;
}

/* ---- bytes in a format of the game's own ----------------------------------------------------------------- */

/* For dissectors of that format:
 *
 *   godot_mp.rpc.method      string table, by method name: each PackedByteArray argument of a call, one by one, also an empty one
 *   godot_mp.raw.first_byte  integer table: the bytes of a RAW message (SceneMultiplayer.send_bytes)
 *   godot.raw                heuristic list: the bytes of RAW and AUTH messages that no dissector of the table accepts
 *
 * The tvbuff has the bytes alone, `data` is NULL, and items go below the multiplayer message. A dissector that returns
 * 0 declines. The text that it writes into the Info column replaces the argument in the line of the call, or follows
 * the text of a RAW message. Bytes that no dissector accepts, and that are a Variant, are shown as one. */

static dissector_table_t methods;
static dissector_table_t first_bytes;
static heur_dissector_list_t heuristics; /* RAW_HEURISTICS */

/* What a dissector may need beside the bytes is in Wireshark's table of texts for other dissectors, which is
 * pinfo.private in Lua, only during the call: the peers, and the earlier arguments of the call as Godot literals. */
#define SHARED_SOURCE "godot_mp.source"
#define SHARED_TARGET "godot_mp.target"
static const char *const shared_arguments[] = {
    "godot_mp.rpc.argument.0", "godot_mp.rpc.argument.1", "godot_mp.rpc.argument.2", "godot_mp.rpc.argument.3",
    "godot_mp.rpc.argument.4", "godot_mp.rpc.argument.5", "godot_mp.rpc.argument.6", "godot_mp.rpc.argument.7",
};

/* A PackedByteArray is u32 type and flags, u32 count, bytes, padding. */
#define ARRAY_COUNT  4
#define ARRAY_HEADER 8

typedef struct game_bytes {
    tvbuff_t *tvb;
    const char *method; /* NULL: not an argument */
    bool is_raw;
    /* Texts for the line of the message, in packet scope. */
    const char *info;    /* the dissector's text in the Info column; else NULL */
    const char *variant; /* the Variant that raw bytes are, if no dissector accepted them; else NULL */
    bool is_variant;
} game_bytes;

/* Sets an entry of the table of texts for other dissectors, or removes it if `text` is NULL. */
static void share(packet_info *pinfo, const char *key, const char *text)
{
    if (text)
        g_hash_table_replace(pinfo->private_table, g_strdup(key), g_strdup(text));
    else
        g_hash_table_remove(pinfo->private_table, key);
}

/* Sets an entry of the table to the number, or removes it if the number is not known. */
static void share_number(packet_info *pinfo, const char *key, bool is_known, int32_t number)
{
    share(pinfo, key, is_known ? wmem_strdup_printf(pinfo->pool, "%d", number) : NULL);
}

/* Sets the entries of the arguments before `index`, as Godot literals, and removes those from `index` on, which may be
 * of an earlier call of a dissector. */
static void share_arguments(const godot_mp_tree *tree, uint32_t index)
{
    const godot_mp_message *message = tree->message;
    const char *texts[G_N_ELEMENTS(shared_arguments)] = { NULL };
    for (uint32_t i = 0; i < message->event_count; i++) {
        const gw_godot_mp_event *event = &message->events[i];
        if (event->role != GW_GODOT_MP_ROLE_ARGUMENT || event->index >= MIN(index, G_N_ELEMENTS(shared_arguments)))
            continue;
        gw_text text;
        gw_text_init(&text, wmem_alloc(tree->pinfo->pool, VALUE_SIZE), VALUE_SIZE);
        gw_godot_mp_print_value(&text, &message->reader, event);
        /* A part of a literal cannot be parsed. */
        texts[event->index] = text.cut ? NULL : text.buffer;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(shared_arguments); i++)
        share(tree->pinfo, shared_arguments[i], texts[i]);
}

/* Sets the entries of the peers and of the first `arguments` arguments in pinfo->private_table, Wireshark's table of
 * texts for other dissectors. True if the table has to be removed after the call of the dissector, because no other
 * dissector made it. */
static bool begin_sharing(const godot_mp_tree *tree, uint32_t arguments)
{
    packet_info *pinfo = tree->pinfo;
    const godot_mp_findings *findings = tree->message->findings;
    bool is_ours = !pinfo->private_table;
    if (is_ours) /* as Wireshark's Lua makes it */
        pinfo->private_table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    share_number(pinfo, SHARED_SOURCE, findings && findings->has_source, findings ? findings->source : 0);
    share_number(pinfo, SHARED_TARGET, findings && findings->has_target, findings ? findings->target : 0);
    share_arguments(tree, arguments);
    return is_ours;
}

/* For heur_dissector_table_foreach(): is called only if the list has a dissector. */
static void keep_presence(const char *table _U_, heur_dtbl_entry_t *entry _U_, void *present)
{
    *(bool *)present = true;
}

/* True if a dissector is registered that try_dissectors() would call. */
static bool have_dissectors(const game_bytes *bytes)
{
    if (bytes->method)
        return dissector_get_string_handle(methods, bytes->method) != NULL;
    bool present = bytes->is_raw && tvb_captured_length(bytes->tvb) &&
                   dissector_get_uint_handle(first_bytes, tvb_get_uint8(bytes->tvb, 0));
    if (!present)
        heur_dissector_table_foreach(RAW_HEURISTICS, keep_presence, &present);
    return present;
}

/* Offers the bytes (`closure`: game_bytes) to the dissectors of the method or, without one, of the first byte, and then
 * to the heuristics. True if one accepted them. */
static bool try_dissectors(packet_info *pinfo, proto_tree *tree, void *closure)
{
    const game_bytes *bytes = closure;
    heur_dtbl_entry_t *entry;
    if (bytes->method)
        return dissector_try_string_with_data(methods, bytes->method, bytes->tvb, pinfo, tree, true, NULL) > 0;
    if (bytes->is_raw &&
        dissector_try_uint_with_data(first_bytes, tvb_get_uint8(bytes->tvb, 0), bytes->tvb, pinfo, tree, true, NULL))
        return true;
    return dissector_try_heuristic(heuristics, bytes->tvb, pinfo, tree, &entry, NULL);
}

/* Calls the dissectors of a game's own format for the bytes, with an empty Info column: what they write there becomes
 * bytes->info, and the line of the message goes there later. True when one accepted the bytes; none is called if the
 * frame has no layer left for it. During the call, pinfo->private_table has the peers and the first `arguments`
 * arguments of the call, those before the bytes, as texts. If the table was made for this call (`is_ours`), it is
 * removed after it, else only these entries are. */
static bool call_dissectors(const godot_mp_tree *tree, proto_tree *parent, game_bytes *bytes, uint32_t arguments)
{
    packet_info *pinfo = tree->pinfo;
    /* The text that col_clear() leaves in the column is of earlier messages of the packet: the dissector's text follows
     * it. */
    col_clear(pinfo->cinfo, COL_INFO);
    const char *before = col_get_writable(pinfo->cinfo, COL_INFO) ? col_get_text(pinfo->cinfo, COL_INFO) : NULL;
    size_t length_before = before ? strlen(before) : 0;
    /* Texts are printed for a dissector only: most games have none. */
    bool is_shared = have_dissectors(bytes), is_ours = is_shared && begin_sharing(tree, arguments);
    bool accepted = gw_has_layers(pinfo, 1) && gw_call_guarded(bytes->tvb, pinfo, parent, try_dissectors, bytes);
    if (is_shared && is_ours) {
        g_hash_table_destroy(pinfo->private_table);
        pinfo->private_table = NULL;
    } else if (is_shared) {
        share(pinfo, SHARED_SOURCE, NULL);
        share(pinfo, SHARED_TARGET, NULL);
        share_arguments(tree, 0); /* removes all */
    }
    const char *info = before ? col_get_text(pinfo->cinfo, COL_INFO) : NULL;
    size_t length = info ? strlen(info) : 0;
    /* It is UTF-8 unless a dissector wrote anything else. */
    if (length > length_before)
        bytes->info =
            wmem_strndup(pinfo->pool, info + length_before,
                         gw_utf8_prefix((const uint8_t *)info + length_before, (uint32_t)(length - length_before)));
    return accepted;
}

/* Adds the bytes to the tree if they are one complete Variant that an engine may have written: put_var over a
 * multiplayer peer. Returns false for other bytes. Sets `text` to its text, if that is wanted. */
static bool add_variant(const godot_mp_tree *tree, proto_tree *parent, tvbuff_t *tvb, bool wants_text,
                        const char **text)
{
    /* Oddities that are accepted in a Variant here; with any other, the bytes stay bytes. */
    const uint32_t usual = GW_GODOT_ODD_STALE_PADDING | GW_GODOT_ODD_FULL_OBJECT | GW_GODOT_ODD_DUPLICATE_KEY;
    const godot_variant_request request = { .in_line = true, .wants_text = wants_text };
    /* The generation is that of the message: it is not detected from the bytes. */
    godot_findings findings = { .generation = (gw_godot_generation)tree->message->reader.generation, .given = true };
    const gw_godot_options options = { .generation = findings.generation, .find_duplicates = true };
    unsigned length = tvb_captured_length(tvb);
    godot_variant_result result;
    /* A Variant has a multiple of four bytes. With four it is only a null, which any four zero bytes are, too. */
    if (length < 8 || length % 4 != 0 || !gw_godot_validate(gw_bytes_of(tvb), length, &options, &findings.summary) ||
        findings.summary.length != length || findings.summary.odd & ~usual)
        return false;
    godot_variants_add_as(godot_variants_new(tree->pinfo, tvb), parent, &request, &findings, &result);
    *text = result.text;
    return true;
}

/* Offers the bytes in a game's own format to its dissectors, after the event's item was added: the data of a RAW or
 * AUTH message, which is added as a Variant if no dissector accepts it, and the bytes of an argument of a call. Other
 * events have no tvb. A dissector of an argument also gets the arguments before it, `event->index` of them.
 * `wants_text`: there is a line. */
static game_bytes offer_bytes(const godot_mp_tree *tree, const gw_godot_mp_event *event, bool wants_text)
{
    proto_tree *parent = tree->trees[event->depth];
    gw_span span = event->payload;
    game_bytes bytes = { .tvb = NULL };
    if (event->role == GW_GODOT_MP_ROLE_DATA) {
        bytes.tvb = gw_subset_of(tree->tvb, span);
        bytes.is_raw = tree->message->facts.command == GW_GODOT_MP_RAW;
        if (!call_dissectors(tree, parent, &bytes, 0))
            bytes.is_variant = add_variant(tree, parent, bytes.tvb, wants_text, &bytes.variant);
        return bytes;
    }
    /* Bytes without a header are of `bytes_only` calls. */
    bool is_array = event->role == GW_GODOT_MP_ROLE_ARGUMENT && event->type == GW_GODOT_BYTE_ARRAY &&
                    event->encoding == GW_GODOT_MP_PLAIN;
    if (!tree->method || (!is_array && event->role != GW_GODOT_MP_ROLE_BYTES))
        return bytes;
    /* The codec has read the array: its count does not exceed its bytes. */
    if (is_array) {
        span.length = tvb_get_letohl(tree->tvb, (int)span.offset + ARRAY_COUNT);
        span.offset += ARRAY_HEADER;
    }
    if (!dissector_get_string_handle(methods, tree->method))
        return bytes;
    bytes.tvb = gw_subset_of(tree->tvb, span);
    bytes.method = tree->method;
    call_dissectors(tree, parent, &bytes, is_array ? event->index : 0);
    return bytes;
}

/* ---- the line ------------------------------------------------------------------------------------------ */

/* The line of a message, for its label, taps and Follow Stream; and one for the Info column, if dissectors of the
 * game's format have written something there. */
typedef struct message_lines {
    gw_godot_mp_printer label; /* text: NULL if no line is needed */
    gw_godot_mp_printer info;  /* text: NULL if it is the same line */
    gw_text label_text;
    gw_text info_text;
} message_lines;

/* Prints the event at the end of a line; then, after a colon, `after`, unless it is NULL. */
static void print_in_line(gw_godot_mp_printer *printer, const godot_mp_tree *tree, const gw_godot_mp_event *event,
                          const char *name, const char *after)
{
    gw_godot_mp_print_event(printer, &tree->message->reader, event, name);
    if (after) {
        gw_text_string(printer->text, ": ");
        gw_text_string(printer->text, after);
    }
}

/* Adds the event to the lines. In the Info column, the text of a dissector is in place of an argument, and after the
 * number of raw bytes; the label never has it. */
static void print_event(const godot_mp_tree *tree, const gw_godot_mp_event *event, const char *name,
                        const game_bytes *bytes, message_lines *lines)
{
    bool is_data = event->role == GW_GODOT_MP_ROLE_DATA;
    if (!lines->label.text)
        return;
    if (bytes->info && !lines->info.text) {
        /* From here on the Info column has a line of its own. */
        lines->info_text = lines->label_text;
        lines->info_text.buffer = wmem_memdup(tree->pinfo->pool, lines->label_text.buffer, INFO_SIZE);
        lines->info = lines->label;
        lines->info.text = &lines->info_text;
    }
    if (lines->info.text) {
        lines->info.value = bytes->info && !is_data ? bytes->info : lines->label.value;
        print_in_line(&lines->info, tree, event, name, bytes->info && is_data ? bytes->info : bytes->variant);
    }
    print_in_line(&lines->label, tree, event, name, bytes->variant);
    /* The text was that of this event's value. */
    lines->label.value = lines->info.value = NULL;
}

/* Ends a line with the fault at which reading stopped or, of a message that the capture cut short, an ellipsis. */
static void end_line(const godot_mp_message *message, gw_text *text)
{
    gw_godot_mp_command command = (gw_godot_mp_command)message->reader.packet.command;
    const gw_fault *fault = &message->reader.fault;
    if (!gw_fault_is_cut(message->pinfo, message->tvb, fault)) {
        gw_add_fault_to_line(text, message->pinfo, message->tvb, fault, &gw_godot_mp_faults);
        return;
    }
    /* If a path was cut, nothing has been printed. */
    if (!text->length && command != GW_GODOT_MP_UNKNOWN)
        gw_text_string(text, gw_godot_mp_command_name(command));
    gw_text_string(text, UTF8_HORIZONTAL_ELLIPSIS);
}

/* ---- export ---------------------------------------------------------------------------------------------- */

static int export_tap = -1;

/* Exports a message that was accepted, with the header of internal.h. One inside an ICMP error has no connection, and
 * is not exported. `cut`: how many of its bytes the capture, and so the exported message, does not have. */
static void export_message(const godot_mp_message *message)
{
    packet_info *pinfo = message->pinfo;
    const godot_mp_carrier *carrier = message->carrier;
    const enet_message *enet = carrier->enet;
    if (!gw_export_is_wanted(export_tap) || !message->position.connection)
        return;
    unsigned length = tvb_captured_length(message->tvb), cut = tvb_reported_length(message->tvb) - length;
    uint8_t *bytes = wmem_alloc0(pinfo->pool, GODOT_MP_EXPORT_HEADER + length);
    bytes[GODOT_MP_AT_VERSION] = GODOT_MP_EXPORT_VERSION;
    bytes[GODOT_MP_AT_TRANSPORT] = enet                    ? GODOT_MP_ENET
                                   : carrier->channel      ? GODOT_MP_WEBRTC
                                   : carrier->is_websocket ? GODOT_MP_WEBSOCKET
                                                           : GODOT_MP_OTHER;
    bytes[GODOT_MP_AT_GENERATION] = (uint8_t)message->reader.generation;
    gw_store_be32(bytes + GODOT_MP_AT_CONNECTION, enet ? enet->connection : message->position.connection->number);
    if (enet) {
        bytes[GODOT_MP_AT_FLAGS] |= enet->client_known ? GODOT_MP_EXPORT_CLIENT : 0;
        bytes[GODOT_MP_AT_FLAGS] |= enet->from_client ? GODOT_MP_EXPORT_FROM_IT : 0;
        bytes[GODOT_MP_AT_FLAGS] |= enet->has_connect_data ? GODOT_MP_EXPORT_CONNECTED : 0;
        bytes[GODOT_MP_AT_FLAGS] |= enet->repeated ? GODOT_MP_EXPORT_REPEATED : 0;
        gw_store_be32(bytes + GODOT_MP_AT_CONNECT_DATA, enet->connect_data);
        bytes[GODOT_MP_AT_CHANNEL] = enet->channel;
    }
    tvb_memcpy(message->tvb, bytes + GODOT_MP_EXPORT_HEADER, 0, length);
    length += GODOT_MP_EXPORT_HEADER;
    gw_export(export_tap, pinfo, GODOT_MP_EXPORT_DISSECTOR,
              tvb_new_child_real_data(message->tvb, bytes, length, (int)(length + cut)));
}

/* ---- one message --------------------------------------------------------------------------------------- */

#define BIT(role) (UINT64_C(1) << GW_GODOT_MP_ROLE_##role)
/* What there is of an event or a field beside its item and its text in the line: most have none of these. */
#define NAMED \
    (BIT(UPDATE) | BIT(NODE_ID) | BIT(METHOD_ID) | BIT(METHOD) | BIT(PROPERTY) | BIT(PATH_ID) | BIT(SCENE) | \
     BIT(NET_ID) | BIT(STATE) | BIT(VALUE) | BIT(PEER) | BIT(ASSIGNED) | BIT(RELAY_PEER))
#define WITH_FINDINGS \
    (BIT(NODE_ID) | BIT(METHOD_ID) | BIT(PATH) | BIT(PATH_ID) | BIT(CHECKSUM_TEXT) | BIT(CONFIRMED) | BIT(SCENE) | \
     BIT(SPAWNER) | BIT(NET_ID) | BIT(TIME) | BIT(PEER) | BIT(ASSIGNED) | BIT(RELAY_PEER))
#define WITH_BYTES (BIT(ARGUMENT) | BIT(BYTES) | BIT(DATA))
/* Fields that are only in the tree. */
#define ONLY_IN_TREE \
    (BIT(HEAD_TYPE) | BIT(SOURCE) | BIT(TARGET) | BIT(COMMAND) | BIT(ARGUMENT_COUNT) | BIT(SYNC_COUNT) | \
     BIT(NAME_LENGTH) | BIT(CUSTOM_SIZE) | BIT(INDEXES) | BIT(SIZE))
/* Of a message that is not shown, the names on which its findings, the statistics and the dissectors of arguments depend:
 * the update, the script and the method. */
#define NAMED_ALWAYS (BIT(UPDATE) | BIT(NODE_ID) | BIT(METHOD_ID) | BIT(METHOD) | BIT(PROPERTY))
/* And all that may be reported, or passed to a dissector. */
#define NEEDED_ALWAYS \
    (NAMED_ALWAYS | WITH_BYTES | BIT(PATH) | BIT(PATH_ID) | BIT(CONFIRMED) | BIT(SPAWNER) | BIT(SYNC_IDS) | \
     BIT(NET_ID) | BIT(TIME))

/* True if a tree, a line or JSON has the message: else only its findings are reported, and its bytes passed on. */
static bool is_shown(const godot_mp_tree *tree, const message_lines *lines, const godot_mp_json *json)
{
    return tree->is_wanted || tree->wants_variants || lines->label.text || json;
}

/* Adds an event, or a field of its head, with its findings, to the tree, the lines and the JSON. `json`: NULL if it is not
 * needed. */
static void add_event(godot_mp_tree *tree, message_lines *lines, godot_mp_json *json, const gw_godot_mp_event *event)
{
    const godot_mp_message *message = tree->message;
    const uint64_t role = UINT64_C(1) << event->role;
    const uint64_t named = is_shown(tree, lines, json) ? NAMED : NAMED_ALWAYS;
    const godot_mp_name name = role & named ? godot_mp_find_name(tree, event) : (godot_mp_name){ .text = NULL };
    char value[VALUE_SIZE];
    /* A value is printed once, for its field and the line; twice if it is longer than its field. Events without a type
     * (GW_GODOT_TYPES) have no Variant: of these, only BYTES are printed here. */
    if (tree->wants_values && (event->type != GW_GODOT_TYPES || event->role == GW_GODOT_MP_ROLE_BYTES)) {
        gw_text text;
        gw_text_init(&text, value, VALUE_SIZE);
        gw_godot_mp_print_value(&text, &message->reader, event);
        lines->label.value = text.cut ? NULL : value;
    }
    /* Without a tree, only events that begin a level, and those that are reported, have an effect on it. A spawn's list
     * of synchronizers (SYNC_IDS) is reported where it has more than are stored. */
    bool is_reported = event->odd || event->value_odd || event->role == GW_GODOT_MP_ROLE_SYNC_IDS;
    bool needs_tree = tree->is_wanted || tree->wants_variants || event->kind == GW_OPEN || is_reported;
    proto_item *item = needs_tree ? godot_mp_tree_add(tree, event, name.text, value) : NULL;
    game_bytes bytes = { .tvb = NULL };
    if (role & WITH_FINDINGS)
        godot_mp_findings_add(tree, event, item, &name);
    if (role & WITH_BYTES)
        bytes = offer_bytes(tree, event, lines->label.text != NULL);
    if (json)
        godot_mp_json_add(json, event, name.text, bytes.is_variant ? bytes.tvb : NULL);
    print_event(tree, event, name.text, &bytes, lines);
}

/* The number of fields in the event's head up to the last one that is needed: not `hidden` (bits of roles), or odd. */
static uint32_t count_needed_fields(const gw_godot_mp_event *event, uint64_t hidden)
{
    uint32_t count = event->field_count;
    while (!event->odd && count && hidden >> event->fields[count - 1] & 1U)
        count--;
    return count;
}

/* Adds each event and, after it, the fields of its head, each if anything is shown or reported of it. Each OPEN is
 * added: it begins the level at which the oddities of events in it are reported. */
static void add_events(godot_mp_tree *tree, message_lines *lines, godot_mp_json *json)
{
    const godot_mp_message *message = tree->message;
    uint64_t hidden = is_shown(tree, lines, json) ? ONLY_IN_TREE : ~NEEDED_ALWAYS;
    if (tree->is_wanted || tree->wants_variants || json)
        hidden = 0;
    for (uint32_t i = 0; i < message->event_count; i++) {
        const gw_godot_mp_event *event = &message->events[i];
        gw_godot_mp_event part = { .role = GW_GODOT_MP_ROLE_NONE };
        if (event->kind == GW_OPEN || event->odd || event->value_odd || !(hidden >> event->role & 1U))
            add_event(tree, lines, json, event);
        for (uint32_t left = count_needed_fields(event, hidden); left; left--) {
            gw_godot_mp_next_part(&message->reader, event, &part);
            if (part.odd || !(hidden >> part.role & 1U))
                add_event(tree, lines, json, &part);
        }
    }
}

/* Adds a message that was accepted to the tree, the Info column and the JSON, and passes it to the taps. Its line is
 * printed only if a label, the Info column (demand.line) or a tap uses it. */
static void add_message(const godot_mp_message *message, proto_tree *parent)
{
    packet_info *pinfo = message->pinfo;
    godot_mp_tree *tree = wmem_new0(pinfo->pool, godot_mp_tree);
    message_lines lines = { .label = { .text = NULL } };
    /* The index of the message's first finding in the packet. The line begins with the words of these findings, and the
     * carrier has added the first of them before this call. */
    unsigned first_finding = gw_count_findings(pinfo) - message->carrier->findings;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "GodotMP");
    godot_mp_tree_init(tree, message, parent);
    if (tree->demand.line || godot_mp_is_tapped()) {
        gw_text_init(&lines.label_text, wmem_alloc(pinfo->pool, INFO_SIZE), INFO_SIZE);
        gw_godot_mp_printer_init(&lines.label, &lines.label_text);
        lines.label.short_paths = true;
        lines.label.way = godot_mp_find_way(message->findings);
    }
    godot_mp_findings_begin(tree);
    godot_mp_json *json = godot_mp_json_new(tree);
    add_events(tree, &lines, json);
    godot_mp_findings_end(tree);
    godot_mp_tree_end(tree);
    if (json)
        godot_mp_json_end(json, first_finding);
    if (lines.label.text) {
        const char *words = gw_finding_words(pinfo, first_finding);
        const char *line = lines.label_text.buffer, *info = lines.info.text ? lines.info_text.buffer : line;
        end_line(message, &lines.label_text);
        if (lines.info.text)
            end_line(message, &lines.info_text);
        if (tree->demand.label)
            gw_append_line(tree->items[0], pinfo, proto_godot_mp, words, line);
        /* ENet adds the separators between its messages itself. */
        if (message->carrier->is_websocket || message->carrier->channel)
            gw_columns_add(pinfo, proto_godot_mp, words, info);
        else
            col_set_str(pinfo->cinfo, COL_INFO, gw_line_with_words(pinfo, words, info));
    }
    godot_mp_tap(tree, lines.label.text ? lines.label_text.buffer : NULL);
}

/* Reports a message that was declined, if nearly all messages of its connection before it were multiplayer: the engine
 * sends no other messages there. Another dissector may still accept it. */
static void add_unread(godot_mp_message *message, proto_tree *parent)
{
    packet_info *pinfo = message->pinfo;
    const gw_fault *fault = &message->reader.fault;
    if (!godot_mp_read_unread(message) || gw_fault_is_cut(pinfo, message->tvb, fault))
        return;
    const char *reason = fault->fault_class ? gw_fault_text(&gw_godot_mp_faults, fault->code) : UNUSUAL;
    char *offset = fault->fault_class ? wmem_strdup_printf(pinfo->pool, " at offset %u", fault->offset) : "";
    gw_add_finding_at_format(
        parent, pinfo, &godot_mp_ei.unread, message->tvb, 0, (int)tvb_captured_length(message->tvb),
        "Not read as Godot multiplayer, as the messages of this connection before it: %s%s", reason, offset);
}

/* Dissects one message on its way from the carrier to tree, columns and taps. Returns 0 if it was declined. */
int godot_mp_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, const godot_mp_carrier *carrier)
{
    const enet_message *enet = carrier->enet;
    if (!tvb_captured_length(tvb))
        return 0;
    /* 1. The message's transport, connection and number (its `ordinal` in the frame, until it has a number in the
     * connection), and the peers' ids that the carrier has. godot_mp_read() sets the members that are not set here. */
    godot_mp_message *message = wmem_new(pinfo->pool, godot_mp_message);
    message->pinfo = pinfo;
    message->tvb = tvb;
    message->carrier = carrier;
    message->transport = (gw_godot_mp_transport){ .has_channel = false };
    message->events = NULL;
    message->event_room = 0;
    message->findings = NULL;
    message->position = (godot_mp_position){
        .enet = enet,
        .conversation = enet ? enet->conversation : NULL,
        .connection_id = enet ? enet->connection : carrier->connection,
        .ordinal = enet ? enet->ordinal : gw_packet_ordinal(pinfo, proto_godot_mp),
        .repeated = enet ? enet->repeated : carrier->repeated,
    };
    godot_mp_find_position(&message->position, pinfo);
    if (carrier->peers[0]) {
        message->position.given[message->position.side] = carrier->peers[0];
        message->position.given[message->position.side ^ 1U] = carrier->peers[1];
    }
    bool is_rejected = enet && set_transport(message, enet);
    /* 2. The server does not read a rejected client's messages: a heuristic declines them. Messages that are declined
     *    are analyzed all the same if they may define ids. */
    godot_mp_reading reading = is_rejected && carrier->heuristic ? GODOT_MP_DECLINED : godot_mp_read(message);
    if (reading != GODOT_MP_DECLINED)
        godot_mp_analyze(message);
    if (reading != GODOT_MP_ACCEPTED) {
        add_unread(message, parent);
        return 0;
    }
    /* 3. Show it. */
    enet_describe(pinfo, enet);
    add_message(message, parent);
    export_message(message);
    godot_mp_keep_sample(message);
    return (int)tvb_captured_length(tvb);
}

/* Registers the tables and the list of dissectors of a game's own formats, and the tap of exported messages. */
void godot_mp_register_dissection(int protocol)
{
    export_tap = gw_export_register("Godot Multiplayer");
    methods =
        register_dissector_table("godot_mp.rpc.method", "Godot RPC method", protocol, FT_STRING, STRING_CASE_SENSITIVE);
    first_bytes = register_dissector_table("godot_mp.raw.first_byte", "First byte of a raw Godot message", protocol,
                                           FT_UINT8, BASE_HEX);
    heuristics = register_heur_dissector_list(RAW_HEURISTICS, protocol);
}
