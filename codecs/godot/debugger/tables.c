/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The debugger's messages, and the meaning of their values. Observed in 3.2.3, 3.6 and 4.6.3; rows marked "source" were
 * read in the engines' debuggers.
 */
#include "tables.h"

#include <stddef.h>
#include <string.h>

#define R(role) GW_GODOT_DEBUGGER_ROLE_##role
#define K(kind) GW_GODOT_DEBUGGER_##kind

/* ---- members ------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *name;
    const char *key;
    gw_godot_debugger_kind kind;
} members[GW_GODOT_DEBUGGER_ROLES] = {
    [R(MESSAGE)] = { "Message", "group", K(GROUP) },            [R(NAME)] = { "Message", "message", K(STRING) },
    [R(THREAD)] = { "Thread", "thread", K(INTEGER) },           [R(VALUES)] = { "Values", "count", K(INTEGER) },
    [R(ARGUMENT)] = { "Argument", "argument", K(ANY) },         [R(PID)] = { "Process id", "pid", K(INTEGER) },
    [R(OUTPUT)] = { "Output", "output", K(GROUP) },             [R(TEXT)] = { "Text", "text", K(STRING) },
    [R(TEXT_TYPE)] = { "Text type", "text_type", K(INTEGER) },  [R(PROBLEM)] = { "Problem", "problem", K(GROUP) },
    [R(HOUR)] = { "Hours", "hours", K(INTEGER) },               [R(MINUTE)] = { "Minutes", "minutes", K(INTEGER) },
    [R(SECOND)] = { "Seconds", "seconds", K(INTEGER) },
    [R(MILLISECOND)] = { "Milliseconds", "milliseconds", K(INTEGER) },
    [R(FILE)] = { "File", "file", K(STRING) },                  [R(FUNCTION)] = { "Function", "function", K(STRING) },
    [R(LINE)] = { "Line", "line", K(INTEGER) },                 [R(ERROR)] = { "Error", "error", K(STRING) },
    [R(DESCRIPTION)] = { "Description", "description", K(STRING) },
    [R(IS_WARNING)] = { "Is a warning", "is_warning", K(BOOLEAN) },
    [R(STACK_SIZE)] = { "Values of the stack", "stack_size", K(INTEGER) },
    [R(FRAME)] = { "Stack frame", "stack_frame", K(GROUP) },    [R(FRAME_ID)] = { "Frame", "frame", K(INTEGER) },
    [R(CAN_CONTINUE)] = { "Can continue", "can_continue", K(BOOLEAN) },
    [R(REASON)] = { "Reason", "reason", K(STRING) },
    [R(HAS_STACK)] = { "Has a stack", "has_stack", K(BOOLEAN) },
    [R(BREAK_THREAD)] = { "Stopped thread", "break_thread", K(INTEGER) },
    [R(VARIABLE_COUNT)] = { "Variables", "variable_count", K(INTEGER) },
    [R(LOCAL_COUNT)] = { "Locals", "local_count", K(INTEGER) },
    [R(MEMBER_COUNT)] = { "Members", "member_count", K(INTEGER) },
    [R(GLOBAL_COUNT)] = { "Globals", "global_count", K(INTEGER) },
    [R(VARIABLE)] = { "Variable", "stack_variable", K(GROUP) },
    [R(VARIABLE_NAME)] = { "Variable", "variable", K(STRING) }, [R(SCOPE)] = { "Scope", "scope", K(INTEGER) },
    [R(VALUE_TYPE)] = { "Type", "value_type", K(INTEGER) },     [R(VALUE)] = { "Value", "value", K(ANY) },
    [R(TYPE_HINT)] = { "Type hint", "type_hint", K(STRING) },   [R(NODE)] = { "Node", "tree_node", K(GROUP) },
    [R(CHILD_COUNT)] = { "Children", "child_count", K(INTEGER) },
    [R(NODE_NAME)] = { "Name", "node", K(STRING) },             [R(CLASS)] = { "Class", "class", K(STRING) },
    [R(OBJECT_ID)] = { "Object id", "object_id", K(ID) },       [R(SCENE)] = { "Scene", "scene", K(STRING) },
    [R(VIEW_FLAGS)] = { "View flags", "view_flags", K(INTEGER) },
    [R(OBJECT)] = { "Object", "object", K(GROUP) },             [R(OBJECT_IDS)] = { "Objects", "object_ids", K(ANY) },
    [R(PROPERTIES)] = { "Properties", "properties", K(GROUP) },
    [R(PROPERTY)] = { "Property", "object_property", K(GROUP) },
    [R(PROPERTY_NAME)] = { "Property", "property", K(STRING) }, [R(HINT)] = { "Hint", "hint", K(INTEGER) },
    [R(HINT_STRING)] = { "Hint string", "hint_string", K(STRING) },
    [R(USAGE)] = { "Usage", "usage", K(INTEGER) },
    [R(UPDATE_SELECTION)] = { "Updates the selection", "update_selection", K(BOOLEAN) },
    [R(FRAME_NUMBER)] = { "Frame number", "frame_number", K(INTEGER) },
    [R(FRAME_TIME)] = { "Frame time", "frame_time", K(REAL) },
    [R(PROCESS_TIME)] = { "Process time", "process_time", K(REAL) },
    [R(PHYSICS_TIME)] = { "Physics time", "physics_time", K(REAL) },
    [R(PHYSICS_FRAME_TIME)] = { "Physics frame time", "physics_frame_time", K(REAL) },
    [R(SCRIPT_TIME)] = { "Script time", "script_time", K(REAL) },
    [R(SERVER_COUNT)] = { "Servers", "server_count", K(INTEGER) },
    [R(SERVER)] = { "Server", "server", K(GROUP) },             [R(SERVER_NAME)] = { "Name", "server_name", K(STRING) },
    [R(FUNCTION_VALUES)] = { "Values of the functions", "function_values", K(INTEGER) },
    [R(FUNCTION_COUNT)] = { "Functions", "function_count", K(INTEGER) },
    [R(FUNCTION_TIMES)] = { "Function", "function_times", K(GROUP) },
    [R(FUNCTIONS)] = { "Functions", "functions", K(GROUP) },    [R(TIME)] = { "Time", "time", K(REAL) },
    [R(SIGNATURE)] = { "Signature", "signature", K(STRING) },
    [R(SIGNATURE_ID)] = { "Signature id", "signature_id", K(INTEGER) },
    [R(CALLS)] = { "Calls", "calls", K(INTEGER) },              [R(SELF_TIME)] = { "Self time", "self_time", K(REAL) },
    [R(TOTAL_TIME)] = { "Total time", "total_time", K(REAL) },
    [R(INTERNAL_TIME)] = { "Internal time", "internal_time", K(REAL) },
    [R(MONITORS)] = { "Monitors", "monitors", K(GROUP) },       [R(FPS)] = { "Frames per second", "fps", K(REAL) },
    [R(MONITOR)] = { "Monitor", "monitor", K(REAL) },           [R(RESOURCE)] = { "Resource", "resource", K(GROUP) },
    [R(PATH)] = { "Path", "path", K(STRING) },                  [R(FORMAT)] = { "Format", "format", K(STRING) },
    [R(BYTES)] = { "Bytes", "bytes", K(INTEGER) },
    [R(EXPRESSION)] = { "Expression", "expression", K(STRING) },
    [R(ENABLED)] = { "Enabled", "enabled", K(BOOLEAN) },        [R(OPTIONS)] = { "Options", "options", K(ANY) },
    [R(TITLE)] = { "Title", "title", K(STRING) },               [R(SHORTCUT)] = { "Shortcut", "shortcut", K(GROUP) },
    [R(IS_PHYSICAL)] = { "Physical key", "is_physical", K(BOOLEAN) },
    [R(KEYCODE)] = { "Key", "keycode", K(INTEGER) },            [R(SETTINGS)] = { "Settings", "settings", K(ANY) },
    [R(PROPERTY_FIELD)] = { "Field of the property", "property_field", K(STRING) },
    [R(NODE_PATH)] = { "Node path", "node_path", K(ANY) },      [R(PATH_ID)] = { "Path id", "path_id", K(INTEGER) },
    [R(METHOD)] = { "Method", "method", K(STRING) },            [R(NEW_NAME)] = { "New name", "new_name", K(STRING) },
    [R(NEW_PARENT)] = { "New parent", "new_parent", K(ANY) },   [R(POSITION)] = { "Position", "position", K(INTEGER) },
    [R(FROM_EDITOR)] = { "From the editor", "from_editor", K(BOOLEAN) },
    [R(TRANSFORM)] = { "Transform", "transform", K(ANY) },
    [R(IS_PERSPECTIVE)] = { "Perspective", "is_perspective", K(BOOLEAN) },
    [R(VIEW_SIZE)] = { "Size or field of view", "view_size", K(REAL) },
    [R(NEAR)] = { "Near", "near", K(REAL) },                    [R(FAR)] = { "Far", "far", K(REAL) },
    [R(TIME_SCALE)] = { "Time scale", "time_scale", K(REAL) },
    [R(SELECT_TYPE)] = { "Type of nodes", "select_type", K(INTEGER) },
    [R(SELECT_MODE)] = { "Selection mode", "select_mode", K(INTEGER) },
    [R(REQUEST_ID)] = { "Request id", "request_id", K(INTEGER) },
    [R(WIDTH)] = { "Width", "width", K(INTEGER) },              [R(HEIGHT)] = { "Height", "height", K(INTEGER) },
    [R(FILES)] = { "Files", "files", K(ANY) },
    [R(ENGINE_VERSION)] = { "Engine", "engine_version", K(STRING) },
    [R(SIZE)] = { "Size", "size", K(INTEGER) },
    [R(CHUNK_BEGIN)] = { "First byte", "chunk_begin", K(INTEGER) },
    [R(CHUNK_END)] = { "End", "chunk_end", K(INTEGER) },        [R(CHUNK)] = { "Chunk", "chunk", K(ANY) },
    [R(ENTRY_VALUES)] = { "Values of the entries", "entry_values", K(INTEGER) },
    [R(RPC_NODE)] = { "Node", "rpc_node", K(GROUP) },
    [R(SYNCHRONIZER)] = { "Synchronizer", "sync", K(GROUP) },
    [R(SYNCHRONIZER_ID)] = { "Synchronizer", "synchronizer", K(ID) },
    [R(CONFIG_ID)] = { "Replication config", "config", K(ID) }, [R(ROOT_ID)] = { "Root node", "root", K(ID) },
    [R(INCOMING)] = { "Incoming", "incoming", K(INTEGER) },
    [R(INCOMING_SIZE)] = { "Incoming bytes", "incoming_size", K(INTEGER) },
    [R(OUTGOING)] = { "Outgoing", "outgoing", K(INTEGER) },
    [R(OUTGOING_SIZE)] = { "Outgoing bytes", "outgoing_size", K(INTEGER) },
    [R(MONITOR_NAMES)] = { "Names of the game's monitors", "monitor_names", K(ANY) },
    [R(MONITOR_TYPES)] = { "Types of the game's monitors", "monitor_types", K(ANY) },
    [R(AREA)] = { "Area", "area", K(GROUP) },                   [R(AREA_NAME)] = { "Area", "area_name", K(STRING) },
    [R(CPU_TIME)] = { "CPU time", "cpu_time", K(REAL) },        [R(GPU_TIME)] = { "GPU time", "gpu_time", K(REAL) },
    [R(PROCESSOR)] = { "Processor", "processor", K(STRING) },
    [R(VIDEO_ADAPTER)] = { "Video adapter", "video_adapter", K(STRING) },
};
/* clang-format on */

