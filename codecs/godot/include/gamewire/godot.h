/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Godot Variants as bytes, as PacketPeerUDP.put_var, var2bytes and var_to_bytes write them.
 *
 * A value is a u32 header (bits 0-7 the type, bits 16-19 flags) and a body of a multiple of four bytes. Godot 2, 3 and 4
 * number their types differently, and the bytes do not contain the generation: the caller sets it, or calls
 * gw_godot_detect().
 *
 * Facts marked "observed" were seen in bytes of Godot 3.2.3, 3.6, 4.6.0 and 4.6.3; "source" ones were read in
 * the engines' marshalls code; "documentation" means the page "Binary serialization API".
 *
 * All numbers are little-endian. Offsets count from the start of the caller's input, which must stay as it is while events
 * that point into it are used. Nothing allocates, recurses or keeps the input.
 */
#ifndef GAMEWIRE_GODOT_H
#define GAMEWIRE_GODOT_H

#include <stdbool.h>
#include <stdint.h>

#include <gamewire/event.h>
#include <gamewire/faults.h>
#include <gamewire/output.h>
#include <gamewire/recognition.h>
#include <gamewire/status.h>
#include <gamewire/text.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gw_godot_generation {
    GW_GODOT_ANY = 0,
    GW_GODOT_2 = 2, /* 2.0 and 2.1 */
    GW_GODOT_3 = 3, /* 3.0 to 3.6 */
    GW_GODOT_4 = 4  /* 4.0 to 4.8 */
} gw_godot_generation;

/* Every type that any generation has, under its Godot 4 name where it has one. The wire numbers are the
 * generation's own: see gw_godot_wire_type(). */
typedef enum gw_godot_type {
    GW_GODOT_NIL,
    GW_GODOT_BOOL,
    GW_GODOT_INT,
    GW_GODOT_FLOAT,
    GW_GODOT_STRING,
    GW_GODOT_VECTOR2,
    GW_GODOT_VECTOR2I,
    GW_GODOT_RECT2,
    GW_GODOT_RECT2I,
    GW_GODOT_VECTOR3,
    GW_GODOT_VECTOR3I,
    GW_GODOT_TRANSFORM2D,
    GW_GODOT_VECTOR4,
    GW_GODOT_VECTOR4I,
    GW_GODOT_PLANE,
    GW_GODOT_QUATERNION,
    GW_GODOT_AABB,
    GW_GODOT_BASIS,
    GW_GODOT_TRANSFORM3D,
    GW_GODOT_PROJECTION,
    GW_GODOT_COLOR,
    GW_GODOT_STRING_NAME,
    GW_GODOT_NODE_PATH,
    GW_GODOT_RID,
    GW_GODOT_OBJECT,
    GW_GODOT_CALLABLE,
    GW_GODOT_SIGNAL,
    GW_GODOT_DICTIONARY,
    GW_GODOT_ARRAY,
    GW_GODOT_BYTE_ARRAY,
    GW_GODOT_INT32_ARRAY,
    GW_GODOT_INT64_ARRAY,
    GW_GODOT_FLOAT32_ARRAY,
    GW_GODOT_FLOAT64_ARRAY,
    GW_GODOT_STRING_ARRAY,
    GW_GODOT_VECTOR2_ARRAY,
    GW_GODOT_VECTOR3_ARRAY,
    GW_GODOT_COLOR_ARRAY,
    GW_GODOT_VECTOR4_ARRAY,
    GW_GODOT_IMAGE,       /* Godot 2 only */
    GW_GODOT_INPUT_EVENT, /* Godot 2 only */
    GW_GODOT_TYPES
} gw_godot_type;

/* The number of types of a generation: wire numbers are below it. */
uint32_t gw_godot_wire_types(gw_godot_generation generation);
/* The type with this wire number, or GW_GODOT_TYPES if the generation has no such type. */
gw_godot_type gw_godot_type_of_wire(gw_godot_generation generation, uint32_t wire_type);
/* The wire number, or -1 when the generation lacks the type. */
int gw_godot_wire_type(gw_godot_generation generation, gw_godot_type type);
/* The type's name in that generation ("Quat" in 3, "Quaternion" in 4); never NULL. */
const char *gw_godot_type_name(gw_godot_generation generation, gw_godot_type type);

/* How many numbers a value of the type consists of: 2 for Vector2, 16 for Projection, 1 for a scalar; for packed
 * arrays, of one element; 0 for types that do not consist of numbers. */
uint32_t gw_godot_components(gw_godot_type type);
/* "x", "y", "origin.x" ... in wire order; NULL for scalars and for component >= gw_godot_components(). */
const char *gw_godot_component_name(gw_godot_type type, uint32_t component);
/* True when the components are i32, false when they are floats. */
bool gw_godot_components_are_integers(gw_godot_type type);

