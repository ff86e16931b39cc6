/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Messages of Godot's remote debugger: between a game and the editor, over TCP or WebSocket.
 *
 * Over TCP every Variant has a little-endian u32 length in front (godot_stream.h). All of this was observed in 3.2.3,
 * 3.6 and 4.6.3, except rows that the tables mark as from the source, and additions of 4.7, which are from the source.
 *
 *   Godot 4, both ways       one Array: [String message, int thread, Array data]; before 4.2 without the thread (not
 *                            verified)
 *   Godot 3, to the editor   a sequence of Variants: String message, int count, and that many more
 *   Godot 3, to the game     one Array: [String command, arguments ...]
 *
 * The meaning of the values of a message is in debugger/tables.c. Unknown messages, such as a game's own, have plain
 * arguments.
 */
#ifndef GAMEWIRE_GODOT_DEBUGGER_H
#define GAMEWIRE_GODOT_DEBUGGER_H

#include <gamewire/faults.h>
#include <gamewire/godot.h>
#include <gamewire/recognition.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the editor listens by default, and the number of ports from this one on that it tries if one is in use, as by
 * another editor (source: editor_debugger_server.cpp). */
#define GW_GODOT_DEBUGGER_PORT  6007U
#define GW_GODOT_DEBUGGER_PORTS 5U

/* Bytes of the length that each Variant has before it over TCP (godot_stream.h). */
#define GW_GODOT_DEBUGGER_PREFIX 4U