/* The label of the role for people: "Stack frame"; never NULL. */
const char *gw_godot_debugger_role_name(gw_godot_debugger_role role)
{
    return role < GW_GODOT_DEBUGGER_ROLES ? members[role].name : "Unknown";
}

/* The name of the role for programs, and in the lines of rows[]: "stack_frame"; never NULL. */
const char *gw_godot_debugger_role_key(gw_godot_debugger_role role)
{
    return role < GW_GODOT_DEBUGGER_ROLES ? members[role].key : "unknown";
}

/* The kind of value that a role requires; GW_GODOT_DEBUGGER_ANY for an unknown role. */
gw_godot_debugger_kind gw_godot_debugger_role_kind(gw_godot_debugger_role role)
{
    return role < GW_GODOT_DEBUGGER_ROLES ? members[role].kind : GW_GODOT_DEBUGGER_ANY;
}

/* The role whose values have this key; ROLE_ARGUMENT if there is none. Roles of groups, which have no value, are not
 * searched. */
gw_godot_debugger_role gw_godot_debugger_role_of(const uint8_t *key, uint32_t length)
{
    for (unsigned i = 0; i < GW_GODOT_DEBUGGER_ROLES; i++)
        if (strlen(members[i].key) == length && !memcmp(members[i].key, key, length) && members[i].kind != K(GROUP))
            return (gw_godot_debugger_role)i;
    /* A key of stack frames that is not the name of its member. */
    return length == 2 && !memcmp(key, "id", 2) ? GW_GODOT_DEBUGGER_ROLE_FRAME_ID : GW_GODOT_DEBUGGER_ROLE_ARGUMENT;
}