/* ---- reading ------------------------------------------------------------------------------------------- */

/* 3.6 and 4.x reject values below this depth, the root's being 0 (observed: of 1,026 nested arrays). 3.2 has no limit. */
#define GW_GODOT_ENGINE_DEPTH 1024

/* Header flags, as bits of the u32 header. */
#define GW_GODOT_TYPE_MASK    UINT32_C(0xFF)
#define GW_GODOT_FLAG_64      UINT32_C(0x10000)    /* int, float; Godot 4: reals of a double-precision build */
#define GW_GODOT_FLAG_AS_ID   UINT32_C(0x10000)    /* object */
#define GW_GODOT_KIND_MASK    UINT32_C(0xF0000)    /* Godot 4 array and dictionary: gw_godot_container_kind */
#define GW_GODOT_COUNT_SHARED UINT32_C(0x80000000) /* in the count of an array or dictionary: Godot 2 only */

typedef enum gw_godot_role {
    GW_GODOT_ROLE_ROOT,
    GW_GODOT_ROLE_ELEMENT,
    GW_GODOT_ROLE_KEY,           /* of a dictionary */
    GW_GODOT_ROLE_ENTRY,         /* the value that belongs to the key before it */
    GW_GODOT_ROLE_PROPERTY_NAME, /* of a full object: a string without a header */
    GW_GODOT_ROLE_PROPERTY
} gw_godot_role;

/* Oddities of a value that could be read. With those in GW_GODOT_ODD_REJECTED the engine rejects the packet; it accepts
 * the others without a message, but not always with the value that was sent. */
typedef enum gw_godot_odd {
    GW_GODOT_ODD_HEADER_BITS = 1 << 0,      /* header bits 8-15 or 20-31 set: ignored (observed), never written */
    GW_GODOT_ODD_FLAGS = 1 << 1,            /* a flag that the type does not have in this generation */
    GW_GODOT_ODD_BOOL = 1 << 2,             /* neither 0 nor 1; any nonzero is true (observed) */
    GW_GODOT_ODD_UTF8 = 1 << 3,             /* text is not UTF-8: rejected (observed) */
    GW_GODOT_ODD_NUL = 1 << 4,              /* NUL inside text: the engine cuts it there (observed) */
    GW_GODOT_ODD_PADDING = 1 << 5,          /* padding is not zero where engines write zeros */
    GW_GODOT_ODD_STALE_PADDING = 1 << 6,    /* padding is not zero where engines leave stale bytes: all of Godot 2
                                               (source), NodePath in Godot 3 and 4.0 to 4.6.2 (observed; GH-116105) */
    GW_GODOT_ODD_NO_PADDING = 1 << 7,       /* last byte array without its padding (observed: accepted) */
    GW_GODOT_ODD_WIDE = 1 << 8,             /* 64 bits for a number that fits 32: Godot 3.0 sends every int so */
    GW_GODOT_ODD_SHARED = 1 << 9,           /* shared bit set outside Godot 2: masked off (observed) */
    GW_GODOT_ODD_COUNT = 1 << 10,           /* more members declared than the bytes left can hold */
    GW_GODOT_ODD_UNTERMINATED = 1 << 11,    /* a string of a string array without its NUL */
    GW_GODOT_ODD_NODE_PATH_FLAGS = 1 << 12, /* flags other than absolute and property */
    GW_GODOT_ODD_OLD_NODE_PATH = 1 << 13,   /* one string: only Godot 2 reads it */
    GW_GODOT_ODD_TOO_DEEP = 1 << 14,        /* beyond GW_GODOT_ENGINE_DEPTH */
    GW_GODOT_ODD_BARE_OBJECT = 1 << 15,     /* a typed null of a 4.x call: a header alone, which the engine that
                                               receives it rejects (observed) */
    GW_GODOT_ODD_DUPLICATE_KEY = 1 << 16,   /* the dictionary had this key before: the engine keeps the last
                                               value (observed). Only with gw_godot_options.find_duplicates */
    GW_GODOT_ODD_ELEMENT_TYPE = 1 << 17,    /* an element of a type that is not converted to the one that its
                                               array is declared to hold: the engine leaves it out (observed) */
    GW_GODOT_ODD_FULL_OBJECT = 1 << 18,     /* an object with its properties, a script perhaps: decoding it can run
                                               code; the engine rejects it unless objects are allowed */
    GW_GODOT_ODD_BYTE_ORDER = 1 << 19,      /* header bits are set, and with its bytes reversed it is the header of a
                                               value: a sender that is no engine. Read as nil */
    GW_GODOT_ODD_SCRIPT = 1 << 20           /* of the name "script" in a full object, whose value is not nil: Godot 4
                                               sends the path of the script, Godot 3 the script (observed) */
} gw_godot_odd;

