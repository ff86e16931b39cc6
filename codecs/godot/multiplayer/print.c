/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * A message as one line, as a script's author would say it.
 */
#include "internal.h"

#include <string.h>

/* Starts a line with the defaults: paths are not shortened, and the direction of relays (`way`) is unknown. */
void gw_godot_mp_printer_init(gw_godot_mp_printer *printer, gw_text *text)
{
    *printer = (gw_godot_mp_printer){ .text = text, .separator = "" };
}

/* ---- parts --------------------------------------------------------------------------------------------- */

/* Prints a name: unchanged if it is printable, else in quotes with escapes. */
static void put_span(gw_text *text, const gw_godot_mp_reader *reader, gw_span span)
{
    const uint8_t *bytes = reader->bytes + span.offset;
    if (span.length && gw_text_is_plain(bytes, span.length))
        gw_text_bytes(text, (const char *)bytes, span.length);
    else
        gw_godot_print_quoted(text, bytes, span.length);
}

/* Prints a path. With `short_paths`, of a long one only the end, in which nodes differ: its last two names, and the
 * names before them that fit. A path in quotes, which has escapes, is not shortened. */
static void put_path(const gw_godot_mp_printer *printer, const char *path)
{
    size_t length = strlen(path), start = length;
    unsigned names = 0;
    bool is_short = !printer->short_paths || length <= GW_GODOT_MP_PATH_END || *path == '"';
    /* From the end to the beginning; `start`: the separator before the names that are printed. */
    for (size_t at = is_short ? 0 : length; at--;) {
        if (path[at] != '/')
            continue;
        if (++names > 2 && length - at > GW_GODOT_MP_PATH_END)
            break;
        start = at;
    }
    if (names < 2) /* no more than two names: all of the path */
        start = 0;
    if (start)
        gw_text_string(printer->text, "\xE2\x80\xA6");
    gw_text_bytes(printer->text, path + start, length - start);
}

/* Prints "#5". */
static void put_id(gw_text *text, int64_t id)
{
    gw_text_char(text, '#');
    gw_text_signed(text, id);
}

/* Prints one value as a Godot literal, by its encoding: the last two branches are a compressed bool and a compressed
 * int. The bytes of a `bytes_only` call are printed as a PackedByteArray. */
void gw_godot_mp_print_value(gw_text *text, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event)
{
    const gw_godot_options options = { .generation = (gw_godot_generation)reader->generation };
    const uint8_t *payload = reader->bytes + event->payload.offset;
    uint32_t length = event->payload.length;
    uint8_t variant[GW_GODOT_MP_HALVES_VARIANT];
    if (event->role == GW_GODOT_MP_ROLE_BYTES) {
        gw_text_string(text, "PackedByteArray(");
        for (uint32_t i = 0; i < length && !text->cut; i++) {
            gw_text_string(text, i ? ", " : "");
            gw_text_unsigned(text, payload[i]);
        }
        gw_text_char(text, ')');
    } else if (event->encoding == GW_GODOT_MP_NULL_OBJECT) {
        gw_text_string(text, "null");
    } else if (event->encoding == GW_GODOT_MP_HALVES) {
        length = gw_godot_mp_variant_of_halves(reader->bytes, event, variant);
        gw_godot_print(text, variant, length, &options);
    } else if (event->encoding == GW_GODOT_MP_PLAIN) {
        gw_godot_print(text, payload, length, &options);
    } else if (event->type == GW_GODOT_BOOL) {
        gw_text_string(text, event->number ? "true" : "false");
    } else {
        gw_text_signed(text, event->number);
    }
}

/* Prints an argument or a property after a separator. `name`: of a property, or NULL. Instead of the value,
 * printer->value is printed if the caller has set it; it is for this value only. */
static void print_next_value(gw_godot_mp_printer *printer, const gw_godot_mp_reader *reader,
                             const gw_godot_mp_event *event, const char *name)
{
    gw_text_string(printer->text, printer->separator);
    printer->separator = ", ";
    if (name) {
        gw_text_string(printer->text, name);
        gw_text_string(printer->text, " = ");
    }
    if (printer->value)
        gw_text_string(printer->text, printer->value);
    else if (!printer->text->cut)
        gw_godot_mp_print_value(printer->text, reader, event);
    printer->value = NULL;
}