/* True if engines send values of this type for the member. An `output` of Godot 4 has an array of texts and an array
 * of their types, where others have one of each. */
bool gw_godot_debugger_suits(gw_godot_debugger_role member, gw_godot_type type)
{
    switch (gw_godot_debugger_role_kind(member)) {
    case GW_GODOT_DEBUGGER_INTEGER:
        return type == GW_GODOT_INT || (member == GW_GODOT_DEBUGGER_ROLE_TEXT_TYPE && type == GW_GODOT_INT32_ARRAY);
    case GW_GODOT_DEBUGGER_ID:
        return type == GW_GODOT_INT;
    case GW_GODOT_DEBUGGER_REAL:
        return type == GW_GODOT_FLOAT || type == GW_GODOT_INT;
    case GW_GODOT_DEBUGGER_BOOLEAN:
        return type == GW_GODOT_BOOL;
    case GW_GODOT_DEBUGGER_STRING:
        return type == GW_GODOT_STRING || type == GW_GODOT_STRING_NAME ||
               (member == GW_GODOT_DEBUGGER_ROLE_TEXT && type == GW_GODOT_STRING_ARRAY);
    default:
        return true;
    }
}

/* ---- monitors ------------------------------------------------------------------------------------------ */

/* The names of the engines in Performance::get_monitor_name(), by number: of 4.0 to 4.6 and, from FIRST_OF_4_5 on, of
 * 4.5 and 4.6, which send 59 engine monitors; of 3.2 to 3.6, which send 31. Monitors of the game
 * follow them. */