#define GW_GODOT_ODD_REJECTED \
    (GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_OLD_NODE_PATH | GW_GODOT_ODD_TOO_DEEP | GW_GODOT_ODD_BARE_OBJECT | \
     GW_GODOT_ODD_COUNT)
/* Number of bits of gw_godot_odd, from 1 << 0 on, without a gap. */
#define GW_GODOT_ODDS 21

/* Members that a kind or type does not set keep their previous values. Always set: kind, type, role, odd,
 * depth, index, header_word, header, payload and padding (gamewire/event.h).
 *
 *   kind and type                header                             payload              other members
 *   VALUE  nil, Callable         the header word                    empty
 *          bool, int             the header word                    the number           number
 *          float                 the header word                    the number           real
 *          vectors, colors ...   the header word                    the numbers          gw_godot_real_at()
 *          String, StringName    with the length                    the text             text
 *          property name         the length; no header word         the text             text
 *          NodePath              with counts and flags              names and padding    count; strings
 *          old NodePath          with the length                    the text             text; count 0
 *          RID                   the header word                    Godot 4: the id      number (Godot 4)
 *          Object as id          the header word                    the id               number
 *          null Object           with the length 0, if there is one empty                number 0; text, with a length
 *          Object of Godot 2     the header word                    empty
 *          Signal                with the name's length             name, padding, id    text, number
 *          Image                 with format, sizes and count       the pixels           count
 *          InputEvent            with event, device and length      the details
 *   PACKED numbers               with the count                     the elements         count; gw_godot_real_at()
 *          strings               with the count                     strings and padding  count; strings
 *   OPEN   Array, Dictionary     with declarations and count        empty                count; declarations
 *          full Object           with class name and count          empty                count, text
 *   CLOSE                        the header word                    the rest, to the end count
 *
 * "strings" are read with gw_godot_strings_next(), "declarations" with gw_godot_declaration_of(). An empty payload or
 * padding also has an offset: gw_span_end(padding) is where the next value begins or, for OPEN, the first member. */
typedef struct gw_godot_event {
    uint8_t kind;         /* gw_kind */
    uint8_t type;         /* gw_godot_type */
    uint8_t role;         /* gw_godot_role */
    uint32_t odd;         /* bits of gw_godot_odd */
    uint32_t header_word; /* the raw header: type and flags; 0 for property names, which have none */
    uint32_t depth;       /* 0 for the root */
    uint32_t index;       /* in the parent: of the element, the entry, the property */
    uint32_t count;       /* members of a container, elements of a packed array, names of a NodePath */
    gw_span header;
    gw_span payload;
    gw_span padding; /* 0 to 3 bytes */
    gw_span text;    /* String, StringName, Signal name, class name of a full object, old NodePath */
    int64_t number;  /* Int; Bool as 0 or 1; the id of Rid (Godot 4), Object as id and Signal, a u64 as the same bits; 0
                        for a null object */
    double real;     /* Float */
} gw_godot_event;

/* Which members of a container need extra work: only keys, which are compared; or all members, because they have no
 * headers, have a declared type or are too deep. */
#define GW_GODOT_CARE_KEYS 1U
#define GW_GODOT_CARE_ALL  2U

/* One open container; the caller may supply more of them than the reader has, see gw_godot_options. */
typedef struct gw_godot_level {
    uint32_t position; /* members read; keys and values count one each */
    uint32_t end;
    uint32_t offset; /* of the container's header */
    uint8_t role;    /* gw_godot_role of the first member */
    uint8_t paired;  /* 1 if the members are pairs of key and value, else 0 */
    uint8_t care;    /* GW_GODOT_CARE_... of its members */
    uint8_t keys;    /* number of keys that are kept, of this container and those around it */
} gw_godot_level;

#define GW_GODOT_DEPTH 100
/* Maximum number of keys, of all open dictionaries together, that are kept to find duplicates. */
#define GW_GODOT_KEYS 64

typedef struct gw_godot_options {
    gw_godot_generation generation; /* GW_GODOT_ANY reads as Godot 4 */
    uint32_t offset;                /* where the value begins; offsets in events count from the start of the input */
    bool
        bare_objects; /* Godot 4 call arguments: a root that is an object header without a plausible class name (at most
                          255 letters, digits and underscores, in UTF-8) is a null object. Members never are */
    gw_godot_level *levels; /* for documents nested deeper than GW_GODOT_DEPTH, in place of the reader's
                                       own; may be NULL. Need not be initialized, and must remain until the
                                       value is read */
    uint32_t level_count;   /* one more than the depth of nesting; up to GW_GODOT_DEPTH, `levels` is unused */
    bool find_duplicates;   /* each key is compared with the keys before it in its dictionary, if these are among the
                             first GW_GODOT_KEYS of the open dictionaries; containers as keys are not compared */
} gw_godot_options;