/* Prints a peer between two texts: by its name or, if `name` is NULL, as "server" or "client 7". */
static void print_peer(gw_godot_mp_printer *printer, const char *before, int64_t peer, const char *name,
                       const char *after)
{
    gw_text_string(printer->text, before);
    if (name) {
        gw_text_string(printer->text, name);
    } else if (peer == GW_GODOT_MP_SERVER) {
        gw_text_string(printer->text, "server");
    } else {
        gw_text_string(printer->text, "client ");
        gw_text_signed(printer->text, peer);
    }
    gw_text_string(printer->text, after);
}

/* ---- packets ------------------------------------------------------------------------------------------- */

/* Begins a packet: prints its first word. Before, resets the printer, which may have the ids of the relay around this
 * packet, except for the settings of the caller, short_paths and way. Commands without a word here are printed from
 * their fields. */
static void begin_packet(gw_godot_mp_printer *printer, const gw_godot_mp_event *event)
{
    static const char *const beginnings[GW_GODOT_MP_COMMANDS] = {
        [GW_GODOT_MP_CALL] = "RPC ",
        [GW_GODOT_MP_SET] = "Set ",
        [GW_GODOT_MP_RAW] = "Raw",
        [GW_GODOT_MP_SPAWN] = "Spawn ",
        [GW_GODOT_MP_SYNC] = "",
        [GW_GODOT_MP_DESPAWN] = "Despawn ",
        [GW_GODOT_MP_UNKNOWN] = "Unknown command",
    };
    const char *beginning = beginnings[event->number];
    bool short_paths = printer->short_paths;
    gw_godot_mp_way way = printer->way;
    gw_godot_mp_printer_init(printer, printer->text);
    printer->short_paths = short_paths;
    printer->way = way;
    if (beginning)
        gw_text_string(printer->text, beginning);
}

/* Prints the node of a call or a confirmation: the path in the packet, the name that the caller gave, or the id. */
static void print_node(const gw_godot_mp_printer *printer, const gw_godot_mp_reader *reader)
{
    if (printer->named)
        put_span(printer->text, reader, printer->path);
    else if (printer->node)
        put_path(printer, printer->node);
    else
        put_id(printer->text, printer->id);
}

/* At the end of a packet, prints what follows or depends on all its fields: the node of a call, whose id is before the
 * arguments in the packet and after them in the line; a path with its id; whether a confirmation says that the methods
 * differ (printer->differs, set by print_other_item()); and the end of an authentication. */
static void end_packet(gw_godot_mp_printer *printer, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event)
{
    gw_text *text = printer->text;
    switch (event->number) {
    case GW_GODOT_MP_CALL:
    case GW_GODOT_MP_SET:
        gw_text_string(text, printer->called ? ") on " : " on ");
        print_node(printer, reader);
        break;
    case GW_GODOT_MP_SIMPLIFY_PATH:
        gw_text_string(text, "Path ");
        put_id(text, printer->id);
        gw_text_string(text, " = ");
        put_span(text, reader, printer->path);
        break;
    case GW_GODOT_MP_CONFIRM_PATH:
        gw_text_string(text, "Path ");
        if (printer->node) {
            put_id(text, printer->id);
            gw_text_char(text, ' ');
        }
        print_node(printer, reader);
        gw_text_string(text, printer->differs ? " confirmed, methods differ" : " confirmed");
        break;
    case GW_GODOT_MP_SYSTEM:
        /* AUTH without data: the sender has finished the authentication. At the end of a relay, reader->packet
         * is the relayed packet and not this one: therefore its command is tested, too. */
        if (reader->packet.system == GW_GODOT_MP_AUTH && !printer->data && reader->packet.command == GW_GODOT_MP_SYSTEM)
            gw_text_string(text, " done");
        break;
    default:
        break;
    }
}

/* Prints the net id or the name of a node: the beginning of an update, or the end of a despawn. Keeps the id of a
 * spawn. A net id with the bit GW_GODOT_MP_PATH_NET_ID is the id of a path: "path #5". */
