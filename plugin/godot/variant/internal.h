/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the dissector of Variants share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_INTERNAL_H

#include "common/compat.h"

#include <epan/expert.h>
#include <epan/prefs.h>
#include <gamewire/godot.h>

#include "common/display/demand.h"
#include "common/items.h"
#include "variants.h"

/* ==== custom.c ========================================================================================== */

/* Custom fields: each row of a table in the profile defines a field godot.custom.<name> for the values at a path, for
 * filters, columns and graphs.
 *
 *   godot_custom_fields    name, path (pattern), type
 *       "hp","players[*].hp","int"                 [*] is any element or key
 *       "damage","take_damage(0)","int"            an argument of a call, by the method's name
 *       "x","position.x","float"                   a component of a synchronized property */

/* Adds the table to the preferences of the protocol. */
void godot_register_custom(module_t *module);

/* True when the table has rows, and the tree is visible or one of the fields is referenced. */
bool godot_custom_is_needed(proto_tree *tree);

/* The number or the text of a value, if it has one. */
typedef struct godot_custom_value {
    tvbuff_t *tvb;
    gw_span span;
    const char *path;      /* as in godot.path */
    const char *component; /* the name of the component at this path, such as "x"; "": the value itself */
    gw_godot_type type;
    int64_t integer;     /* Int, Bool */
    double real;         /* Float */
    const uint8_t *text; /* String, StringName; not terminated */
    uint32_t length;
} godot_custom_value;

/* Adds each field of a row with this path. */
void godot_custom_add(proto_tree *tree, const packet_info *pinfo, const godot_custom_value *value);

/* ==== fields.c ========================================================================================== */

/* The fields and expert infos of the Godot dissector. */

#define GODOT_COMPONENTS 16 /* of the largest composite, Projection */

typedef struct godot_fields {
    /* Fields of all types. */
    int generation;
    int generation_reason;
    int generation_decided_in;
    int type;
    int flags;
    int count;
    int shared;
    int length;
    int padding;
    int key;
    int path;
    int short_path;
    int path_with_value;
    int value;
    int element_type;
    int key_type;
    int value_type;
    int packed_rest;
    int node_path_names;
    int node_path_subnames;
    int node_path_flags;
    int node_path_absolute;
    int node_path_has_property;
    int node_path_name;
    int node_path_subname;
    int node_path_property;
    int object_id;
    int object_class;
    int object_property;
    int signal_object;
    int image_format;
    int image_mipmaps;
    int image_width;
    int image_height;
    int image_data;
    int event_type;
    int event_device;
    int event_details;
    int trailing;
    int undecoded;
    int not_shown;
    int json;
    /* Fields of one type: the value, its components, and, for packed arrays, one element. */
    int typed[GW_GODOT_TYPES];
    int components[GW_GODOT_TYPES][GODOT_COMPONENTS];
    int elements[GW_GODOT_TYPES];
} godot_fields;

extern godot_fields godot_hf;

typedef struct godot_experts {
    expert_field cut_short;
    expert_field trailing;
    expert_field empty;
    expert_field unread;
    expert_field ambiguous;
    expert_field mixed;
    expert_field flattened;
    expert_field not_shown;
    expert_field faults[GW_GODOT_FAULTS]; /* by code */
    expert_field odd[GW_GODOT_ODDS];      /* by the number of the bit */
} godot_experts;

extern godot_experts godot_ei;

extern int godot_ett_protocol;
extern int godot_ett_value;

void godot_register_fields(int protocol);

/* The number of fields in godot_hf that are referenced. */
unsigned godot_details_named(void);

/* ==== statistics.c ====================================================================================== */

/* Part of -z godot,tree, which godot/multiplayer/statistics.c registers: the Variants that are sent bare, in datagrams
 * and streams. */

/* The key of the preference godot.statistics_key. */
extern const char *godot_statistics_key;

/* ==== tree.c ============================================================================================ */

/* Reads Variants into tree items. */

typedef struct godot_tree_preferences {
    unsigned elements;    /* of a packed array, as separate items */
    ws_bool show_headers; /* show type, key, length and padding always, not only if a filter references them */
    ws_bool show_values;  /* add godot.value next to each godot.path */
} godot_tree_preferences;

extern godot_tree_preferences godot_tree_prefs;

/* Items of each value: itself and its path. Numbers, and items that a field's name demands, are in addition. */
#define GODOT_ITEMS_OF_VALUE 2U

/* Number of levels for hostile documents: a UDP datagram cannot contain more. */
#define GODOT_READER_LEVELS 8192

typedef struct godot_walk godot_walk;

/* gw_godot_print() with levels for hostile documents; also for a part of a Variant that is being read. */
void godot_print_literal(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_options *options);

/* Reads the Variant of a request and adds its items to `tree`; without a layer, a generation, and trailing bytes.
 * `options`: of its reader. */
void godot_walk_read(godot_walk *walk, proto_tree *tree, const godot_variant_request *request,
                     const gw_godot_options *options, godot_variant_result *result);

/* ==== the walk ========================================================================================== */

/* The state of adding one Variant to the tree, which tree.c and details.c share. */

/* The maximum depth of tree items: Wireshark reports a depth above its gui.max_tree_depth (500) as a bug. */
#define GODOT_TREE_DEPTH 100

#define GODOT_LABEL_SIZE 160
/* Containers inside others have shorter labels: their members have labels too. */
#define GODOT_INNER_LABEL_SIZE 80
/* Each path, value and key may have this length, whatever the texts before it took. */
#define GODOT_SHORTEST_TEXT 256U