typedef enum gw_godot_fault {
    GW_GODOT_FAULT_NONE,
    GW_GODOT_FAULT_HEADER_TRUNCATED,     /* truncated: fewer than four bytes for a header */
    GW_GODOT_FAULT_BODY_TRUNCATED,       /* truncated: a fixed-size body */
    GW_GODOT_FAULT_TEXT_TRUNCATED,       /* truncated: a text longer than the bytes left, or its length word */
    GW_GODOT_FAULT_PADDING_TRUNCATED,    /* truncated: a text is there but its padding is not */
    GW_GODOT_FAULT_ELEMENTS_TRUNCATED,   /* truncated: more packed elements or names than bytes */
    GW_GODOT_FAULT_TYPE_UNKNOWN,         /* malformed: no such type in this generation */
    GW_GODOT_FAULT_ELEMENT_TYPE_UNKNOWN, /* malformed: a typed container of no known type */
    GW_GODOT_FAULT_INPUT_EVENT_INVALID,  /* malformed: a Godot 2 input event shorter than its own head */
    GW_GODOT_FAULT_TOO_DEEP,             /* limit: nested deeper than the reader's levels */
    GW_GODOT_FAULT_TOO_LONG,             /* limit: input longer than GW_LONGEST_INPUT */
    GW_GODOT_FAULTS
} gw_godot_fault;

/* The sentences for gw_godot_fault and gw_godot_odd. */
extern const gw_fault_table gw_godot_faults;

/* All of the reader's memory. Work is bounded by the input: each call consumes four bytes or more, or closes
 * an open container. Points into itself: must not be copied or moved after gw_godot_init(). */
typedef struct gw_godot_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset; /* where the next item begins; at the end, the first byte after the root value */
    uint32_t depth;  /* of the value to be read next: the number of open containers */
    uint32_t stop;   /* position in the innermost container: of its end, or of the next member that needs care */
    uint32_t type_mask;
    gw_godot_level *level;      /* the innermost open container, or the one that holds the root */
    const gw_godot_level *last; /* the last one that is available */
    const struct gw_godot_wire *wire;
    uint8_t wire_types;
    uint8_t generation;
    uint8_t key_care; /* GW_GODOT_CARE_KEYS when duplicate keys are looked for, else 0 */
    bool bare_objects;
    gw_fault fault;
    uint32_t keys[GW_GODOT_KEYS]; /* their offsets */
    uint64_t seen[4];             /* one bit for the hash of each: most keys need no comparison */
    gw_godot_level own[GW_GODOT_DEPTH + 1];
} gw_godot_reader;

/* Reads one value, from options->offset on. Bytes after it are not read: compare reader.offset with the length
 * at the end (the engines ignore trailing bytes, observed). `options` may be NULL: Godot 4, from the start. */
void gw_godot_init(gw_godot_reader *reader, const uint8_t *bytes, size_t length, const gw_godot_options *options);
/* After GW_NEXT_FAULT reader.fault is set; every event before it is valid. */
gw_next gw_godot_next(gw_godot_reader *reader, gw_godot_event *event);

/* ---- parts of an event --------------------------------------------------------------------------------- */

/* True when the numbers of this value are 64 bits wide on the wire. */
bool gw_godot_is_wide(const gw_godot_event *event);
/* Size of one component (4 or 8) and, for packed arrays other than strings, of one element. */
uint32_t gw_godot_component_size(const gw_godot_event *event);
/* Bytes of one element of a packed array other than a string array; of a composite value, of all its components. */
uint32_t gw_godot_element_size(const gw_godot_event *event);
/* One component of a composite value; or of a packed array, where the components are numbered through all elements:
 * component < gw_godot_components() × count. */
double gw_godot_real_at(const uint8_t *bytes, const gw_godot_event *event, uint32_t component);
/* The same where gw_godot_components_are_integers() is true; bytes are unsigned, all others signed. */
int64_t gw_godot_integer_at(const uint8_t *bytes, const gw_godot_event *event, uint32_t component);

/* Where one bit of event->odd is in the input: at the padding, the first byte that is not UTF-8, the NUL, the count,
 * the NodePath's flags, the bool; for all others, at the beginning of the value. */
uint32_t gw_godot_odd_offset(const uint8_t *bytes, const gw_godot_event *event, uint32_t odd);