#define FIRST_OF_4_5 33
#define FIRST_OF_3_2 18
/* clang-format off */
static const char *const monitors_of_4[] = {
    "time/fps", "time/process", "time/physics_process", "time/navigation_process", "memory/static",
    "memory/static_max", "memory/msg_buf_max", "object/objects", "object/resources", "object/nodes",
    "object/orphan_nodes", "raster/total_objects_drawn", "raster/total_primitives_drawn", "raster/total_draw_calls",
    "video/video_mem", "video/texture_mem", "video/buffer_mem", "physics_2d/active_objects",
    "physics_2d/collision_pairs", "physics_2d/islands", "physics_3d/active_objects", "physics_3d/collision_pairs",
    "physics_3d/islands", "audio/driver/output_latency", "navigation/active_maps", "navigation/regions",
    "navigation/agents", "navigation/links", "navigation/polygons", "navigation/edges", "navigation/edges_merged",
    "navigation/edges_connected", "navigation/edges_free", "navigation/obstacles", "pipeline/compilations_canvas",
    "pipeline/compilations_mesh", "pipeline/compilations_surface", "pipeline/compilations_draw",
    "pipeline/compilations_specialization", "navigation_2d/active_maps", "navigation_2d/regions",
    "navigation_2d/agents", "navigation_2d/links", "navigation_2d/polygons", "navigation_2d/edges",
    "navigation_2d/edges_merged", "navigation_2d/edges_connected", "navigation_2d/edges_free",
    "navigation_2d/obstacles", "navigation_3d/active_maps", "navigation_3d/regions", "navigation_3d/agents",
    "navigation_3d/links", "navigation_3d/polygons", "navigation_3d/edges", "navigation_3d/edges_merged",
    "navigation_3d/edges_connected", "navigation_3d/edges_free", "navigation_3d/obstacles",
};
static const char *const monitors_of_3[] = {
    "time/fps", "time/process", "time/physics_process", "memory/static", "memory/dynamic", "memory/static_max",
    "memory/dynamic_max", "memory/msg_buf_max", "object/objects", "object/resources", "object/nodes",
    "object/orphan_nodes", "raster/objects_drawn", "raster/vertices_drawn", "raster/mat_changes",
    "raster/shader_changes", "raster/surface_changes", "raster/draw_calls", "2d/items", "2d/draw_calls",
    "video/video_mem", "video/texture_mem", "video/vertex_mem", "video/video_mem_max", "physics_2d/active_objects",
    "physics_2d/collision_pairs", "physics_2d/islands", "physics_3d/active_objects", "physics_3d/collision_pairs",
    "physics_3d/islands", "audio/output_latency",
};
/* clang-format on */

#define COUNT_OF(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

/* The name of the performance monitor whose value the event has; NULL if it is not one, or a monitor of the game. */
const char *gw_godot_debugger_monitor_name(const gw_godot_debugger_reader *reader, const gw_godot_debugger_event *event)
{
    bool is_4 = reader->generation == GW_GODOT_4;
    uint32_t all = is_4 ? COUNT_OF(monitors_of_4) : COUNT_OF(monitors_of_3);
    uint32_t common = is_4 ? FIRST_OF_4_5 : FIRST_OF_3_2;
    /* The monitors in the message: up to this one, and those that are left. An engine that sends fewer than the newest
     * one has the same names only for the first of them. */
    uint32_t count = event->index + 1 + reader->scopes[reader->depth].values_left;
    if (event->role != GW_GODOT_DEBUGGER_ROLE_MONITOR || event->index >= (count >= all ? all : common))
        return NULL;
    return is_4 ? monitors_of_4[event->index] : monitors_of_3[event->index];
}

#undef COUNT_OF

/* ---- groups of values ---------------------------------------------------------------------------------- */

/* clang-format off */
#define V(member) { SHAPE_VALUE, GW_GODOT_DEBUGGER_ROLE_##member, 0, NULL }
#define COUNT(member, divisor) { SHAPE_COUNT, GW_GODOT_DEBUGGER_ROLE_##member, divisor, NULL }
#define TIMES(member, steps) { SHAPE_TIMES, GW_GODOT_DEBUGGER_ROLE_##member, 0, steps }
#define REST(member, steps) { SHAPE_REST, GW_GODOT_DEBUGGER_ROLE_##member, 0, steps }
#define EACH(member) { SHAPE_EACH, GW_GODOT_DEBUGGER_ROLE_##member, 0, NULL }
#define ARRAY(member, steps) { SHAPE_ARRAY, GW_GODOT_DEBUGGER_ROLE_##member, 0, steps }
#define DICTIONARIES(member, steps) { SHAPE_DICTIONARIES, GW_GODOT_DEBUGGER_ROLE_##member, 0, steps }
#define OPTIONAL(member) { SHAPE_OPTIONAL, GW_GODOT_DEBUGGER_ROLE_##member, 0, NULL }
#define ARRAYS(member, steps) { SHAPE_ARRAYS, GW_GODOT_DEBUGGER_ROLE_##member, 0, steps }
#define TREE { SHAPE_TREE, GW_GODOT_DEBUGGER_ROLE_NODE, 0, NULL }
#define END { SHAPE_END, 0, 0, NULL }
/* A list that only one row has. */
#define STEPS(...) (const gw_godot_debugger_step[]){ __VA_ARGS__, END }
/* clang-format on */

typedef const gw_godot_debugger_step steps_list[];

static steps_list none = { END };
static steps_list any = { EACH(ARGUMENT), END };

/* A node is followed by its children, which are nodes with children. */
static steps_list node_3 = { COUNT(CHILD_COUNT, 1), V(NODE_NAME), V(CLASS), V(OBJECT_ID), END };
static steps_list node_4 = {
    COUNT(CHILD_COUNT, 1), V(NODE_NAME), V(CLASS), V(OBJECT_ID), V(SCENE), V(VIEW_FLAGS), END
};

/* The values of one node of a scene tree, without its children. */
const gw_godot_debugger_step *gw_godot_debugger_node(gw_godot_generation generation)
{
    return generation == GW_GODOT_3 ? node_3 : node_4;
}

static steps_list tree = { TREE, END };
static steps_list output_line = { V(TEXT), V(TEXT_TYPE), END };
static steps_list frame_4 = { V(FILE), V(FUNCTION), V(LINE), END };
/* clang-format off */
static steps_list error_4 = { V(HOUR), V(MINUTE), V(SECOND), V(MILLISECOND), V(FILE), V(FUNCTION), V(LINE), V(ERROR),
                              V(DESCRIPTION), V(IS_WARNING), COUNT(STACK_SIZE, 3), TIMES(FRAME, frame_4), END };