/* The meaning of a value or of a group of values. */
typedef enum gw_godot_debugger_role {
    GW_GODOT_DEBUGGER_ROLE_MESSAGE, /* group: all */
    GW_GODOT_DEBUGGER_ROLE_NAME,
    GW_GODOT_DEBUGGER_ROLE_THREAD,
    GW_GODOT_DEBUGGER_ROLE_VALUES, /* of Godot 3: how many follow */
    GW_GODOT_DEBUGGER_ROLE_ARGUMENT,
    GW_GODOT_DEBUGGER_ROLE_PID,
    GW_GODOT_DEBUGGER_ROLE_OUTPUT, /* group: one text */
    GW_GODOT_DEBUGGER_ROLE_TEXT,
    GW_GODOT_DEBUGGER_ROLE_TEXT_TYPE, /* 0 log, 1 error, 2 rich text */
    GW_GODOT_DEBUGGER_ROLE_PROBLEM,   /* group: an error or a warning of Godot 3 */
    GW_GODOT_DEBUGGER_ROLE_HOUR,
    GW_GODOT_DEBUGGER_ROLE_MINUTE,
    GW_GODOT_DEBUGGER_ROLE_SECOND,
    GW_GODOT_DEBUGGER_ROLE_MILLISECOND,
    GW_GODOT_DEBUGGER_ROLE_FILE,
    GW_GODOT_DEBUGGER_ROLE_FUNCTION,
    GW_GODOT_DEBUGGER_ROLE_LINE,
    GW_GODOT_DEBUGGER_ROLE_ERROR,
    GW_GODOT_DEBUGGER_ROLE_DESCRIPTION,
    GW_GODOT_DEBUGGER_ROLE_IS_WARNING,
    GW_GODOT_DEBUGGER_ROLE_STACK_SIZE, /* values, three a frame */
    GW_GODOT_DEBUGGER_ROLE_FRAME,      /* group: stack frame */
    GW_GODOT_DEBUGGER_ROLE_FRAME_ID,
    GW_GODOT_DEBUGGER_ROLE_CAN_CONTINUE,
    GW_GODOT_DEBUGGER_ROLE_REASON,
    GW_GODOT_DEBUGGER_ROLE_HAS_STACK,
    GW_GODOT_DEBUGGER_ROLE_BREAK_THREAD,
    GW_GODOT_DEBUGGER_ROLE_VARIABLE_COUNT,
    GW_GODOT_DEBUGGER_ROLE_LOCAL_COUNT,
    GW_GODOT_DEBUGGER_ROLE_MEMBER_COUNT,
    GW_GODOT_DEBUGGER_ROLE_GLOBAL_COUNT,
    GW_GODOT_DEBUGGER_ROLE_VARIABLE, /* group */
    GW_GODOT_DEBUGGER_ROLE_VARIABLE_NAME,
    GW_GODOT_DEBUGGER_ROLE_SCOPE, /* 0 local, 1 member, 2 global */
    GW_GODOT_DEBUGGER_ROLE_VALUE_TYPE,
    GW_GODOT_DEBUGGER_ROLE_VALUE,
    GW_GODOT_DEBUGGER_ROLE_TYPE_HINT, /* class of an object, empty for other values; from 4.7 on (source: GH-117892) */
    GW_GODOT_DEBUGGER_ROLE_NODE,      /* group: a node of the scene tree, with its children */
    GW_GODOT_DEBUGGER_ROLE_CHILD_COUNT,
    GW_GODOT_DEBUGGER_ROLE_NODE_NAME,
    GW_GODOT_DEBUGGER_ROLE_CLASS,
    GW_GODOT_DEBUGGER_ROLE_OBJECT_ID,
    GW_GODOT_DEBUGGER_ROLE_SCENE,
    GW_GODOT_DEBUGGER_ROLE_VIEW_FLAGS,
    GW_GODOT_DEBUGGER_ROLE_OBJECT, /* group */
    GW_GODOT_DEBUGGER_ROLE_OBJECT_IDS,
    GW_GODOT_DEBUGGER_ROLE_PROPERTIES, /* group */
    GW_GODOT_DEBUGGER_ROLE_PROPERTY,   /* group */
    GW_GODOT_DEBUGGER_ROLE_PROPERTY_NAME,
    GW_GODOT_DEBUGGER_ROLE_HINT,
    GW_GODOT_DEBUGGER_ROLE_HINT_STRING, /* of an object: its class, from 4.7 on (source: GH-115738) */
    GW_GODOT_DEBUGGER_ROLE_USAGE,
    GW_GODOT_DEBUGGER_ROLE_UPDATE_SELECTION,
    GW_GODOT_DEBUGGER_ROLE_FRAME_NUMBER,
    GW_GODOT_DEBUGGER_ROLE_FRAME_TIME, /* times in seconds */
    GW_GODOT_DEBUGGER_ROLE_PROCESS_TIME,
    GW_GODOT_DEBUGGER_ROLE_PHYSICS_TIME,
    GW_GODOT_DEBUGGER_ROLE_PHYSICS_FRAME_TIME,
    GW_GODOT_DEBUGGER_ROLE_SCRIPT_TIME,
    GW_GODOT_DEBUGGER_ROLE_SERVER_COUNT,
    GW_GODOT_DEBUGGER_ROLE_SERVER, /* group */
    GW_GODOT_DEBUGGER_ROLE_SERVER_NAME,
    GW_GODOT_DEBUGGER_ROLE_FUNCTION_VALUES, /* number of values for all functions */
    GW_GODOT_DEBUGGER_ROLE_FUNCTION_COUNT,
    GW_GODOT_DEBUGGER_ROLE_FUNCTION_TIMES, /* group: one function */
    GW_GODOT_DEBUGGER_ROLE_FUNCTIONS,      /* group: the functions of a server in Godot 3 */
    GW_GODOT_DEBUGGER_ROLE_TIME,
    GW_GODOT_DEBUGGER_ROLE_SIGNATURE,
    GW_GODOT_DEBUGGER_ROLE_SIGNATURE_ID,
    GW_GODOT_DEBUGGER_ROLE_CALLS,
    GW_GODOT_DEBUGGER_ROLE_SELF_TIME,
    GW_GODOT_DEBUGGER_ROLE_TOTAL_TIME,
    GW_GODOT_DEBUGGER_ROLE_INTERNAL_TIME,
    GW_GODOT_DEBUGGER_ROLE_MONITORS, /* group */
    GW_GODOT_DEBUGGER_ROLE_FPS,
    GW_GODOT_DEBUGGER_ROLE_MONITOR,
    GW_GODOT_DEBUGGER_ROLE_RESOURCE, /* group */
    GW_GODOT_DEBUGGER_ROLE_PATH,
    GW_GODOT_DEBUGGER_ROLE_FORMAT,
    GW_GODOT_DEBUGGER_ROLE_BYTES,
    GW_GODOT_DEBUGGER_ROLE_EXPRESSION,
    GW_GODOT_DEBUGGER_ROLE_ENABLED,
    GW_GODOT_DEBUGGER_ROLE_OPTIONS,
    GW_GODOT_DEBUGGER_ROLE_TITLE,
    GW_GODOT_DEBUGGER_ROLE_SHORTCUT,    /* group: a key */
    GW_GODOT_DEBUGGER_ROLE_IS_PHYSICAL, /* the key code is the code of the key's place */
    GW_GODOT_DEBUGGER_ROLE_KEYCODE,     /* with the bits of its modifiers */
    GW_GODOT_DEBUGGER_ROLE_SETTINGS,
    GW_GODOT_DEBUGGER_ROLE_PROPERTY_FIELD,
    GW_GODOT_DEBUGGER_ROLE_NODE_PATH, /* a NodePath or a String */
    GW_GODOT_DEBUGGER_ROLE_PATH_ID,   /* the number of a path in a live edit */
    GW_GODOT_DEBUGGER_ROLE_METHOD,
    GW_GODOT_DEBUGGER_ROLE_NEW_NAME,
    GW_GODOT_DEBUGGER_ROLE_NEW_PARENT, /* a NodePath */
    GW_GODOT_DEBUGGER_ROLE_POSITION,   /* among the children */
    GW_GODOT_DEBUGGER_ROLE_FROM_EDITOR,
    GW_GODOT_DEBUGGER_ROLE_TRANSFORM,
    GW_GODOT_DEBUGGER_ROLE_IS_PERSPECTIVE,
    GW_GODOT_DEBUGGER_ROLE_VIEW_SIZE, /* field of view with perspective */
    GW_GODOT_DEBUGGER_ROLE_NEAR,
    GW_GODOT_DEBUGGER_ROLE_FAR,
    GW_GODOT_DEBUGGER_ROLE_TIME_SCALE,
    GW_GODOT_DEBUGGER_ROLE_SELECT_TYPE, /* 0 none, 1 2D, 2 3D */
    GW_GODOT_DEBUGGER_ROLE_SELECT_MODE, /* 0 single, 1 list */
    GW_GODOT_DEBUGGER_ROLE_REQUEST_ID,
    GW_GODOT_DEBUGGER_ROLE_WIDTH, /* in pixels */
    GW_GODOT_DEBUGGER_ROLE_HEIGHT,
    GW_GODOT_DEBUGGER_ROLE_FILES,
    GW_GODOT_DEBUGGER_ROLE_ENGINE_VERSION,
    GW_GODOT_DEBUGGER_ROLE_SIZE, /* in bytes */
    GW_GODOT_DEBUGGER_ROLE_CHUNK_BEGIN,
    GW_GODOT_DEBUGGER_ROLE_CHUNK_END, /* offset after the last byte */
    GW_GODOT_DEBUGGER_ROLE_CHUNK,
    GW_GODOT_DEBUGGER_ROLE_ENTRY_VALUES, /* number of values of all groups that follow */
    GW_GODOT_DEBUGGER_ROLE_RPC_NODE,     /* group: the calls of a node */
    GW_GODOT_DEBUGGER_ROLE_SYNCHRONIZER, /* group */
    GW_GODOT_DEBUGGER_ROLE_SYNCHRONIZER_ID,
    GW_GODOT_DEBUGGER_ROLE_CONFIG_ID,
    GW_GODOT_DEBUGGER_ROLE_ROOT_ID,
    GW_GODOT_DEBUGGER_ROLE_INCOMING, /* number of calls or updates */
    GW_GODOT_DEBUGGER_ROLE_INCOMING_SIZE,
    GW_GODOT_DEBUGGER_ROLE_OUTGOING,
    GW_GODOT_DEBUGGER_ROLE_OUTGOING_SIZE,
    GW_GODOT_DEBUGGER_ROLE_MONITOR_NAMES,
    GW_GODOT_DEBUGGER_ROLE_MONITOR_TYPES,
    GW_GODOT_DEBUGGER_ROLE_AREA, /* group: a step of rendering */
    GW_GODOT_DEBUGGER_ROLE_AREA_NAME,
    GW_GODOT_DEBUGGER_ROLE_CPU_TIME, /* in milliseconds */
    GW_GODOT_DEBUGGER_ROLE_GPU_TIME,
    GW_GODOT_DEBUGGER_ROLE_PROCESSOR,
    GW_GODOT_DEBUGGER_ROLE_VIDEO_ADAPTER,
    GW_GODOT_DEBUGGER_ROLES
} gw_godot_debugger_role;