static void print_net_id(gw_godot_mp_printer *printer, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event,
                         const char *name)
{
    gw_text *text = printer->text;
    const char *beginning = reader->packet.delta ? "Delta " : "Sync ";
    if (reader->packet.command == GW_GODOT_MP_SYNC) {
        /* "Sync Main/Player: ", from the second update on "; Main/Other: ". */
        gw_text_string(text, printer->has_node ? "; " : beginning);
        printer->has_node = true;
        printer->separator = "";
        if (name) {
            put_path(printer, name);
        } else {
            gw_text_string(text, event->number & GW_GODOT_MP_PATH_NET_ID ? "path " : "");
            put_id(text, event->number & ~(int64_t)GW_GODOT_MP_PATH_NET_ID);
        }
        gw_text_string(text, ": ");
        return;
    }
    printer->id = event->number;
    /* In a spawn, the id is printed after the name. */
    if (reader->packet.command != GW_GODOT_MP_DESPAWN)
        return;
    gw_text_string(text, name ? name : "");
    gw_text_string(text, name ? " " : "");
    put_id(text, event->number);
}

/* Prints the peer of a relay, or of a message that a peer joined, left, or got its id. */
static void print_peers(gw_godot_mp_printer *printer, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event,
                        const char *name)
{
    static const char *const ways[] = { [GW_GODOT_MP_WAY_UNKNOWN] = "Relay ",
                                        [GW_GODOT_MP_TO_SERVER] = "Relay to ",
                                        [GW_GODOT_MP_FROM_SERVER] = "Relay from " };
    bool is_websocket = reader->form == GW_GODOT_MP_3_WEBSOCKET;
    bool has_left = printer->differs; /* Godot 3 over ENet: set by PEER_COMMAND */
    if (reader->packet.command == GW_GODOT_MP_SYSTEM)
        has_left = reader->packet.system == GW_GODOT_MP_DELETE_PEER;
    else if (is_websocket)
        has_left = reader->head_type == GW_GODOT_MP_WEBSOCKET_DELETE;
    bool is_assigned =
        event->role == GW_GODOT_MP_ROLE_ASSIGNED || (is_websocket && reader->head_type == GW_GODOT_MP_WEBSOCKET_ID);
    if (event->role != GW_GODOT_MP_ROLE_RELAY_PEER && is_assigned) {
        /* The number is the one that is assigned: the name comes after it. */
        gw_text_string(printer->text, "Assigned peer id ");
        gw_text_signed(printer->text, event->number);
        if (name) {
            gw_text_string(printer->text, " to ");
            gw_text_string(printer->text, name);
        }
    } else if (event->role != GW_GODOT_MP_ROLE_RELAY_PEER) {
        print_peer(printer, has_left ? "Peer left: " : "Peer joined: ", event->number, name, "");
    } else if (event->number > 0) {
        print_peer(printer, ways[printer->way], event->number, name, ": ");
    } else if (event->number < 0) {
        /* Only a destination is negative, for all peers but one, or zero, for all. */
        print_peer(printer, "Relay to all but ", -event->number, name, ": ");
    } else {
        gw_text_string(printer->text, "Relay to all: ");
    }
}

/* Prints a part of a spawn, a sync, a relay, an authentication or a message about peers. */
static void print_other_item(gw_godot_mp_printer *printer, const gw_godot_mp_reader *reader,
                             const gw_godot_mp_event *event, const char *name)
{
    gw_text *text = printer->text;
    switch (event->role) {
    case GW_GODOT_MP_ROLE_CONFIRMED:
    case GW_GODOT_MP_ROLE_PEER_COMMAND:
        /* A confirmation of 0: the methods differ; a peer command other than 0: the peer has left. */
        printer->differs = (event->number != 0) == (event->role == GW_GODOT_MP_ROLE_PEER_COMMAND);
        break;
    case GW_GODOT_MP_ROLE_SCENE:
        if (!name && event->number == GW_GODOT_MP_CUSTOM_SCENE)
            name = "custom";
        gw_text_string(text, name ? name : "");
        gw_text_string(text, name ? " " : "");
        break;
    case GW_GODOT_MP_ROLE_NET_ID:
        print_net_id(printer, reader, event, name);
        break;
    case GW_GODOT_MP_ROLE_NAME:
        gw_godot_print_quoted(text, reader->bytes + event->payload.offset, event->payload.length);
        gw_text_char(text, ' ');
        put_id(text, printer->id);
        printer->separator = ": ";
        break;
    case GW_GODOT_MP_ROLE_SUB_COMMAND:
        if (event->number == GW_GODOT_MP_AUTH)
            gw_text_string(text, "Authentication");
        else if (event->number >= GW_GODOT_MP_SYSTEMS)
            gw_text_string(text, "Unknown system command");
        break;
    case GW_GODOT_MP_ROLE_PEER:
    case GW_GODOT_MP_ROLE_ASSIGNED:
    case GW_GODOT_MP_ROLE_RELAY_PEER:
        print_peers(printer, reader, event, name);
        break;
    default:
        break;
    }
}

