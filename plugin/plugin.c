/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The plugin's entry points, and the table of the protocols in it.
 */
/* Exported here, imported in all other files: on Windows the two are declared differently. */
#define WS_BUILD_DLL

#include "common/archive.h"
#include "common/compat.h"
#include "common/conversation.h"
#include "common/keys.h"
#include "common/menus/connections.h"
#include "common/menus/decode_as.h"
#include "common/menus/json_lines.h"
#include "gamewire_version.h"
#include "protocols.h"

#include <epan/proto.h>

/* No installed header declares these. */
WS_DLL_PUBLIC const char plugin_version[];
WS_DLL_PUBLIC const int plugin_want_major;
WS_DLL_PUBLIC const int plugin_want_minor;
WS_DLL_PUBLIC void plugin_register(void);
WS_DLL_PUBLIC uint32_t plugin_describe(void);

WS_DLL_PUBLIC_DEF const char plugin_version[] = GAMEWIRE_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

typedef struct {
    void (*register_protocol)(void);
    void (*register_handoff)(void);
} plugin_protocol;

static const plugin_protocol protocols[] = {
    { proto_register_enet, proto_reg_handoff_enet },
    { proto_register_godot, proto_reg_handoff_godot },
    { proto_register_godot_mp, proto_reg_handoff_godot_mp },
    { proto_register_godot_debugger, proto_reg_handoff_godot_debugger },
    { proto_register_godot_remote_fs, proto_reg_handoff_godot_remote_fs },
    { proto_register_godot_stream, proto_reg_handoff_godot_stream },
    { proto_register_godot_tcp, proto_reg_handoff_godot_tcp }, /* after those whose connections it finds */
    { proto_register_leviathan, proto_reg_handoff_leviathan },
    { proto_register_squirrel, proto_reg_handoff_squirrel },
};

/* Registers the parts that the protocols share (keys of maps, the archive, conversations, the table of connections, JSON lines),
 * then each protocol with its fields, preferences and statistics. */
static void register_protocols(void)
{
    gw_register_keys();
    gw_register_archive();
    gw_register_conversations();
    gw_register_connections();
    gw_register_json_lines();
    for (size_t i = 0; i < array_length(protocols); i++)
        protocols[i].register_protocol();
}

/* Adds the plugin's dissectors to the tables and lists of the protocols that carry them. The table of WebSocket ports
 * must permit Decode As before they are added to it. */
static void register_handoffs(void)
{
    gw_register_websocket_ports();
    for (size_t i = 0; i < array_length(protocols); i++)
        protocols[i].register_handoff();
}

WS_DLL_PUBLIC_DEF void plugin_register(void)
{
    /* Wireshark keeps the pointer. The statistics are registered with the dissectors: sharkd does not call a plugin's
     * function for tap listeners, and would not have them otherwise. */
    static const proto_plugin dissectors = { register_protocols, register_handoffs };
    proto_register_plugin(&dissectors);
}

/* Tells Wireshark which kinds of extensions the plugin contains: dissectors only. */
WS_DLL_PUBLIC_DEF uint32_t plugin_describe(void)
{
    return WS_PLUGIN_DESC_DISSECTOR;
}