/* The kind of value that a role has. */
typedef enum gw_godot_debugger_kind {
    GW_GODOT_DEBUGGER_GROUP, /* no value */
    GW_GODOT_DEBUGGER_ANY,
    GW_GODOT_DEBUGGER_INTEGER,
    GW_GODOT_DEBUGGER_REAL, /* a float or an int */
    GW_GODOT_DEBUGGER_BOOLEAN,
    GW_GODOT_DEBUGGER_STRING, /* String, StringName */
    GW_GODOT_DEBUGGER_ID      /* of an object: an unsigned int */
} gw_godot_debugger_kind;

/* "Stack frame"; never NULL. */
const char *gw_godot_debugger_role_name(gw_godot_debugger_role role);
/* The same for machines: "stack_frame". */
const char *gw_godot_debugger_role_key(gw_godot_debugger_role role);
/* The kind of value that a role requires. */
gw_godot_debugger_kind gw_godot_debugger_role_kind(gw_godot_debugger_role role);

typedef enum gw_godot_debugger_side {
    GW_GODOT_DEBUGGER_EITHER,
    GW_GODOT_DEBUGGER_GAME,
    GW_GODOT_DEBUGGER_EDITOR
} gw_godot_debugger_side;

/* The effect of a message on the game's execution. */
typedef enum gw_godot_debugger_effect {
    GW_GODOT_DEBUGGER_NO_EFFECT,
    GW_GODOT_DEBUGGER_ENTERS,  /* the game has stopped */
    GW_GODOT_DEBUGGER_RESUMES, /* the editor lets it go on */
    GW_GODOT_DEBUGGER_EXITS    /* the game goes on */
} gw_godot_debugger_effect;