/* Prints the part of the line that the event adds; numbers that are printed later are stored in the printer. `name`:
 * the caller's name for the event's number, such as the path of a node id; NULL: none, the number is printed. */
void gw_godot_mp_print_event(gw_godot_mp_printer *printer, const gw_godot_mp_reader *reader,
                             const gw_godot_mp_event *event, const char *name)
{
    gw_text *text = printer->text;
    switch (event->role) {
    case GW_GODOT_MP_ROLE_PACKET:
        if (event->kind == GW_OPEN)
            begin_packet(printer, event);
        else
            end_packet(printer, reader, event);
        break;
    case GW_GODOT_MP_ROLE_NODE_ID:
    case GW_GODOT_MP_ROLE_PATH_ID:
        printer->has_node = true;
        printer->node = name;
        printer->id = event->number;
        break;
    case GW_GODOT_MP_ROLE_PATH:
        printer->named = printer->has_node = true;
        printer->path = event->payload;
        break;
    case GW_GODOT_MP_ROLE_METHOD_ID:
        gw_text_string(text, name ? name : "method ");
        if (!name)
            gw_text_signed(text, event->number);
        gw_text_char(text, '(');
        printer->called = true;
        break;
    case GW_GODOT_MP_ROLE_METHOD:
    case GW_GODOT_MP_ROLE_PROPERTY:
        put_span(text, reader, event->payload);
        printer->called = event->role == GW_GODOT_MP_ROLE_METHOD;
        gw_text_string(text, printer->called ? "(" : " = ");
        break;
    case GW_GODOT_MP_ROLE_STATE:
    case GW_GODOT_MP_ROLE_VALUE:
        print_next_value(printer, reader, event, name);
        break;
    case GW_GODOT_MP_ROLE_VARIANT:
        gw_text_string(text, "Variant: ");
        print_next_value(printer, reader, event, NULL);
        break;
    case GW_GODOT_MP_ROLE_ARGUMENT:
    case GW_GODOT_MP_ROLE_BYTES:
        print_next_value(printer, reader, event, NULL);
        break;
    case GW_GODOT_MP_ROLE_DATA:
        gw_text_string(text, ", ");
        gw_text_unsigned(text, event->payload.length);
        gw_text_string(text, event->payload.length == 1 ? " byte" : " bytes");
        printer->data = true;
        break;
    default:
        print_other_item(printer, reader, event, name);
        break;
    }
}

/* Prints a whole message as one line, and the fault that ends it in brackets. */
void gw_godot_mp_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_mp_options *options)
{
    gw_godot_mp_reader reader;
    gw_godot_mp_printer printer;
    gw_godot_mp_event event;
    gw_next next;
    gw_godot_mp_init(&reader, bytes, length, options);
    gw_godot_mp_printer_init(&printer, text);
    while ((next = gw_godot_mp_next(&reader, &event)) == GW_NEXT_EVENT) {
        gw_godot_mp_event part = { .role = GW_GODOT_MP_ROLE_NONE };
        gw_godot_mp_print_event(&printer, &reader, &event, NULL);
        while (gw_godot_mp_next_part(&reader, &event, &part))
            gw_godot_mp_print_event(&printer, &reader, &part, NULL);
    }
    if (next != GW_NEXT_FAULT)
        return;
    gw_text_string(text, text->length ? " [" : "[");
    gw_text_string(text, gw_fault_text(&gw_godot_mp_faults, reader.fault.code));
    gw_text_char(text, ']');
}