/* The path of a value in a document: ["players"][0]["name"], or in short form players[0].name. The text is extended and
 * shortened from value to value: the time of a step does not depend on the length of the path. */

/* The path of a root value for which the caller set no path. */
#define GODOT_ROOT_PATH "."

/* Longer paths are cut and end in "…". */
#define GODOT_PATH_SIZE 4096

typedef struct godot_path {
    wmem_allocator_t *pool;
    const char *base; /* the path of the root; NULL: it has none */
    bool is_short;
    char *text; /* NULL before the first value */
    size_t size;
    uint32_t *lengths; /* [depth]: of the path of the last value at that depth */
    uint32_t depths;   /* entries of `lengths` */
} godot_path;

/* What this dissection needs of each value besides the field of its type; computed once for each Variant. */
typedef struct godot_demands {
    gw_demand common;      /* its kinds are Variant types */
    bool headers;          /* all parts of headers, by preference */
    bool parts;            /* at least one of the fields of all types is named, or `headers` */
    bool path;             /* godot.path; always in a visible tree */
    bool value;            /* godot.value */
    bool short_path;       /* godot.short_path */
    bool path_with_value;  /* godot.path_with_value */
    bool custom;           /* a field that the user configured */
    bool any;              /* any of these: keys are needed as text */
    uint32_t items;        /* of each value, without its numbers */
    uint32_t key_items;    /* of the key of an entry or property */
    uint32_t number_items; /* of each component of a vector, color, transform ... */
} godot_demands;

/* A text in packet scope that grows when it is printed to. */
typedef struct godot_scratch {
    char *text;
    size_t size;
    size_t length;
} godot_scratch;

struct godot_walk {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    uint32_t length;

    /* State for all Variants of the packet. */
    uint32_t *items_left; /* of the whole packet: common/items.h */
    size_t text_limit;    /* of the next path, value or key; see godot_text_count() */
    uint8_t experts[32];

    /* State of the Variant that is being read. */
    gw_godot_options options; /* to read a container in it again, as text */
    const char *title;
    godot_demands demands;
    proto_item *root;
    uint32_t key_depth; /* inside a container that is itself a key: its depth plus one; else 0 */
    bool has_key;       /* `key` belongs to the next value */
    godot_scratch key_text;
    godot_scratch text; /* of the current value, as a literal */
    godot_path path;
    godot_path short_path;

    /* Not cleared for each packet: entries above the depth are not valid. */
    gw_godot_event key;                      /* of the next entry or property */
    proto_tree *trees[GODOT_TREE_DEPTH + 1]; /* [depth]: the parent of values at that depth */
    proto_item *items[GODOT_TREE_DEPTH + 1]; /* [depth]: the container of values at that depth; NULL: it has no item */
    uint32_t starts[GODOT_TREE_DEPTH + 1];   /* [depth]: start of that container's item */
};

/* Subtracts the length of a text from the limit of those after it: the texts of nested long keys would need far more
 * memory than the packet. */
static inline void godot_text_count(godot_walk *walk, size_t length)
{
    walk->text_limit -= MIN(walk->text_limit - GODOT_SHORTEST_TEXT, length);
}

/* A key or a property's name, whose value follows. */
static inline bool godot_is_key(const gw_godot_event *event)
{
    return event->role == GW_GODOT_ROLE_KEY || event->role == GW_GODOT_ROLE_PROPERTY_NAME;
}

/* True if the literal of a value does not begin with the name of its type: 7, "text", [1], {"a": 1}. */
static inline bool godot_needs_type_name(const gw_godot_event *event)
{
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_DICTIONARY:
    case GW_GODOT_ARRAY:
        return !(event->header_word & GW_GODOT_KIND_MASK);
    case GW_GODOT_BOOL:
    case GW_GODOT_INT:
    case GW_GODOT_FLOAT:
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        return true;
    default:
        return false;
    }
}

/* Keys and their parts have no path, and no text but their labels. */
static inline bool godot_has_path(const godot_walk *walk, const gw_godot_event *event)
{
    return event->role != GW_GODOT_ROLE_KEY && !walk->key_depth;
}

/* Displayed, extracted and filtered numbers are the same: for a 32-bit float, the decimal number of its text. */
static inline double godot_number_at(const uint8_t *bytes, const gw_godot_event *event, uint32_t i)
{
    double number = gw_godot_real_at(bytes, event, i);
    return gw_godot_component_size(event) == sizeof(float) ? gw_float_to_double((float)number) : number;
}

/* A text of the packet, in packet scope. `odd`: the oddities of its event. Without these, epan's decoder would replace
 * nothing. */
static inline const char *godot_text_of(const godot_walk *walk, gw_span span, uint32_t odd)
{
    const char *text = odd & (GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_NUL)
                           ? gw_text_of(walk->pinfo->pool, walk->tvb, span)
                           : wmem_strndup(walk->pinfo->pool, (const char *)walk->bytes + span.offset, span.length);
    return gw_field_text(walk->pinfo->pool, text);
}

/* ==== details.c ========================================================================================= */

/* Adds the items below a value's item: its parts, its components or elements, its paths, the value as a text, and
 * the fields that a user configured for it. A key has only parts, and only if a field of a header is referenced: its
 * text has the others. `span`: of the value's item. */
void godot_details_add(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span);

#endif
