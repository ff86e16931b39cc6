/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's remote debugger: messages between a game and the editor, over TCP or WebSocket. Entry points, fields and
 * registration; dissect.c reads a message, tree.c adds its values. godot/tcp finds the messages in TCP connections.
 */
#include "internal.h"
#include "protocols.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/tap.h>

#include "common/conversation.h"
#include "common/display/json_message.h"
#include "common/menus/statistics.h"
#include "common/recognition/recognition.h"
#include "common/registration.h"

static gw_heuristic over_websocket;

/* ---- fields -------------------------------------------------------------------------------------------- */

int proto_godot_debugger = -1;
godot_debugger_fields godot_debugger_hf;
godot_debugger_experts godot_debugger_ei;
int godot_debugger_follow_tap = -1;
int godot_debugger_ett = -1;
int godot_debugger_ett_group = -1;

static const value_string senders[] = {
    { GW_GODOT_DEBUGGER_EITHER, "unknown" },
    { GW_GODOT_DEBUGGER_GAME, "game" },
    { GW_GODOT_DEBUGGER_EDITOR, "editor" },
    { 0, NULL },
};

static hf_register_info fields[] = {
    { &godot_debugger_hf.length,
      { "Length", "godot_debugger.length", FT_UINT32, BASE_DEC, NULL, 0, "Number of bytes of the Variant that follows",
        HFILL } },
    { &godot_debugger_hf.sender,
      { "From", "godot_debugger.from", FT_UINT8, BASE_DEC, VALS(senders), 0,
        "Sender of the message: the game or the editor", HFILL } },
    { &godot_debugger_hf.generation,
      { "Godot generation", "godot_debugger.generation", FT_UINT8, BASE_DEC, NULL, 0,
        "Godot generation (3 or 4) whose messages these are", HFILL } },
    { &godot_debugger_hf.line,
      { "Log line", "godot_debugger.log", FT_STRING, BASE_NONE, NULL, 0, "Message as one line of a log", HFILL } },
    { &godot_debugger_hf.break_in,
      { "Stopped in", "godot_debugger.break_in", FT_FRAMENUM, BASE_NONE, NULL, 0, "The game stopped in this frame",
        HFILL } },
    { &godot_debugger_hf.resumed_in,
      { "Resumed in", "godot_debugger.resumed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The editor's command that resumes the game is in this frame", HFILL } },
    { &godot_debugger_hf.continue_in,
      { "Continued in", "godot_debugger.continue_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The game continued in this frame", HFILL } },
    { &godot_debugger_hf.until_resumed,
      { "Time until resumed", "godot_debugger.until_resumed", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the stop of the game to the editor's command that resumes it", HFILL } },
    { &godot_debugger_hf.break_time,
      { "Time stopped", "godot_debugger.break_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the stop of the game to its continuation", HFILL } },
    { &godot_debugger_hf.undecoded,
      { "Undecoded", "godot_debugger.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes from the place where decoding stopped to the end of the message", HFILL } },
    { &godot_debugger_hf.not_shown,
      { "Bytes not shown", "godot_debugger.not_shown", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of values that are left out of the tree because it is full", HFILL } },
    { &godot_debugger_hf.json, GW_JSON_FIELD("godot_debugger.json") },
};

static const gw_expert_row odd_rows[] = {
    { GW_GODOT_DEBUGGER_ODD_TYPE, "godot_debugger.type.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_GODOT_DEBUGGER_ODD_MORE, "godot_debugger.values.unknown", PI_PROTOCOL, PI_CHAT, NULL, NULL },
    { GW_GODOT_DEBUGGER_ODD_FEWER, "godot_debugger.values.missing", PI_PROTOCOL, PI_CHAT, NULL, NULL },
    { GW_GODOT_DEBUGGER_ODD_TOO_DEEP, "godot_debugger.scene_tree.too_deep", PI_UNDECODED, PI_NOTE, NULL, NULL },
    { GW_GODOT_DEBUGGER_ODD_VALUE, "godot_debugger.value.unusual", PI_MALFORMED, PI_ERROR, "Malformed value", NULL },
};

static const gw_expert_row fault_rows[] = {
    { GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED, "godot_debugger.message.truncated", PI_UNDECODED, PI_NOTE, NULL,
      NULL },
    { GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID, "godot_debugger.message.invalid", PI_MALFORMED, PI_ERROR,
      "Not a message", NULL },
    { GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, "godot_debugger.value.alone", PI_SEQUENCE, PI_NOTE, NULL, NULL },
    { GW_GODOT_DEBUGGER_FAULT_COUNT_INVALID, "godot_debugger.count.invalid", PI_MALFORMED, PI_ERROR, "Wrong count",
      NULL },
    { GW_GODOT_DEBUGGER_FAULT_TOO_LONG, "godot_debugger.input.too_long", PI_UNDECODED, PI_NOTE, NULL, NULL },
};

static const gw_finding findings[] = {
    { &godot_debugger_ei.cut_short, "godot_debugger.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", NULL,
      NULL },
    { &godot_debugger_ei.unknown_message, "godot_debugger.message.unknown", PI_PROTOCOL, PI_CHAT,
      "Unknown message: defined by the game, or of an unknown engine version", NULL, NULL },
    { &godot_debugger_ei.error, "godot_debugger.game_error", PI_RESPONSE_CODE, PI_ERROR, "The game reports an error",
      NULL, "The text of the error has the file, the line and the function" },
    { &godot_debugger_ei.warning, "godot_debugger.game_warning", PI_RESPONSE_CODE, PI_WARN,
      "The game reports a warning", NULL, "The text of the warning has the file, the line and the function" },
    { &godot_debugger_ei.not_shown, "godot_debugger.tree.too_long", PI_UNDECODED, PI_NOTE,
      GW_TREE_LIMIT_REACHED_EXPERT_TEXT, NULL, NULL },
    { &godot_debugger_ei.stopped, "godot_debugger.game_break", PI_SEQUENCE, PI_CHAT, "The game stopped", NULL, NULL },
};

/* ---- members ------------------------------------------------------------------------------------------- */

static const struct {
    enum ftenum type;
    int display;
} types[] = {
    [GW_GODOT_DEBUGGER_GROUP] = { FT_NONE, BASE_NONE },      [GW_GODOT_DEBUGGER_ANY] = { FT_STRING, BASE_NONE },
    [GW_GODOT_DEBUGGER_INTEGER] = { FT_INT64, BASE_DEC },    [GW_GODOT_DEBUGGER_REAL] = { FT_DOUBLE, BASE_NONE },
    [GW_GODOT_DEBUGGER_BOOLEAN] = { FT_BOOLEAN, BASE_NONE }, [GW_GODOT_DEBUGGER_STRING] = { FT_STRING, BASE_NONE },
    [GW_GODOT_DEBUGGER_ID] = { FT_INT64, BASE_DEC },
};

/* Description of each member with a value; groups have none. */
static const char *const blurbs[GW_GODOT_DEBUGGER_ROLES] = {
    [GW_GODOT_DEBUGGER_ROLE_NAME] = "Name of the message, which defines its values",
    [GW_GODOT_DEBUGGER_ROLE_THREAD] = "ID of the game's thread that sent the message; 1 is the main thread",
    [GW_GODOT_DEBUGGER_ROLE_VALUES] = "Number of values that follow the name of the message",
    [GW_GODOT_DEBUGGER_ROLE_ARGUMENT] = "Value of a message whose values have no names, as a Godot literal",
    [GW_GODOT_DEBUGGER_ROLE_PID] = "Process ID of the game",
    [GW_GODOT_DEBUGGER_ROLE_TEXT] = "Text that the game prints, one or several lines",
    [GW_GODOT_DEBUGGER_ROLE_TEXT_TYPE] = "Kind of printed text: 0 is a log line, 1 an error, 2 rich text",
    [GW_GODOT_DEBUGGER_ROLE_HOUR] = "Hours of the time at which the error occurred",
    [GW_GODOT_DEBUGGER_ROLE_MINUTE] = "Minutes of the time at which the error occurred",
    [GW_GODOT_DEBUGGER_ROLE_SECOND] = "Seconds of the time at which the error occurred",
    [GW_GODOT_DEBUGGER_ROLE_MILLISECOND] = "Milliseconds of the time at which the error occurred",
    [GW_GODOT_DEBUGGER_ROLE_FILE] = "Path of the source file or script",
    [GW_GODOT_DEBUGGER_ROLE_FUNCTION] = "Name of the function in the source file or script",
    [GW_GODOT_DEBUGGER_ROLE_LINE] = "Number of the line in the source file or script",
    [GW_GODOT_DEBUGGER_ROLE_ERROR] = "Condition that failed, as the engine's source has it",
    [GW_GODOT_DEBUGGER_ROLE_DESCRIPTION] = "Explanation of the error for the user",
    [GW_GODOT_DEBUGGER_ROLE_IS_WARNING] = "True if the problem is a warning, false if it is an error",
    [GW_GODOT_DEBUGGER_ROLE_STACK_SIZE] = "Number of values that describe the stack, three for each stack frame",
    [GW_GODOT_DEBUGGER_ROLE_FRAME_ID] = "Index of the stack frame, counted from 0 at the innermost function",
    [GW_GODOT_DEBUGGER_ROLE_CAN_CONTINUE] = "True if the game can continue after the stop",
    [GW_GODOT_DEBUGGER_ROLE_REASON] = "Reason why the game stopped, such as a breakpoint or an error",
    [GW_GODOT_DEBUGGER_ROLE_HAS_STACK] = "True if a stack of script functions is available",
    [GW_GODOT_DEBUGGER_ROLE_BREAK_THREAD] = "ID of the thread that stopped",
    [GW_GODOT_DEBUGGER_ROLE_VARIABLE_COUNT] =
        "Number of the variables of the stack frame, which follow in messages of their own",
    [GW_GODOT_DEBUGGER_ROLE_LOCAL_COUNT] = "Number of local variables of the stack frame",
    [GW_GODOT_DEBUGGER_ROLE_MEMBER_COUNT] = "Number of member variables of the object",
    [GW_GODOT_DEBUGGER_ROLE_GLOBAL_COUNT] = "Number of global variables of the script",
    [GW_GODOT_DEBUGGER_ROLE_VARIABLE_NAME] = "Name of the variable",
    [GW_GODOT_DEBUGGER_ROLE_SCOPE] = "Scope of the variable: 0 is local, 1 a member, 2 global",
    [GW_GODOT_DEBUGGER_ROLE_VALUE_TYPE] = "Number of the value's Variant type",
    [GW_GODOT_DEBUGGER_ROLE_VALUE] = "Value of the variable or property, as a Godot literal",
    [GW_GODOT_DEBUGGER_ROLE_TYPE_HINT] = "Class of the object that is the value, empty for other values (Godot 4.7)",
    [GW_GODOT_DEBUGGER_ROLE_CHILD_COUNT] = "Number of child nodes that follow the node",
    [GW_GODOT_DEBUGGER_ROLE_NODE_NAME] = "Name of the node in the scene tree",
    [GW_GODOT_DEBUGGER_ROLE_CLASS] = "Class of the node, object or resource",
    [GW_GODOT_DEBUGGER_ROLE_OBJECT_ID] = "Instance ID of the object in the game",
    [GW_GODOT_DEBUGGER_ROLE_SCENE] = "Path of the scene file of which the node is an instance",
    [GW_GODOT_DEBUGGER_ROLE_VIEW_FLAGS] = "Bits that describe the visibility of the node",
    [GW_GODOT_DEBUGGER_ROLE_OBJECT_IDS] = "Instance IDs of the objects to inspect",
    [GW_GODOT_DEBUGGER_ROLE_PROPERTY_NAME] = "Name of the object's property",
    [GW_GODOT_DEBUGGER_ROLE_HINT] = "Number of the hint (PropertyHint) for editing the property in the editor",
    [GW_GODOT_DEBUGGER_ROLE_HINT_STRING] =
        "Parameters of the hint, such as a range or the names of an enumeration; the class of an object (Godot 4.7)",
    [GW_GODOT_DEBUGGER_ROLE_USAGE] = "Bits of PropertyUsageFlags, such as storage or editor",
    [GW_GODOT_DEBUGGER_ROLE_UPDATE_SELECTION] = "True if the editor's selection follows the objects",
    [GW_GODOT_DEBUGGER_ROLE_FRAME_NUMBER] = "Number of the frame that the game drew or computed",
    [GW_GODOT_DEBUGGER_ROLE_FRAME_TIME] = "Time that the frame took, in seconds",
    [GW_GODOT_DEBUGGER_ROLE_PROCESS_TIME] = "Time that processing of the frame took, in seconds",
    [GW_GODOT_DEBUGGER_ROLE_PHYSICS_TIME] = "Time that physics processing took, in seconds",
    [GW_GODOT_DEBUGGER_ROLE_PHYSICS_FRAME_TIME] = "Time between two physics frames, in seconds",
    [GW_GODOT_DEBUGGER_ROLE_SCRIPT_TIME] = "Time that script functions took, in seconds",
    [GW_GODOT_DEBUGGER_ROLE_SERVER_COUNT] = "Number of the engine's servers whose times follow",
    [GW_GODOT_DEBUGGER_ROLE_SERVER_NAME] = "Name of the engine's server, such as physics or audio",
    [GW_GODOT_DEBUGGER_ROLE_FUNCTION_VALUES] = "Number of values that describe the times of the functions",
    [GW_GODOT_DEBUGGER_ROLE_FUNCTION_COUNT] = "Number of script functions whose times follow",
    [GW_GODOT_DEBUGGER_ROLE_TIME] = "Time that the server's function took, in seconds",
    [GW_GODOT_DEBUGGER_ROLE_SIGNATURE] = "Signature of the script function: script, line and name",
    [GW_GODOT_DEBUGGER_ROLE_SIGNATURE_ID] = "Number that stands for the signature of the script function",
    [GW_GODOT_DEBUGGER_ROLE_CALLS] = "Number of calls of the script function",
    [GW_GODOT_DEBUGGER_ROLE_SELF_TIME] =
        "Time that the function itself took, without the functions that it calls, in seconds",
    [GW_GODOT_DEBUGGER_ROLE_TOTAL_TIME] = "Time that the function took with all functions that it calls, in seconds",
    [GW_GODOT_DEBUGGER_ROLE_INTERNAL_TIME] = "Time that calls of the engine from the function took, in seconds",
    [GW_GODOT_DEBUGGER_ROLE_FPS] = "Number of frames that the game draws per second",
    [GW_GODOT_DEBUGGER_ROLE_MONITOR] = "Value of a performance monitor, in the order of the engine's list",
    [GW_GODOT_DEBUGGER_ROLE_PATH] = "Path of the resource, such as a texture",
    [GW_GODOT_DEBUGGER_ROLE_FORMAT] = "Format of the resource, such as the pixel format and size of a texture",
    [GW_GODOT_DEBUGGER_ROLE_BYTES] = "Number of bytes of video memory that the resource uses",
    [GW_GODOT_DEBUGGER_ROLE_EXPRESSION] = "Expression that the editor asks the game to evaluate",
    [GW_GODOT_DEBUGGER_ROLE_ENABLED] = "True if the feature or breakpoint is enabled",
    [GW_GODOT_DEBUGGER_ROLE_OPTIONS] = "Parameter of the profiler that is enabled, as a Godot literal",
    [GW_GODOT_DEBUGGER_ROLE_TITLE] = "Title of the game's window",
    [GW_GODOT_DEBUGGER_ROLE_IS_PHYSICAL] =
        "True if the key code is that of the key's place, false if it is that of its character",
    [GW_GODOT_DEBUGGER_ROLE_KEYCODE] = "Number of the key, with the bits of its modifiers",
    [GW_GODOT_DEBUGGER_ROLE_SETTINGS] = "Settings of the editor that the game uses, as a Godot literal",
    [GW_GODOT_DEBUGGER_ROLE_PROPERTY_FIELD] = "Field of the property that changes, such as x of a vector",
    [GW_GODOT_DEBUGGER_ROLE_NODE_PATH] = "Path of the node in the scene tree",
    [GW_GODOT_DEBUGGER_ROLE_PATH_ID] = "Number that stands for the path of a node or resource in later messages",
    [GW_GODOT_DEBUGGER_ROLE_METHOD] = "Name of the method that the game calls",
    [GW_GODOT_DEBUGGER_ROLE_NEW_NAME] = "New name of the node",
    [GW_GODOT_DEBUGGER_ROLE_NEW_PARENT] = "Path of the node that becomes the parent",
    [GW_GODOT_DEBUGGER_ROLE_POSITION] = "Index among the children of the parent",
    [GW_GODOT_DEBUGGER_ROLE_FROM_EDITOR] =
        "True if the camera is that of the editor, false if it is moved inside the game",
    [GW_GODOT_DEBUGGER_ROLE_TRANSFORM] = "Transform of the camera, as a Godot literal",
    [GW_GODOT_DEBUGGER_ROLE_IS_PERSPECTIVE] = "True if the camera has perspective, false if it is orthogonal",
    [GW_GODOT_DEBUGGER_ROLE_VIEW_SIZE] =
        "Field of view of a camera with perspective, in degrees; size of an orthogonal one",
    [GW_GODOT_DEBUGGER_ROLE_NEAR] = "Distance of the camera's near plane",
    [GW_GODOT_DEBUGGER_ROLE_FAR] = "Distance of the camera's far plane",
    [GW_GODOT_DEBUGGER_ROLE_TIME_SCALE] = "Factor of the game's speed",
    [GW_GODOT_DEBUGGER_ROLE_SELECT_TYPE] = "Type of nodes that can be selected in the game: 0 is none, 1 2D, 2 3D",
    [GW_GODOT_DEBUGGER_ROLE_SELECT_MODE] = "How nodes are selected in the game: 0 is a single one, 1 a list",
    [GW_GODOT_DEBUGGER_ROLE_REQUEST_ID] = "Number of the request, which the answer has too",
    [GW_GODOT_DEBUGGER_ROLE_WIDTH] = "Width of the image in pixels",
    [GW_GODOT_DEBUGGER_ROLE_HEIGHT] = "Height of the image in pixels",
    [GW_GODOT_DEBUGGER_ROLE_FILES] = "Paths of the files that changed",
    [GW_GODOT_DEBUGGER_ROLE_ENGINE_VERSION] = "Version of the editor",
    [GW_GODOT_DEBUGGER_ROLE_SIZE] = "Number of bytes of the whole snapshot",
    [GW_GODOT_DEBUGGER_ROLE_CHUNK_BEGIN] = "Offset of the first byte of the requested part",
    [GW_GODOT_DEBUGGER_ROLE_CHUNK_END] = "Offset after the last byte of the requested part",
    [GW_GODOT_DEBUGGER_ROLE_CHUNK] = "Part of the snapshot, as a Godot literal",
    [GW_GODOT_DEBUGGER_ROLE_ENTRY_VALUES] = "Number of values that describe the following entries",
    [GW_GODOT_DEBUGGER_ROLE_SYNCHRONIZER_ID] = "Instance ID of the MultiplayerSynchronizer",
    [GW_GODOT_DEBUGGER_ROLE_CONFIG_ID] = "Instance ID of the SceneReplicationConfig",
    [GW_GODOT_DEBUGGER_ROLE_ROOT_ID] = "Instance ID of the synchronizer's root node",
    [GW_GODOT_DEBUGGER_ROLE_INCOMING] = "Number of calls or updates that the game received",
    [GW_GODOT_DEBUGGER_ROLE_INCOMING_SIZE] = "Number of bytes that the game received",
    [GW_GODOT_DEBUGGER_ROLE_OUTGOING] = "Number of calls or updates that the game sent",
    [GW_GODOT_DEBUGGER_ROLE_OUTGOING_SIZE] = "Number of bytes that the game sent",
    [GW_GODOT_DEBUGGER_ROLE_MONITOR_NAMES] = "Names of the performance monitors that the game defines",
    [GW_GODOT_DEBUGGER_ROLE_MONITOR_TYPES] = "Types of the performance monitors that the game defines",
    [GW_GODOT_DEBUGGER_ROLE_AREA_NAME] = "Name of the step of rendering",
    [GW_GODOT_DEBUGGER_ROLE_CPU_TIME] = "Time that the step took on the CPU, in milliseconds",
    [GW_GODOT_DEBUGGER_ROLE_GPU_TIME] = "Time that the step took on the GPU, in milliseconds",
    [GW_GODOT_DEBUGGER_ROLE_PROCESSOR] = "Name of the processor of the game's computer",
    [GW_GODOT_DEBUGGER_ROLE_VIDEO_ADAPTER] = "Name of the video adapter of the game's computer",
};

/* Of faults and oddities. */
static const char remedy[] = "Use the same version of Godot for the editor and the game";

/* ---- WebSocket ----------------------------------------------------------------------------------------- */

/* True if a WebSocket message is the debugger's: by its own evidence, or, if it is possible as such a message, because
 * its conversation is the debugger's. The heuristic of Variants declines it then. BARE: over WebSocket a message is one
 * Array, without a length before it. */
bool godot_debugger_has_message(packet_info *pinfo, tvbuff_t *tvb)
{
    gw_recognition recognition;
    if (!godot_heuristic_is_enabled("godot_debugger_ws"))
        return false;
    godot_debugger_recognize(tvb, GW_GODOT_DEBUGGER_BARE, &recognition);
    return recognition.bits >= GW_RECOGNIZED_ALONE ||
           (recognition.possible && gw_conversation_find(pinfo, proto_godot_debugger));
}

/* WebSocket's heuristic for the debugger: accepts a message that has sufficient evidence, alone or together with those
 * before it in its conversation, which has one stream (0). */
static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    gw_recognition recognition;
    godot_debugger_input input;
    godot_debugger_recognize(tvb, GW_GODOT_DEBUGGER_BARE, &recognition);
    if (!gw_heuristic_accepts(&over_websocket, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE))
        return false;
    /* A WebSocket message is one whole message of the debugger, or is left to other dissectors. */
    godot_debugger_input_init(&input, tvb, pinfo, tree, GW_GODOT_DEBUGGER_BARE);
    return !godot_debugger_dissect(&input).fault_class;
}

/* ---- Follow Stream: the lines of the messages, as a log --------------------------------------------------- */

/* Follow Stream's filter for one TCP stream. */
static char *filter_stream(unsigned stream, unsigned sub_stream _U_)
{
    return g_strdup_printf("godot_debugger && tcp.stream == %u", stream);
}

/* Sets `stream` to the packet's TCP stream, and returns its filter; NULL if it has none. */
static char *find_stream(epan_dissect_t *dissect _U_, packet_info *pinfo, unsigned *stream, unsigned *sub_stream _U_)
{
    return gw_find_stream(pinfo, stream) ? filter_stream(*stream, 0) : NULL;
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the debugger with its fields, Follow Stream and its heuristic. A WebSocket may carry texts beside the
 * debugger's messages: they do not end the series of messages whose evidence is added up (`skips_texts`). */
void proto_register_godot_debugger(void)
{
    static int *const subtrees[] = { &godot_debugger_ett, &godot_debugger_ett_group };

    /* One field for each member of messages that the codec knows, of the type of its values: for each role but the
     * first, the message, whose item is the protocol item. */
    enum { FIRST = GW_GODOT_DEBUGGER_ROLE_MESSAGE + 1 };
    hf_register_info *members = wmem_alloc0_array(wmem_epan_scope(), hf_register_info, GW_GODOT_DEBUGGER_ROLES);
    for (unsigned i = FIRST; i < GW_GODOT_DEBUGGER_ROLES; i++) {
        gw_godot_debugger_role role = (gw_godot_debugger_role)i;
        gw_godot_debugger_kind kind = gw_godot_debugger_role_kind(role);
        members[i] = (hf_register_info){ &godot_debugger_hf.members[i],
                                         { gw_godot_debugger_role_name(role),
                                           wmem_strdup_printf(wmem_epan_scope(), "godot_debugger.%s",
                                                              gw_godot_debugger_role_key(role)),
                                           types[kind].type, types[kind].display, NULL, 0, blurbs[i], HFILL } };
    }
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(fields) }, { members + FIRST, GW_GODOT_DEBUGGER_ROLES - FIRST } },
        .subtrees = { GW_ROWS(subtrees) },
        .oddities = { godot_debugger_ei.odd, GW_ROWS(odd_rows), remedy },
        .faults = { godot_debugger_ei.faults, GW_ROWS(fault_rows), remedy },
        .codec = &gw_godot_debugger_faults,
        .findings = { GW_ROWS(findings) },
    };
    proto_godot_debugger = proto_register_protocol("Godot Remote Debugger", "GodotDebug", "godot_debugger");
    gw_register_protocol(proto_godot_debugger, &tables);
    godot_debugger_follow_tap = register_tap("godot_debugger_follow");
    gw_register_follow(proto_godot_debugger, "godot_debugger_follow",
                       &(gw_follow){ find_stream, filter_stream, get_tcp_stream_count });
    gw_heuristic_init_nested(&over_websocket);
    over_websocket.skips_texts = true;
}

/* Adds the heuristic to those of WebSocket. For TCP, godot/tcp calls the debugger. */
void proto_reg_handoff_godot_debugger(void)
{
    heur_dissector_add("ws", dissect_over_websocket, "Godot Remote Debugger over WebSocket", "godot_debugger_ws",
                       proto_godot_debugger, HEURISTIC_ENABLE);
}