static steps_list problem_3 = { V(HOUR), V(MINUTE), V(SECOND), V(MILLISECOND), V(FUNCTION), V(FILE), V(LINE), V(ERROR),
                                V(DESCRIPTION), V(IS_WARNING), END };
/* clang-format on */

static steps_list dump_frame_4 = { V(FILE), V(LINE), V(FUNCTION), END };
static steps_list variable_3 = { V(VARIABLE_NAME), V(VALUE), END };
/* clang-format off */
static steps_list stack_frame_vars_3 = { COUNT(LOCAL_COUNT, 1), TIMES(VARIABLE, variable_3),
                                         COUNT(MEMBER_COUNT, 1), TIMES(VARIABLE, variable_3),
                                         COUNT(GLOBAL_COUNT, 1), TIMES(VARIABLE, variable_3), END };
/* clang-format on */

static steps_list property = { V(PROPERTY_NAME), V(VALUE_TYPE), V(HINT), V(HINT_STRING), V(USAGE), V(VALUE), END };
static steps_list each_property = { ARRAYS(PROPERTY, property), END };
static steps_list object = { V(OBJECT_ID), V(CLASS), ARRAY(PROPERTIES, each_property), END };
static steps_list objects = { ARRAYS(OBJECT, object), END };
static steps_list object_of = { V(OBJECT_ID), END };
static steps_list set_property = { V(OBJECT_ID), V(PROPERTY_NAME), V(VALUE), END };

static steps_list function_times = { V(FUNCTION), V(TIME), END };
static steps_list each_function = { REST(FUNCTION_TIMES, function_times), END };
static steps_list server_4 = { V(SERVER_NAME), COUNT(FUNCTION_VALUES, 2), TIMES(FUNCTION_TIMES, function_times), END };
static steps_list script_4 = { V(SIGNATURE_ID), V(CALLS), V(SELF_TIME), V(TOTAL_TIME), V(INTERNAL_TIME), END };
/* clang-format off */
static steps_list profile_4 = { V(FRAME_NUMBER), V(FRAME_TIME), V(PROCESS_TIME), V(PHYSICS_TIME), V(PHYSICS_FRAME_TIME),
                                V(SCRIPT_TIME), COUNT(SERVER_COUNT, 1), TIMES(SERVER, server_4),
                                COUNT(FUNCTION_VALUES, 5), TIMES(FUNCTION_TIMES, script_4), END };
static steps_list server_3 = { V(SERVER_NAME), ARRAY(FUNCTIONS, each_function), END };
static steps_list script_3 = { V(SIGNATURE_ID), V(CALLS), V(TOTAL_TIME), V(SELF_TIME), END };
/* Each of the two counts precedes the values that it counts: SERVER_COUNT is no longer needed when FUNCTION_COUNT is
 * read. */
static steps_list profile_3 = { V(FRAME_NUMBER), V(FRAME_TIME), V(PROCESS_TIME), V(PHYSICS_TIME), V(PHYSICS_FRAME_TIME),
                                V(SCRIPT_TIME), COUNT(SERVER_COUNT, 1), V(FUNCTION_COUNT), TIMES(SERVER, server_3),
                                REST(FUNCTION_TIMES, script_3), END };
/* clang-format on */
static steps_list signature = { V(SIGNATURE), V(SIGNATURE_ID), END };
static steps_list monitors = { V(FPS), V(PROCESS_TIME), V(PHYSICS_TIME), EACH(MONITOR), END };
static steps_list resource = { V(PATH), V(CLASS), V(FORMAT), V(BYTES), END };
static steps_list resources = { REST(RESOURCE, resource), END };

static steps_list profiler_switch = { V(ENABLED), OPTIONAL(OPTIONS), END };
static steps_list enabled = { V(ENABLED), END };

/* From 4.6.3's source: scene_debugger.cpp, script_editor_debugger.cpp, game_view_plugin.cpp, servers_debugger.cpp,
 * multiplayer_debugger.cpp, snapshot_collector.cpp. */
static steps_list key = { V(IS_PHYSICAL), V(KEYCODE), END };
static steps_list settings = { V(SETTINGS), END };
static steps_list files = { V(FILES), END };
static steps_list live_property = { V(PATH_ID), V(PROPERTY_NAME), V(VALUE), END };
static steps_list live_resource = { V(PATH_ID), V(PROPERTY_NAME), V(PATH), END };
static steps_list live_call = { V(PATH_ID), V(METHOD), EACH(ARGUMENT), END };
static steps_list memory_resource = { V(PATH), V(FORMAT), V(CLASS), V(BYTES), END };
static steps_list area = { V(AREA_NAME), V(CPU_TIME), V(GPU_TIME), END };
static steps_list rpc_node = { V(OBJECT_ID), V(NODE_PATH),     V(INCOMING), V(INCOMING_SIZE),
                               V(OUTGOING),  V(OUTGOING_SIZE), END };
static steps_list synchronizer = { V(SYNCHRONIZER_ID), V(CONFIG_ID), V(ROOT_ID),       V(INCOMING),
                                   V(INCOMING_SIZE),   V(OUTGOING),  V(OUTGOING_SIZE), END };
static steps_list cached = { V(OBJECT_ID), V(CLASS), V(NODE_PATH), END };

/* ---- messages ------------------------------------------------------------------------------------------ */