/* A typed container's declaration (Godot 4.3 and later). */
typedef enum gw_godot_container_kind {
    GW_GODOT_UNTYPED,
    GW_GODOT_BUILTIN, /* by `type` */
    GW_GODOT_CLASS,   /* `text` is the class name; "EncodedObjectAsID" if objects are sent as ids (observed) */
    GW_GODOT_SCRIPT   /* `text` is the script's path */
} gw_godot_container_kind;

typedef struct gw_godot_declaration {
    uint8_t kind; /* gw_godot_container_kind */
    uint8_t type; /* gw_godot_type */
    uint8_t padding;
    gw_span whole; /* empty when untyped */
    gw_span text;
} gw_godot_declaration;

/* Declarations of an OPEN event: 0 is an array's element or a dictionary's key, 1 a dictionary's value. */
void gw_godot_declaration_of(const uint8_t *bytes, const gw_godot_event *event, uint32_t which,
                             gw_godot_declaration *declaration);
/* True if the container of an OPEN or CLOSE event has such declarations, which only Godot 4 reads. */
bool gw_godot_is_typed(gw_godot_generation generation, const gw_godot_event *event);

typedef enum gw_godot_string_role {
    GW_GODOT_STRING_ROLE_ELEMENT,
    GW_GODOT_STRING_ROLE_NAME_PART,
    GW_GODOT_STRING_ROLE_SUBNAME,
    GW_GODOT_STRING_ROLE_PROPERTY /* the extra string of NodePath flag bit 1; 3.x and 4.x append it to the subnames */
} gw_godot_string_role;

typedef struct gw_godot_string {
    uint8_t role; /* gw_godot_string_role */
    uint8_t padding;
    uint32_t odd;
    uint32_t index; /* among the strings of the same role */
    gw_span whole;  /* length word, text, NUL and padding */
    gw_span text;   /* without the NUL, which the length in a string array includes */
} gw_godot_string;

/* The strings of a string array or the names of a new-format NodePath, in wire order. */
typedef struct gw_godot_strings {
    const uint8_t *bytes;
    uint32_t offset;
    uint32_t position;
    uint32_t names;
    uint32_t subnames;
    uint32_t end;
    uint32_t stale; /* the odd bit for padding that is not zero */
    bool elements;
} gw_godot_strings;
/* `event` is one of the reader of `bytes`; the bytes must exist as long as strings are read. */
void gw_godot_strings_init(gw_godot_strings *strings, const uint8_t *bytes, const gw_godot_event *event);
/* Reads the next string; false after the last. The lengths were validated by the reader. */
bool gw_godot_strings_next(gw_godot_strings *strings, gw_godot_string *string);

/* The head of a NodePath in the new format. In the old format the path is event.text. */
typedef struct gw_godot_node_path {
    uint32_t names;
    uint32_t subnames;
    uint32_t flags; /* bit 0: absolute; bit 1: one extra string, the property */
} gw_godot_node_path;

#define GW_GODOT_NODE_PATH_ABSOLUTE 1U
#define GW_GODOT_NODE_PATH_PROPERTY 2U

/* Reads the head of an event of type NODE_PATH; false, and `path` is not set, if it is in the old format. */
bool gw_godot_node_path_of(const uint8_t *bytes, const gw_godot_event *event, gw_godot_node_path *path);

/* ---- which generation ---------------------------------------------------------------------------------- */

/* The result of gw_godot_validate(), which costs less than reading events. */
typedef struct gw_godot_summary {
    uint64_t wire_types; /* bit n: a value of wire type n was seen */
    uint32_t odd;        /* of all values together */
    uint32_t length;     /* bytes consumed, from options->offset on */
    uint32_t values;     /* headers read */
    uint32_t nils;       /* headers of nil among them: four zero bytes prove nothing */
    uint32_t texts;      /* texts that are not empty */
    uint32_t counts;     /* containers and packed arrays that are not empty */
    uint32_t text_bytes; /* number of bytes of all texts, of each at most 16 */
    uint32_t proof;      /* bits of structure, see gw_godot_validate() */
    uint32_t wide;       /* ints and floats of 64 bits */
    uint32_t flags;      /* GW_GODOT_KIND_MASK and GW_GODOT_COUNT_SHARED, of all containers together */
    gw_fault fault;      /* fault_class GW_FAULT_NONE when one whole value was read */
} gw_godot_summary;

/* Reads one value without making events; true when it is whole. `summary->proof` compares readings of different
 * generations: it counts the bits that a Variant of another generation would have to match by chance. 8 bits for the
 * root's header, 16 for each header inside except nil, 8 for a count, 16 for the length of a text that fits, and 8 for
 * each of its first 16 bytes. gw_godot_recognize() decides whether the payload is a Variant. */
