/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decode As for the messages of a WebSocket: Wireshark has the table of dissectors, but no item for it in Decode As.
 */
#include "common/menus/decode_as.h"

#include <epan/conversation.h>
#include <epan/decode_as.h>
#include <epan/packet.h>

/* The port of the server: a client opens the TCP connection, and the second port of epan's conversation is the
 * destination of its first packet. In a capture that begins later this may be the client's: then the user enters the
 * server's in the dialog. */
static uint32_t find_server_port(packet_info *pinfo)
{
    const conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    return conversation ? conversation_key_port2(conversation->key_ptr) : pinfo->destport;
}

/* Writes the label of the value that the user chooses a dissector for: "server (9080)". A buffer of Wireshark's. */
static void label_server_port(packet_info *pinfo, char *label)
{
    snprintf(label, MAX_DECODE_AS_PROMPT_LEN, "server (%u)", find_server_port(pinfo));
}

/* The server's port, as the key in the table of dissectors: Wireshark passes integers as pointers. */
static void *server_port_as_key(packet_info *pinfo)
{
    return GUINT_TO_POINTER(find_server_port(pinfo));
}

/* Adds the dissectors of Wireshark for formats that games often use for messages of their own. A format that this
 * Wireshark does not have is left out. */
void gw_add_formats(const char *table)
{
    static const char *const formats[] = { "json", "msgpack", "cbor", "protobuf", "data-text-lines" };
    for (size_t i = 0; i < array_length(formats); i++) {
        dissector_handle_t format = find_dissector(formats[i]);
        if (format)
            dissector_add_for_decode_as(table, format);
    }
}

/* Adds an item for the table of WebSocket's ports to Decode As. Its list has the dissectors that were added to the table:
 * those of this plugin, which add themselves, and dissectors of Wireshark for formats that WebSockets often carry. */
void gw_register_websocket_ports(void)
{
    static build_valid_func keys[] = { server_port_as_key };
    static decode_as_value_t values[] = { { label_server_port, array_length(keys), keys } };
    static decode_as_t by_port = { "websocket",
                                   GW_WEBSOCKET_PORT_TABLE,
                                   1,
                                   0,
                                   values,
                                   "WebSocket",
                                   "port",
                                   decode_as_default_populate_list,
                                   decode_as_default_reset,
                                   decode_as_default_change,
                                   NULL };
    register_decode_as(&by_port);
    gw_add_formats(GW_WEBSOCKET_PORT_TABLE);
}