/* clang-format off */
#define FOUR(name, sender, steps, line) { name, GW_GODOT_4, GW_GODOT_DEBUGGER_##sender, 0, steps, line }
#define THREE(name, sender, steps, line) { name, GW_GODOT_3, GW_GODOT_DEBUGGER_##sender, 0, steps, line }
#define BOTH(name, sender, steps, line) { name, GW_GODOT_ANY, GW_GODOT_DEBUGGER_##sender, 0, steps, line }
#define EFFECT(name, generation, sender, effect, steps, line) { name, generation, GW_GODOT_DEBUGGER_##sender, GW_GODOT_DEBUGGER_##effect, steps, line }
/* clang-format on */

/* The editor shows the description if there is one (script_editor_debugger.cpp). */
#define AT "{description|error} at {file}:{line} in {function}"

/* From 4.7 on the editor shows an object's class in place of its id (source: GH-117892). */
#define VALUE_OF(name) "{" name "} = {type_hint|value}"

static const gw_godot_debugger_row rows[] = {
    /* Messages that stop and resume the game. */
    EFFECT("debug_enter", GW_GODOT_4, GAME, ENTERS,
           STEPS(V(CAN_CONTINUE), V(REASON), V(HAS_STACK), OPTIONAL(BREAK_THREAD)), "{reason}"),
    EFFECT("debug_enter", GW_GODOT_3, GAME, ENTERS, STEPS(V(CAN_CONTINUE), V(REASON)), "{reason}"),
    EFFECT("debug_exit", GW_GODOT_ANY, GAME, EXITS, none, NULL),
    EFFECT("continue", GW_GODOT_ANY, EDITOR, RESUMES, none, NULL),
    EFFECT("next", GW_GODOT_ANY, EDITOR, RESUMES, none, NULL),
    EFFECT("step", GW_GODOT_ANY, EDITOR, RESUMES, none, NULL),
    EFFECT("out", GW_GODOT_ANY, EDITOR, RESUMES, none, NULL), /* source: 4.4 */
    /* The same, from the source. */
    BOTH("break", EDITOR, none, NULL),
    /* Sent by the game, Godot 4. */
    FOUR("set_pid", GAME, STEPS(V(PID)), "{pid}"),
    FOUR("output", GAME, STEPS(V(TEXT), V(TEXT_TYPE)), "{text}"),
    FOUR("error", GAME, error_4, AT),
    FOUR("stack_dump", GAME, STEPS(COUNT(STACK_SIZE, 3), TIMES(FRAME, dump_frame_4)), "{function} at {file}:{line}"),
    FOUR("stack_frame_vars", GAME, STEPS(V(VARIABLE_COUNT)), NULL),
    FOUR("stack_frame_var", GAME, STEPS(V(VARIABLE_NAME), V(SCOPE), V(VALUE_TYPE), V(VALUE), OPTIONAL(TYPE_HINT)),
         VALUE_OF("variable")),
    FOUR("evaluation_return", GAME, STEPS(V(EXPRESSION), V(SCOPE), V(VALUE_TYPE), V(VALUE), OPTIONAL(TYPE_HINT)),
         VALUE_OF("expression")),
    FOUR("scene:scene_tree", GAME, tree, "{node}"),
    FOUR("scene:inspect_objects", GAME, objects, "{class} #{object_id}"),
    FOUR("remote_objects_selected", GAME, objects, "{class} #{object_id}"),
    FOUR("servers:profile_frame", GAME, profile_4, "frame {frame_number}, {frame_time} s"),
    FOUR("servers:profile_total", GAME, profile_4, "frame {frame_number}, {frame_time} s"),
    FOUR("servers:function_signature", GAME, signature, "{signature} = {signature_id}"),
    FOUR("performance:profile_frame", GAME, monitors, "{fps} frames per second"),
    FOUR("window:title", GAME, STEPS(V(TITLE)), "{title}"),
    FOUR("scene:inspect_object", GAME, object, "{class} #{object_id}"), /* source: 4.0 to 4.4 */
    /* The same, from the source. */
    FOUR("performance:profile_names", GAME, STEPS(V(MONITOR_NAMES), V(MONITOR_TYPES)), NULL),
    FOUR("servers:memory_usage", GAME, STEPS(COUNT(ENTRY_VALUES, 4), TIMES(RESOURCE, memory_resource)), NULL),
    FOUR("visual:profile_frame", GAME, STEPS(V(FRAME_NUMBER), COUNT(ENTRY_VALUES, 3), TIMES(AREA, area)),
         "frame {frame_number}"),
    FOUR("visual:hardware_info", GAME, STEPS(V(PROCESSOR), V(VIDEO_ADAPTER)), NULL),
    FOUR("multiplayer:rpc", GAME, STEPS(COUNT(ENTRY_VALUES, 6), TIMES(RPC_NODE, rpc_node)), NULL),
    FOUR("multiplayer:bandwidth", GAME, STEPS(V(INCOMING_SIZE), V(OUTGOING_SIZE)),
         "{incoming_size} bytes/s in, {outgoing_size} bytes/s out"),
    FOUR("multiplayer:syncs", GAME, STEPS(COUNT(ENTRY_VALUES, 7), TIMES(SYNCHRONIZER, synchronizer)), NULL),
    FOUR("memory:usage", GAME, resources, NULL),
    FOUR("request_quit", GAME, none, NULL),
    FOUR("filesystem:update_file", GAME, files, NULL),
    /* The rest of 4.6.3's; source. */
    FOUR("multiplayer:cache", GAME, STEPS(REST(OBJECT, cached)), NULL),
    FOUR("servers:drawn", GAME, none, NULL),
    FOUR("scene:click_ctrl", GAME, STEPS(V(NODE_PATH), V(CLASS)), "{class} {node_path}"),
    FOUR("remote_nothing_selected", GAME, none, NULL),
    FOUR("remote_selection_invalidated", GAME, STEPS(V(OBJECT_IDS)), NULL),
    FOUR("show_selection_limit_warning", GAME, none, NULL),
    FOUR("request_embed_next_frame", GAME, none, NULL),
    FOUR("request_embed_suspend_toggle", GAME, none, NULL),
    FOUR("game_view:get_screenshot", GAME, STEPS(V(REQUEST_ID), V(WIDTH), V(HEIGHT), V(PATH)),
         "{width}x{height} in {path}"),
    FOUR("snapshot:snapshot_prepared", GAME, STEPS(V(REQUEST_ID), V(SIZE)), "{size} bytes"),
    FOUR("snapshot:snapshot_chunk", GAME, STEPS(V(REQUEST_ID), V(CHUNK)), NULL),
    /* Sent by the game, Godot 3. */
    THREE("output", GAME, STEPS(ARRAYS(OUTPUT, output_line)), "{text}"),
    THREE("error", GAME, STEPS(ARRAY(PROBLEM, problem_3), COUNT(STACK_SIZE, 3), TIMES(FRAME, frame_4)), AT),
    THREE("stack_dump", GAME, STEPS(DICTIONARIES(FRAME, any)), "{function} at {file}:{line}"),
    THREE("stack_frame_vars", GAME, stack_frame_vars_3, "{variable} = {value}"),
    THREE("message:scene_tree", GAME, tree, "{node}"),
    THREE("message:inspect_object", GAME, object, "{class} #{object_id}"),
    THREE("message:video_mem", GAME, resources, NULL),
    THREE("performance", GAME, STEPS(ARRAY(MONITORS, monitors)), "{fps} frames per second"),
    THREE("profile_sig", GAME, signature, "{signature} = {signature_id}"),
    THREE("profile_frame", GAME, profile_3, "frame {frame_number}, {frame_time} s"),
    THREE("profile_total", GAME, profile_3, "frame {frame_number}, {frame_time} s"),
    /* The same, from the source. */
    THREE("network_profile", GAME, any, NULL),
    THREE("network_bandwidth", GAME, any, NULL),
    THREE("kill_me", GAME, none, NULL),
    /* Sent by the editor. */
    BOTH("get_stack_dump", EDITOR, none, NULL),
    BOTH("get_stack_frame_vars", EDITOR, STEPS(V(FRAME_ID)), "frame {frame}"),
    BOTH("breakpoint", EDITOR, STEPS(V(FILE), V(LINE), V(ENABLED)), NULL),
    FOUR("evaluate", EDITOR, STEPS(V(EXPRESSION), OPTIONAL(FRAME_ID)), "{expression}"),
    FOUR("scene:request_scene_tree", EDITOR, none, NULL),
    FOUR("scene:inspect_objects", EDITOR, STEPS(V(OBJECT_IDS), OPTIONAL(UPDATE_SELECTION)), NULL),
    FOUR("scene:set_object_property", EDITOR, set_property, NULL),
    FOUR("profiler:servers", EDITOR, profiler_switch, NULL),
    FOUR("scene:inspect_object", EDITOR, object_of, NULL), /* source: 4.0 to 4.4 */
    /* The same, from the source. */
    BOTH("set_skip_breakpoints", EDITOR, enabled, NULL),
    BOTH("reload_scripts", EDITOR, STEPS(EACH(FILE)), NULL),
    FOUR("reload_all_scripts", EDITOR, none, NULL),
    FOUR("set_ignore_error_breaks", EDITOR, enabled, NULL),
    FOUR("request_quit", EDITOR, none, NULL),
    FOUR("scene:save_node", EDITOR, STEPS(V(OBJECT_ID), V(FILE)), NULL),
    FOUR("scene:suspend_changed", EDITOR, enabled, NULL),
    FOUR("scene:next_frame", EDITOR, none, NULL),
    FOUR("scene:live_node_prop", EDITOR, live_property, NULL),
    FOUR("scene:live_set_root", EDITOR, STEPS(V(NODE_PATH), V(SCENE)), NULL),
    FOUR("scene:override_cameras", EDITOR, STEPS(V(ENABLED), V(FROM_EDITOR)), NULL),
    FOUR("servers:draw", EDITOR, none, NULL),
    FOUR("servers:memory", EDITOR, none, NULL),
    FOUR("servers:foreground", EDITOR, none, NULL),
    FOUR("profiler:visual", EDITOR, profiler_switch, NULL),
    FOUR("profiler:performance", EDITOR, profiler_switch, NULL),
    FOUR("profiler:multiplayer:rpc", EDITOR, profiler_switch, NULL),
    FOUR("profiler:multiplayer:bandwidth", EDITOR, profiler_switch, NULL),
    /* The rest of 4.6.3's; source. */
    FOUR("scene:setup_scene", EDITOR, STEPS(REST(SHORTCUT, key)), NULL),
    FOUR("scene:setup_embedded_shortcuts", EDITOR, settings, NULL),
    FOUR("scene:clear_selection", EDITOR, none, NULL),
    FOUR("scene:set_object_property_field", EDITOR, STEPS(V(OBJECT_ID), V(PROPERTY_NAME), V(VALUE), V(PROPERTY_FIELD)),
         NULL),
    FOUR("scene:reload_cached_files", EDITOR, files, NULL),
    FOUR("scene:debug_mute_audio", EDITOR, enabled, NULL),
    FOUR("scene:speed_changed", EDITOR, STEPS(V(TIME_SCALE)), NULL),
    FOUR("scene:transform_camera_2d", EDITOR, STEPS(V(TRANSFORM)), NULL),
    FOUR("scene:transform_camera_3d", EDITOR, STEPS(V(TRANSFORM), V(IS_PERSPECTIVE), V(VIEW_SIZE), V(NEAR), V(FAR)),
         NULL),
    FOUR("scene:rq_screenshot", EDITOR, STEPS(V(REQUEST_ID)), NULL),
    FOUR("scene:live_node_path", EDITOR, STEPS(V(NODE_PATH), V(PATH_ID)), NULL),
    FOUR("scene:live_res_path", EDITOR, STEPS(V(PATH), V(PATH_ID)), NULL),
    FOUR("scene:live_node_prop_res", EDITOR, live_resource, NULL),
    FOUR("scene:live_res_prop", EDITOR, live_property, NULL),
    FOUR("scene:live_res_prop_res", EDITOR, live_resource, NULL),
    FOUR("scene:live_node_call", EDITOR, live_call, NULL),
    FOUR("scene:live_res_call", EDITOR, live_call, NULL),
    FOUR("scene:live_create_node", EDITOR, STEPS(V(NODE_PATH), V(CLASS), V(NODE_NAME)), NULL),
    FOUR("scene:live_instantiate_node", EDITOR, STEPS(V(NODE_PATH), V(PATH), V(NODE_NAME)), NULL),
    FOUR("scene:live_remove_node", EDITOR, STEPS(V(NODE_PATH)), NULL),
    FOUR("scene:live_remove_and_keep_node", EDITOR, STEPS(V(NODE_PATH), V(OBJECT_ID)), NULL),
    FOUR("scene:live_restore_node", EDITOR, STEPS(V(OBJECT_ID), V(NODE_PATH), V(POSITION)), NULL),
    FOUR("scene:live_duplicate_node", EDITOR, STEPS(V(NODE_PATH), V(NEW_NAME)), NULL),
    FOUR("scene:live_reparent_node", EDITOR, STEPS(V(NODE_PATH), V(NEW_PARENT), V(NEW_NAME), V(POSITION)), NULL),
    FOUR("scene:runtime_node_select_setup", EDITOR, settings, NULL),
    FOUR("scene:runtime_node_select_set_type", EDITOR, STEPS(V(SELECT_TYPE)), NULL),
    FOUR("scene:runtime_node_select_set_mode", EDITOR, STEPS(V(SELECT_MODE)), NULL),
    FOUR("scene:runtime_node_select_set_visible", EDITOR, enabled, NULL),
    FOUR("scene:runtime_node_select_set_avoid_locked", EDITOR, enabled, NULL),
    FOUR("scene:runtime_node_select_set_prefer_group", EDITOR, enabled, NULL),
    FOUR("scene:runtime_node_select_reset_camera_2d", EDITOR, none, NULL),
    FOUR("scene:runtime_node_select_reset_camera_3d", EDITOR, none, NULL),
    FOUR("multiplayer:cache", EDITOR, STEPS(EACH(OBJECT_ID)), NULL),
    FOUR("profiler:multiplayer:replication", EDITOR, profiler_switch, NULL),
    FOUR("snapshot:request_prepare_snapshot", EDITOR, STEPS(V(REQUEST_ID), V(ENGINE_VERSION)), NULL),
    FOUR("snapshot:request_snapshot_chunk", EDITOR, STEPS(V(REQUEST_ID), V(CHUNK_BEGIN), V(CHUNK_END)), NULL),
    /* Sent by the editor, Godot 3. */
    THREE("request_scene_tree", EDITOR, none, NULL),
    THREE("inspect_object", EDITOR, object_of, NULL),
    THREE("set_object_property", EDITOR, set_property, NULL),
    THREE("start_profiling", EDITOR, STEPS(EACH(OPTIONS)), NULL),
    THREE("stop_profiling", EDITOR, none, NULL),
    THREE("request_video_mem", EDITOR, none, NULL),
    /* The same, from the source. */
    THREE("start_network_profiling", EDITOR, none, NULL),
    THREE("stop_network_profiling", EDITOR, none, NULL),
    THREE("override_camera_2D:set", EDITOR, any, NULL),
    THREE("override_camera_3D:set", EDITOR, any, NULL),
    THREE("live_set_root", EDITOR, any, NULL),
};

/* The row of a message with this name, of the generation and sender; NULL: none. */
const gw_godot_debugger_row *gw_godot_debugger_find(gw_godot_generation generation, gw_godot_debugger_side sender,
                                                    const uint8_t *name, uint32_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const gw_godot_debugger_row *row = &rows[i];
        if ((row->generation == GW_GODOT_ANY || row->generation == generation) && row->sender == sender &&
            strlen(row->name) == length && !memcmp(row->name, name, length))
            return row;
    }
    return NULL;
}