typedef enum gw_godot_debugger_form {
    GW_GODOT_DEBUGGER_STREAM, /* TCP: each Variant with its length */
    GW_GODOT_DEBUGGER_BARE    /* WebSocket: the input is one Array */
} gw_godot_debugger_form;

typedef enum gw_godot_debugger_odd {
    GW_GODOT_DEBUGGER_ODD_TYPE = 1 << 0,     /* not the type that the engine sends there */
    GW_GODOT_DEBUGGER_ODD_MORE = 1 << 1,     /* a value that the message is not known to have */
    GW_GODOT_DEBUGGER_ODD_FEWER = 1 << 2,    /* CLOSE: values are missing that the engine sends */
    GW_GODOT_DEBUGGER_ODD_TOO_DEEP = 1 << 3, /* a node that is too deep: it and all after it are beside the root */
    GW_GODOT_DEBUGGER_ODD_VALUE = 1 << 4     /* the Variant has something that engines do not write */
} gw_godot_debugger_odd;

#define GW_GODOT_DEBUGGER_ODDS 5

/* Which members are set:
 *
 *   kind     header               payload                       number, real, text
 *   OPEN     0 bytes              0 bytes: its end is unknown   -
 *   CLOSE    0 bytes              all of the group              -
 *   VALUE    the length, if any   the Variant                   as the type has them; number of ints, bools and objects
 *   OPAQUE   the length           bytes that are no Variant     -
 */
typedef struct gw_godot_debugger_event {
    uint8_t kind;   /* gw_kind */
    uint8_t role;   /* gw_godot_debugger_role */
    uint8_t type;   /* gw_godot_type */
    uint8_t depth;  /* 0 for MESSAGE, 1 for its parts */
    uint32_t index; /* among all of the same group */
    uint32_t odd;   /* bits of gw_godot_debugger_odd */
    gw_span header;
    gw_span payload;
    gw_span padding;
    gw_span text; /* of a String or StringName */
    int64_t number;
    double real;
} gw_godot_debugger_event;

typedef enum gw_godot_debugger_fault {
    GW_GODOT_DEBUGGER_FAULT_NONE,
    GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED, /* truncated: the rest of an Array, or of a Godot 3 message */
    GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID,   /* malformed: no message begins here */
    GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN,   /* unsupported: a message that is not in the tables, or a value of an
                                                  earlier message; see options.is_synchronized */
    GW_GODOT_DEBUGGER_FAULT_COUNT_INVALID,     /* malformed: a negative or absurd count of values */
    GW_GODOT_DEBUGGER_FAULT_TOO_LONG,          /* limit: input longer than GW_LONGEST_INPUT */
    GW_GODOT_DEBUGGER_FAULTS
} gw_godot_debugger_fault;

/* The sentences for gw_godot_debugger_fault and gw_godot_debugger_odd. */
extern const gw_fault_table gw_godot_debugger_faults;

typedef struct gw_godot_debugger_options {
    gw_godot_debugger_form form;
    gw_godot_debugger_side sender; /* some messages have another meaning for each side */
    uint32_t offset;               /* where reading starts */
    bool is_synchronized;   /* a message is known to begin here; even in Godot 3 it may be one that no table has */
    gw_godot_level *levels; /* for Variants nested deeper than GW_GODOT_DEPTH; may be NULL */
    uint32_t level_count;
} gw_godot_debugger_options;

/* Depth of the nodes of a scene tree. A deeper one, and all after it, are beside the root. */
#define GW_GODOT_DEBUGGER_TREE_DEPTH 36U
/* Depth of groups, nodes included. */
#define GW_GODOT_DEBUGGER_DEPTH (GW_GODOT_DEBUGGER_TREE_DEPTH + 8U)