bool gw_godot_validate(const uint8_t *bytes, size_t length, const gw_godot_options *options, gw_godot_summary *summary);

typedef enum gw_godot_certainty {
    GW_GODOT_UNREADABLE, /* no generation reads it to its end */
    GW_GODOT_AMBIGUOUS,  /* several do, and there is no evidence for one */
    GW_GODOT_LIKELY,     /* several do, one with fewer oddities; or only one, but with little proof */
    GW_GODOT_CERTAIN     /* only one does, and its structure leaves no doubt */
} gw_godot_certainty;

/* Why a generation was chosen. */
typedef enum gw_godot_reason {
    GW_GODOT_REASON_ONLY = 1 << 0,           /* no other generation reads these bytes to their end */
    GW_GODOT_REASON_WIDE = 1 << 1,           /* 64-bit flag: not Godot 2 */
    GW_GODOT_REASON_TYPED = 1 << 2,          /* typed containers: Godot 4.3 or later */
    GW_GODOT_REASON_SHARED = 1 << 3,         /* shared bit: Godot 2 */
    GW_GODOT_REASON_NEW_TYPE = 1 << 4,       /* type numbers that the others do not have */
    GW_GODOT_REASON_FEWER_ODDITIES = 1 << 5, /* the others read it only with oddities that engines do not write */
    GW_GODOT_REASON_SANE_NUMBERS = 1 << 6,   /* read as the others, it has numbers that no game would send */
    GW_GODOT_REASON_DEFAULT = 1 << 7,        /* no other reason: the newest generation that fits */
    GW_GODOT_REASON_CONTEXT = 1 << 8,        /* the others read it too, but are not candidates */
    GW_GODOT_REASON_STRUCTURE = 1 << 9       /* if other bytes may follow: the others find much less structure */
} gw_godot_reason;

/* A reason as the rest of a sentence: "no other generation reads it to the end". `reason` is one bit. */
const char *gw_godot_reason_text(gw_godot_reason reason);

/* Bits of generations, as in gw_godot_guess.readers. */
#define GW_GODOT_GENERATION_BIT(generation) (1U << (generation))
#define GW_GODOT_ALL_GENERATIONS            0x1CU

/* The bytes that gw_godot_detect() reads. All zero: one value that takes the whole input. */
typedef struct gw_godot_question {
    gw_godot_options reading; /* offset, bare objects and supplied memory are used; not the generation */
    uint32_t values;          /* number of consecutive values, all of one generation; 0 means 1 */
    bool prefix;              /* other bytes may follow the last value */
    uint8_t candidates;       /* bit g: generation g is possible; 0: all are */
} gw_godot_question;

typedef struct gw_godot_guess {
    uint8_t generation;   /* gw_godot_generation; when unreadable, the one that reads furthest */
    uint8_t certainty;    /* gw_godot_certainty */
    uint8_t alternatives; /* bit g: generation g also reads it to its end, and is a candidate */
    uint8_t readers;      /* bit g: generation g, candidate or not, reads it, and its engine may have written it. The
                             sender's generation is among the bits that all its packets have in common */
    bool same_reading;    /* the alternatives read it with the same meaning: the choice does not matter */
    uint32_t reasons;     /* bits of gw_godot_reason */
    gw_godot_summary summary; /* as the chosen generation, of all values together */
} gw_godot_guess;

/* Compares the three generations' readings of one value, or of several values of one packet together. A reading counts
 * if it takes the whole input or, with question->prefix, if each value is complete. With question->prefix, readings
 * with much less structure than another are dropped, since any bytes can be read as a value of fixed size with other
 * bytes after it. `question` may be NULL. */
void gw_godot_detect(const uint8_t *bytes, size_t length, const gw_godot_question *question, gw_godot_guess *guess);

/* True when every number of the value is one that a game may send: no float is denormal, NaN or beyond 1e15. */
bool gw_godot_numbers_are_sane(const uint8_t *bytes, size_t length, const gw_godot_options *options);

/* ---- recognizing --------------------------------------------------------------------------------------- */

/* How strongly a UDP payload indicates one Variant and nothing else; returns recognition->possible. `captured` of its
 * `wire_length` bytes are in `bytes`. Bit g of recognition->readings is generation g. options->generation GW_GODOT_ANY
 * (or `options` NULL) tries all three; options->offset must be 0. The tests and their false-positive rates are listed
 * in recognize.c. */
bool gw_godot_recognize(const uint8_t *bytes, size_t captured, size_t wire_length, const gw_godot_options *options,
                        gw_recognition *recognition);