/* An open group: the reader's own. */
typedef struct gw_godot_debugger_scope {
    const struct gw_godot_debugger_step *steps; /* the next one; NULL: arguments */
    uint32_t start;
    uint32_t end;         /* of the values */
    uint32_t values_left; /* of the source */
    uint32_t counter;     /* the last count */
    uint32_t again;       /* repetitions of *steps that have begun */
    uint32_t index;       /* of the next value */
    uint32_t number;      /* of the group itself */
    uint8_t role;
    bool owns_source : 1; /* its values are the elements of an Array or Dictionary of its own */
    bool is_framed : 1;   /* each value has its length in front */
    bool is_keyed : 1;    /* each value has a key in front that names it */
    bool is_node : 1;     /* when its steps are done, `counter` nodes follow */
} gw_godot_debugger_scope;

/* All of the reader's memory. Each call consumes a value or closes an open group. */
typedef struct gw_godot_debugger_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset; /* bytes consumed */
    gw_godot_debugger_options options;
    gw_fault fault;
    /* About the message; valid from its OPEN on. */
    gw_span name;
    const char *known_name; /* of the table; NULL when no table has it */
    uint32_t end;
    uint32_t values; /* in Godot 3 to the editor: those announced */
    int64_t thread;
    uint8_t generation; /* gw_godot_generation */
    uint8_t sender;     /* gw_godot_debugger_side, of those that the table allows */
    uint8_t effect;     /* gw_godot_debugger_effect */
    bool is_flat;       /* a sequence of Variants */
    bool has_thread;
    /* After MESSAGE_TRUNCATED: the least number of bytes that complete the message. fault.needed is for its first
     * incomplete Variant. */
    uint32_t missing;
    /* The reader's own. */
    const struct gw_godot_debugger_row *row;
    uint32_t data; /* where the values begin */
    uint32_t data_count;
    uint8_t state;
    uint8_t depth; /* open groups */
    bool is_fewer; /* a value was missing */
    bool is_too_deep;
    gw_godot_debugger_scope scopes[GW_GODOT_DEBUGGER_DEPTH + 1];
} gw_godot_debugger_reader;

/* Reads one message; bytes after it are not read. options NULL: a stream, from the start, synchronized. After init,
 * reader->fault is set if the message is incomplete; if not, no call of next fails. */
void gw_godot_debugger_init(gw_godot_debugger_reader *reader, const uint8_t *bytes, size_t length,
                            const gw_godot_debugger_options *options);
/* GW_NEXT_FAULT if gw_godot_debugger_init() set a fault. A value that cannot be read is an OPAQUE event. */
gw_next gw_godot_debugger_next(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event);

typedef struct gw_godot_debugger_summary {
    gw_fault fault;
    uint32_t odd;    /* of all events together */
    uint32_t length; /* bytes consumed */
    uint32_t values; /* events with a value, without the values of the head */
    uint32_t suited; /* of them: named, and of the type that the engine sends there */
} gw_godot_debugger_summary;

/* Reads one message; true when it is whole. */
bool gw_godot_debugger_validate(const uint8_t *bytes, size_t length, const gw_godot_debugger_options *options,
                                gw_godot_debugger_summary *summary);

/* "memory/static": the engine's name of the performance monitor in an event of the role MONITOR, which `reader` has
 * just returned. NULL for other events, for monitors that the game defines, and if the engines that send as few
 * monitors as this message have different names for the monitor. */
const char *gw_godot_debugger_monitor_name(const gw_godot_debugger_reader *reader,
                                           const gw_godot_debugger_event *event);

/* How strongly a segment of a stream, or a WebSocket message, indicates the debugger. Bit g of `readings` is
 * generation g. Variants alone are not enough: the name of the message must be in the tables.
 *
 *   test                                                        bits
 *   the name is in the tables: for each of its first 8 letters  4
 *   the form: text, thread and Array; text and count            8
 *   each value of the type that the message has there           4, at most 16
 *   the Variant itself, as in gw_godot_recognize()              at most 16 */
bool gw_godot_debugger_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                                 const gw_godot_debugger_options *options, gw_recognition *recognition);

/* One message as a line of a log: `error: Index 7 is out of bounds at node.cpp:1849`, `stack_frame_var: hp = 98`,
 * `scene:set_object_property(26239567288, "position", Vector2(7, 8))`. */
void gw_godot_debugger_print(gw_text *text, const uint8_t *bytes, size_t length,
                             const gw_godot_debugger_options *options);

#ifdef __cplusplus
}
#endif

#endif