/* True for a UDP payload, with the result of gw_godot_recognize() for it, that is a String and that Wireshark's
 * heuristic for WireGuard accepts by its length, although no packet of WireGuard has this content (recognize.c). */
bool gw_godot_is_text_datagram(const uint8_t *bytes, size_t captured, size_t wire_length,
                               const gw_recognition *recognition);

/* False for most payloads that are not possible, by their length and first word: a Variant takes whole words, and in
 * its header bits 6 to 15 and 20 to 31 are zero in all that engines write, as there are fewer than 64 types. */
static inline bool gw_godot_may_begin(const uint8_t *bytes, size_t captured, size_t wire_length)
{
    return captured >= 4 && !(wire_length & 3U) && !(bytes[1] | bytes[3] | (bytes[0] & 0xC0) | (bytes[2] & 0xF0));
}

/* ---- printing ------------------------------------------------------------------------------------------ */

/* One line, as var_to_str (Godot 4) or var2str (Godot 2 and 3) spells the value, but without line breaks, and each
 * float has the shortest digits that read back the same in its width on the wire. Ends early if the text is full; after
 * a fault, ends with the fault's class: "<truncated>" ... */
void gw_godot_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_options *options);
/* One value, or the beginning or end of a container, without the separator before it. */
void gw_godot_print_value(gw_text *text, const uint8_t *bytes, const gw_godot_event *event,
                          gw_godot_generation generation);
/* One number of a composite value or of a packed array, numbered as in gw_godot_real_at(). */
void gw_godot_print_component(gw_text *text, const uint8_t *bytes, const gw_godot_event *event, uint32_t component);
/* A declaration of such an event: "int", "Node", "Resource(\"res://item.gd\")", "Variant" if there is none. */
void gw_godot_print_declaration(gw_text *text, const uint8_t *bytes, const gw_godot_event *event, uint32_t which);
/* The number of the type at `offset`, after GW_GODOT_FAULT_TYPE_UNKNOWN there; and the probable meaning of the bytes:
 * "39", "123; the bytes look like text: \"{\\\"x\\\": 1}\"". */
void gw_godot_print_unknown_type(gw_text *text, const uint8_t *bytes, size_t length, uint32_t offset,
                                 gw_godot_generation generation);
/* A NodePath as a script would write it: names between slashes, subnames and the property after colons. */
void gw_godot_print_node_path(gw_text *text, const uint8_t *bytes, const gw_godot_event *event);
/* Text in double quotes, escaped so that it stays one line; bytes that are not UTF-8 as \xHH. */
void gw_godot_print_quoted(gw_text *text, const uint8_t *bytes, uint32_t length);

/* ---- writing ------------------------------------------------------------------------------------------- */

/* Writes values in the order of reading: a container's head, then its members. As in output.h, bytes that do not fit
 * are counted but not written. If the generation does not have it, a type is written as nil, an object as id (Godot 2)
 * as a header alone, and a typed container (before Godot 4) as untyped. Counts are below 2^31. Reals of 32 bits are
 * rounded as by a cast to float.
 *
 * gw_output_complete() is false while a container lacks members, and from the first misuse on: a type that the function
 * does not write (the value is then nil), a count of 2^31 or more, a property without a name, a name where a value is
 * due, a full object in Godot 2 (a header alone), or more than GW_GODOT_DEPTH open containers that lack members. At the
 * root, any number of values may follow each other. */
typedef struct gw_godot_due {
    uint32_t members; /* keys and values, names and properties count one each */
    bool named;       /* a full object: names and properties alternate */
} gw_godot_due;

typedef struct gw_godot_writer {
    gw_output output;
    gw_godot_generation generation;
    bool wide;     /* Godot 3: ints always in 64 bits, as 3.0 writes them. Godot 4: as a build with double precision,
                      that is vectors, rectangles and transforms in 64 bits, but not ints, floats and colors */
    uint8_t array; /* the wire numbers of these two types in the generation */
    uint8_t dictionary;
    uint32_t unnamed; /* members due in the innermost container; 0 in a full object and at the root */
    uint32_t depth;   /* containers that lack members */
    gw_godot_due open[GW_GODOT_DEPTH];
} gw_godot_writer;

/* GW_GODOT_ANY writes as Godot 4. */
void gw_godot_writer_init(gw_godot_writer *writer, gw_godot_generation generation, uint8_t *bytes, size_t size);
/* The header alone. */
void gw_godot_write_nil(gw_godot_writer *writer);
/* The value as a word, 0 or 1. */
void gw_godot_write_bool(gw_godot_writer *writer, bool value);
/* The narrowest form that keeps the value; Godot 2 keeps the low 32 bits and float precision. */
void gw_godot_write_int(gw_godot_writer *writer, int64_t value);
/* 32 bits if they keep the value, else 64, as for NaN; in Godot 2 always 32. */
void gw_godot_write_float(gw_godot_writer *writer, double value);
/* String, StringName; also the body alone, for property names (`type` GW_GODOT_TYPES), and the null object of Godot 3
 * and 4 (GW_GODOT_OBJECT, length 0). */
void gw_godot_write_text(gw_godot_writer *writer, gw_godot_type type, const char *text, uint32_t length);
/* Vectors, rectangles, transforms, colors ...: gw_godot_components(type) numbers. Integers are for types for which
 * gw_godot_components_are_integers() is true (Vector2i ...), reals for the others. */
void gw_godot_write_reals(gw_godot_writer *writer, gw_godot_type type, const double *components);
/* The same for types with integers, of 32 bits each. */
void gw_godot_write_integers(gw_godot_writer *writer, gw_godot_type type, const int32_t *components);
/* `names` holds names, then subnames, then the property if it has the flag. */
void gw_godot_write_node_path(gw_godot_writer *writer, const gw_godot_node_path *path, const char *const *names);
/* In the format that only Godot 2 reads: a text of `length` bytes, which is padded like a String. */
void gw_godot_write_old_node_path(gw_godot_writer *writer, const char *path, uint32_t length);
/* In Godot 4 the id has 64 bits; in earlier generations the header is all, and `id` is not used. */
void gw_godot_write_rid(gw_godot_writer *writer, uint64_t id);
/* An object as its instance id in 64 bits; in Godot 2 a header alone. */
void gw_godot_write_object_id(gw_godot_writer *writer, uint64_t id);
/* Head of a full object, in Godot 3 and 4 only. The caller then writes `properties` pairs of a name
 * (gw_godot_write_text) and a value. */
void gw_godot_write_object(gw_godot_writer *writer, const char *class_name, uint32_t properties);
/* An object header alone: all that Godot 2 writes, and a typed null in a Godot 4 call. */
void gw_godot_write_bare_object(gw_godot_writer *writer);
/* A header alone. */
void gw_godot_write_callable(gw_godot_writer *writer);
/* The name of `length` bytes and the instance id of its object. */
void gw_godot_write_signal(gw_godot_writer *writer, const char *name, uint32_t length, uint64_t id);

/* Which type a container is declared to hold; NULL or GW_GODOT_UNTYPED for any. */
typedef struct gw_godot_typed {
    gw_godot_container_kind kind;
    gw_godot_type type; /* with GW_GODOT_BUILTIN */
    const char *name;   /* with GW_GODOT_CLASS and GW_GODOT_SCRIPT */
} gw_godot_typed;

/* The caller then writes `count` elements, or pairs of a dictionary. `shared`: the count gets GW_GODOT_COUNT_SHARED,
 * which Godot 2 sets for nearly all containers and later generations never. */
void gw_godot_write_array(gw_godot_writer *writer, const gw_godot_typed *element, uint32_t count, bool shared);
/* The same for a dictionary; `count` is the number of pairs, each a key and its value. */
void gw_godot_write_dictionary(gw_godot_writer *writer, const gw_godot_typed *key, const gw_godot_typed *value,
                               uint32_t count, bool shared);
/* `count` bytes, padded to four. */
void gw_godot_write_byte_array(gw_godot_writer *writer, const uint8_t *elements, uint32_t count);
/* Int32Array and Int64Array. */
void gw_godot_write_integer_array(gw_godot_writer *writer, gw_godot_type type, const int64_t *elements, uint32_t count);
/* Float, vector and color arrays: `count` elements of gw_godot_components(type) numbers. */
void gw_godot_write_real_array(gw_godot_writer *writer, gw_godot_type type, const double *components, uint32_t count);
/* `count` strings that end in NUL, which their lengths on the wire include; each is padded to four bytes. */
void gw_godot_write_string_array(gw_godot_writer *writer, const char *const *strings, uint32_t count);

/* Godot 2 (source; event numbers not verified). */
typedef struct gw_godot_image {
    uint32_t format;
    uint32_t mipmaps;
    uint32_t width;
    uint32_t height;
} gw_godot_image;
/* `count` is the number of bytes of `pixels`, which are padded to four. */
void gw_godot_write_image(gw_godot_writer *writer, const gw_godot_image *image, const uint8_t *pixels, uint32_t count);
/* `details` are the words after the head: modifiers and scancode of a key, and so on. */
void gw_godot_write_input_event(gw_godot_writer *writer, uint32_t event, uint32_t device, const uint32_t *details,
                                uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
