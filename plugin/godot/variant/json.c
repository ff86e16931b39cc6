/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A Variant as JSON, in the forms of plugin/docs/messages.md. It is read twice: whether a dictionary may be an object of
 * JSON is known at its end only.
 */
#include "internal.h"

#include <gamewire/text.h>

#include "common/display/json.h"
#include "common/findings.h"

/* Deeper values are texts: readers of JSON are recursive. */
#define DEEPEST 200U

#define MARKED_SIZE    64U /* of '$' and the name of a type */
#define FIRST_KEYS     64U
#define FIRST_OBJECTS  64U
#define LITERAL_LIMIT  (UINT32_C(1) << 19) /* and 8 bytes for each byte of the packet, as godot.value */
#define LITERAL_FACTOR 8U

/* Wireshark dissects one packet at a time. No other reader is in the middle of a Variant when one is written. */
static gw_godot_level json_levels[DEEPEST + 2];

typedef struct json_key {
    const uint8_t *bytes;
    uint32_t length;
} json_key;

/* How the members of a container are written. */
typedef enum json_form {
    JSON_ELEMENTS, /* [1, 2] */
    JSON_MEMBERS,  /* {"a": 1} */
    JSON_PAIRS     /* [["a", 1]] */
} json_form;

typedef struct json_walk {
    packet_info *pinfo;
    const uint8_t *bytes;
    uint32_t length;
    gw_godot_options options;
    gw_godot_generation generation;

    bool has_root;   /* at least the header of the Variant could be read */
    uint32_t unread; /* offset after what could be read */

    /* First reading: the keys of open dictionaries and objects, the outermost first. */
    json_key *keys;
    uint32_t key_count, key_room;
    uint32_t first_key[DEEPEST + 2]; /* by depth of the members */
    uint32_t ordinals[DEEPEST + 2];  /* the same: of the dictionary or object */
    bool *are_pairs;                 /* by ordinal: in the order in which they open */
    uint32_t ordinal, ordinal_room;

    /* Second reading. */
    gw_json *json;
    uint8_t forms[DEEPEST + 2]; /* json_form, by depth of the members */
} json_walk;

static bool is_utf8(const uint8_t *bytes, uint32_t length)
{
    return gw_utf8_prefix(bytes, length) == length;
}

/* ---- first reading: dictionaries ------------------------------------------------------------------------- */

/* The order of two keys for qsort(): by length, then by bytes. 0: they are equal. */
static int compare_keys(const void *left, const void *right)
{
    const json_key *a = left, *b = right;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return a->length ? memcmp(a->bytes, b->bytes, a->length) : 0;
}

/* Keeps a key until its dictionary ends. Only a String in UTF-8 that does not begin with "$", the mark of a type,
 * can be the name of a member of a JSON object: any other key makes its dictionary one of pairs, as does a key that
 * occurs twice. */
static void keep_key(json_walk *walk, const gw_godot_event *event)
{
    const json_key key = { walk->bytes + event->text.offset, event->text.length };
    bool is_name = event->role == GW_GODOT_ROLE_PROPERTY_NAME || event->type == GW_GODOT_STRING;
    if (event->kind != GW_VALUE || !is_name || !is_utf8(key.bytes, key.length) || (key.length && *key.bytes == '$')) {
        walk->are_pairs[walk->ordinals[event->depth]] = true;
        return;
    }
    if (walk->key_count == walk->key_room) {
        walk->key_room *= 2;
        walk->keys = wmem_realloc(walk->pinfo->pool, walk->keys, walk->key_room * sizeof(json_key));
    }
    walk->keys[walk->key_count++] = key;
}

/* True if two of the keys are equal. Sorts the keys. */
static bool has_equal_keys(json_key *keys, uint32_t count)
{
    if (count)
        qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 1; i < count; i++)
        if (!compare_keys(&keys[i - 1], &keys[i]))
            return true;
    return false;
}

/* First reading: finds the dictionaries that are written as pairs. walk->are_pairs has an entry for each dictionary
 * and object, in the order in which they open. True if the whole Variant could be read; false after a fault, or at a
 * value that is too deep. */
static bool read_keys(json_walk *walk)
{
    gw_godot_reader reader;
    gw_godot_event event;
    gw_next next;
    gw_godot_init(&reader, walk->bytes, walk->length, &walk->options);
    while ((next = gw_godot_next(&reader, &event)) == GW_NEXT_EVENT) {
        bool has_keys = event.type == GW_GODOT_DICTIONARY || event.type == GW_GODOT_OBJECT;
        uint32_t depth = event.depth + 1; /* of the members */
        walk->has_root = true;
        walk->unread = reader.offset;
        if (event.depth > DEEPEST)
            return false;
        if (godot_is_key(&event) && event.kind != GW_CLOSE)
            keep_key(walk, &event);
        if (event.kind == GW_OPEN && has_keys) {
            if (walk->ordinal == walk->ordinal_room) {
                walk->ordinal_room *= 2;
                walk->are_pairs = wmem_realloc(walk->pinfo->pool, walk->are_pairs, walk->ordinal_room * sizeof(bool));
            }
            walk->are_pairs[walk->ordinal] = false;
            walk->ordinals[depth] = walk->ordinal++;
            /* Its keys are stored after those of the open dictionaries around it. */
            walk->first_key[depth] = walk->key_count;
        } else if (event.kind == GW_CLOSE && has_keys) {
            if (has_equal_keys(walk->keys + walk->first_key[depth], walk->key_count - walk->first_key[depth]))
                walk->are_pairs[walk->ordinals[depth]] = true;
            walk->key_count = walk->first_key[depth];
        }
    }
    return next == GW_NEXT_END;
}

/* ---- second reading: values ------------------------------------------------------------------------------ */

/* Writes a text of a packet as a string; one that is not UTF-8 as {"$String": } with its bytes in hexadecimal. */
static void put_text(const json_walk *walk, const uint8_t *bytes, uint32_t length)
{
    if (is_utf8(bytes, length)) {
        gw_json_string_bytes(walk->json, bytes, length);
        return;
    }
    gw_json_open_object(walk->json);
    gw_json_name(walk->json, "$String");
    gw_json_hex(walk->json, bytes, length);
    gw_json_close_object(walk->json);
}

/* Writes the text in this range of the packet's bytes. */
static void put_span(const json_walk *walk, gw_span span)
{
    put_text(walk, walk->bytes + span.offset, span.length);
}

/* Opens an object with the name of a type, {"$Vector2": ; the caller writes the value and closes the object. */
static void open_marked(const json_walk *walk, const char *name)
{
    char marked[MARKED_SIZE];
    gw_text text;
    gw_text_init(&text, marked, sizeof marked);
    gw_text_char(&text, '$');
    gw_text_string(&text, name);
    gw_json_open_object(walk->json);
    gw_json_name(walk->json, marked);
}

/* Writes the components of a value, or the elements of a packed array: [1, 2], of vectors and colors [[1, 2], [3,
 * 4]]. The codec numbers components through all elements. */
static void put_numbers(const json_walk *walk, const gw_godot_event *event)
{
    uint32_t components = gw_godot_components((gw_godot_type)event->type);
    uint32_t elements = event->kind == GW_PACKED ? event->count : 1;
    bool are_grouped = event->kind == GW_PACKED && components > 1;
    gw_json_open_array(walk->json);
    for (uint32_t i = 0; i < elements; i++) {
        if (are_grouped)
            gw_json_open_array(walk->json);
        for (uint32_t number = i * components; number < (i + 1) * components; number++) {
            if (gw_godot_components_are_integers((gw_godot_type)event->type))
                gw_json_int(walk->json, gw_godot_integer_at(walk->bytes, event, number));
            else
                gw_json_real(walk->json, godot_number_at(walk->bytes, event, number));
        }
        if (are_grouped)
            gw_json_close_array(walk->json);
    }
    gw_json_close_array(walk->json);
}

/* Writes a packed array of strings. */
static void put_strings(const json_walk *walk, const gw_godot_event *event)
{
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_strings_init(&strings, walk->bytes, event);
    gw_json_open_array(walk->json);
    while (gw_godot_strings_next(&strings, &string))
        put_span(walk, string.text);
    gw_json_close_array(walk->json);
}

/* Writes a NodePath as a script writes it, "/root/Main:position:x": names are joined by slashes, subnames and the
 * property follow colons. */
static void put_node_path(const json_walk *walk, const gw_godot_event *event)
{
    wmem_strbuf_t *text = wmem_strbuf_new(walk->pinfo->pool, "");
    gw_godot_node_path path;
    gw_godot_strings strings;
    gw_godot_string string;
    if (!gw_godot_node_path_of(walk->bytes, event, &path)) { /* the old format: one text */
        put_span(walk, event->text);
        return;
    }
    if (path.flags & GW_GODOT_NODE_PATH_ABSOLUTE)
        wmem_strbuf_append_c(text, '/');
    gw_godot_strings_init(&strings, walk->bytes, event);
    while (gw_godot_strings_next(&strings, &string)) {
        if (string.role != GW_GODOT_STRING_ROLE_NAME_PART)
            wmem_strbuf_append_c(text, ':');
        else if (string.index)
            wmem_strbuf_append_c(text, '/');
        if (string.text.length)
            wmem_strbuf_append_len(text, (const char *)walk->bytes + string.text.offset, string.text.length);
    }
    put_text(walk, (const uint8_t *)wmem_strbuf_get_str(text), (uint32_t)wmem_strbuf_get_len(text));
}

/* Adds member `name` with the 32-bit number that has this index among the words after the header word; the codec has
 * read all of them. */
static void add_word(const json_walk *walk, const char *name, const gw_godot_event *event, uint32_t index)
{
    gw_json_add_uint(walk->json, name, gw_le32(walk->bytes + event->header.offset + 4 + 4 * (size_t)index));
}

/* Writes a Signal as its name and the id of its object; null if it has neither. */
static void put_signal(const json_walk *walk, const gw_godot_event *event)
{
    if (!event->number && !event->text.length) {
        gw_json_null(walk->json);
        return;
    }
    gw_json_open_object(walk->json);
    gw_json_name(walk->json, "object");
    gw_json_int_string(walk->json, event->number);
    gw_json_name(walk->json, "name");
    put_span(walk, event->text);
    gw_json_close_object(walk->json);
}

/* Writes an Object that is not sent with its properties: as its id, which is a payload of 8 bytes; null if it has none,
 * or the id 0. Godot 2 sends no more than the type of an Object: an Object with an empty class and no properties is
 * written. */
static void put_object(const json_walk *walk, const gw_godot_event *event)
{
    bool is_id = event->payload.length == 8 && event->number;
    if (!is_id && walk->generation != GW_GODOT_2) {
        gw_json_null(walk->json);
        return;
    }
    open_marked(walk, "Object");
    gw_json_open_object(walk->json);
    if (is_id) {
        gw_json_name(walk->json, "id");
        gw_json_int_string(walk->json, event->number);
    } else {
        gw_json_add_string(walk->json, "class", "");
        gw_json_name(walk->json, "properties");
        gw_json_open_object(walk->json);
        gw_json_close_object(walk->json);
    }
    gw_json_close_object(walk->json);
    gw_json_close_object(walk->json);
}

/* Writes a value whose type JSON does not have, as {"$Type": value}. */
static void put_marked(const json_walk *walk, const gw_godot_event *event)
{
    open_marked(walk, gw_godot_type_name(walk->generation, (gw_godot_type)event->type));
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_STRING_NAME:
        put_span(walk, event->text);
        break;
    case GW_GODOT_NODE_PATH:
        put_node_path(walk, event);
        break;
    case GW_GODOT_RID:
        gw_json_string(walk->json, wmem_strdup_printf(walk->pinfo->pool, "%" PRIu64,
                                                      event->payload.length ? (uint64_t)event->number : 0));
        break;
    case GW_GODOT_CALLABLE:
        gw_json_null(walk->json);
        break;
    case GW_GODOT_SIGNAL:
        put_signal(walk, event);
        break;
    case GW_GODOT_IMAGE: /* its words are format, mipmaps, width, height and count; JSON begins with the size */
        gw_json_open_object(walk->json);
        add_word(walk, "width", event, 2);
        add_word(walk, "height", event, 3);
        add_word(walk, "format", event, 0);
        add_word(walk, "mipmaps", event, 1);
        add_word(walk, "bytes", event, 4);
        gw_json_close_object(walk->json);
        break;
    case GW_GODOT_INPUT_EVENT:
        gw_json_open_object(walk->json);
        add_word(walk, "type", event, 0);
        add_word(walk, "device", event, 1);
        gw_json_close_object(walk->json);
        break;
    case GW_GODOT_STRING_ARRAY:
        put_strings(walk, event);
        break;
    case GW_GODOT_BYTE_ARRAY:
        gw_json_hex(walk->json, walk->bytes + event->payload.offset, event->count);
        break;
    default: /* all other types consist of numbers */
        put_numbers(walk, event);
        break;
    }
    gw_json_close_object(walk->json);
}

/* Writes a value that is not a container. */
static void put_value(const json_walk *walk, const gw_godot_event *event)
{
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_NIL:
        gw_json_null(walk->json);
        break;
    case GW_GODOT_BOOL:
        gw_json_bool(walk->json, event->number != 0);
        break;
    case GW_GODOT_INT:
        gw_json_int(walk->json, event->number);
        break;
    case GW_GODOT_FLOAT:
        gw_json_real(walk->json, godot_number_at(walk->bytes, event, 0));
        break;
    case GW_GODOT_STRING:
        put_span(walk, event->text);
        break;
    case GW_GODOT_OBJECT:
        put_object(walk, event);
        break;
    default:
        put_marked(walk, event);
        break;
    }
}

/* ---- second reading: containers -------------------------------------------------------------------------- */

/* Adds member `name` with the type that a container declares. `which`: 0 for an array's elements or a dictionary's
 * keys, 1 for a dictionary's values. */
static void put_declared(const json_walk *walk, const char *name, const gw_godot_event *event, uint32_t which)
{
    gw_godot_declaration declaration;
    gw_text text;
    gw_godot_declaration_of(walk->bytes, event, which, &declaration);
    /* At most six characters for a byte: "\u0001". */
    size_t size = 6 * (size_t)declaration.text.length + 64;
    gw_text_init(&text, (char *)wmem_alloc(walk->pinfo->pool, size), size);
    gw_godot_print_declaration(&text, walk->bytes, event, which);
    gw_json_add_string(walk->json, name, text.buffer);
}

/* Begins a container: chooses the form of its members, keeps it for their depth, and opens the array or object of
 * JSON. An Object, pairs and a typed Array are marked: they are inside {"$Type": }. A typed Dictionary is written as
 * pairs, because its declared types are further members of the mark's object. */
static void open_container(json_walk *walk, const gw_godot_event *event)
{
    json_form form = JSON_ELEMENTS;
    if (event->type != GW_GODOT_ARRAY) /* the ordinals are those of the first reading: both count in the same order */
        form =
            walk->are_pairs[walk->ordinal++] || gw_godot_is_typed(walk->generation, event) ? JSON_PAIRS : JSON_MEMBERS;
    walk->forms[event->depth + 1] = (uint8_t)form;
    if (event->type == GW_GODOT_OBJECT) {
        open_marked(walk, "Object");
        gw_json_open_object(walk->json);
        gw_json_name(walk->json, "class");
        put_span(walk, event->text);
        gw_json_name(walk->json, "properties");
    }
    if (form == JSON_PAIRS)
        open_marked(walk, "Dictionary");
    else if (form == JSON_ELEMENTS && gw_godot_is_typed(walk->generation, event))
        open_marked(walk, "Array");
    if (form == JSON_MEMBERS)
        gw_json_open_object(walk->json);
    else
        gw_json_open_array(walk->json);
}

/* Closes what open_container() opened, from the innermost on: the object or array of the members; then the object of
 * the mark, "$Array" or "$Dictionary", if it has one. The types that a container declares are members of this object,
 * after the array. An Object is in two more: the one with its class and properties, and that of the mark "$Object". */
static void close_container(json_walk *walk, const gw_godot_event *event)
{
    const json_form form = (json_form)walk->forms[event->depth + 1];
    if (form == JSON_MEMBERS) {
        gw_json_close_object(walk->json);
    } else {
        gw_json_close_array(walk->json);
        if (gw_godot_is_typed(walk->generation, event)) {
            bool is_array = event->type == GW_GODOT_ARRAY;
            put_declared(walk, is_array ? "of" : "keys", event, 0);
            if (!is_array)
                put_declared(walk, "values", event, 1);
            gw_json_close_object(walk->json);
        } else if (form == JSON_PAIRS) {
            gw_json_close_object(walk->json);
        }
    }
    if (event->type == GW_GODOT_OBJECT) {
        gw_json_close_object(walk->json);
        gw_json_close_object(walk->json);
    }
}

/* Writes an event in the form of its container; the root, at depth 0, has none and is written as an element. A key is
 * the name of a member, or the first element of a pair. A key or value that is a container has two events, GW_OPEN and
 * GW_CLOSE: a pair is opened at the first event of its key, and closed after the last event of its value. */
static void put_event(json_walk *walk, const gw_godot_event *event)
{
    const json_form form = event->depth ? (json_form)walk->forms[event->depth] : JSON_ELEMENTS;
    if (godot_is_key(event) && form == JSON_MEMBERS) {
        gw_json_name_bytes(walk->json, walk->bytes + event->text.offset, event->text.length);
        return;
    }
    if (godot_is_key(event) && event->kind != GW_CLOSE)
        gw_json_open_array(walk->json); /* of the pair */
    if (event->kind == GW_OPEN)
        open_container(walk, event);
    else if (event->kind == GW_CLOSE)
        close_container(walk, event);
    else if (event->role == GW_GODOT_ROLE_PROPERTY_NAME)
        put_span(walk, event->text);
    else
        put_value(walk, event);
    bool is_entry = event->role == GW_GODOT_ROLE_ENTRY || event->role == GW_GODOT_ROLE_PROPERTY;
    if (is_entry && form == JSON_PAIRS && event->kind != GW_OPEN)
        gw_json_close_array(walk->json);
}

/* ---- a Variant ------------------------------------------------------------------------------------------- */

/* Writes a Variant that cannot be read to its end as its literal: {"$text": "[1, 2 <truncated>"}. The literal is
 * printed again into four times the memory until it fits or reaches the limit, which bounds the memory that one packet
 * takes: LITERAL_LIMIT, and LITERAL_FACTOR bytes for each byte of the document. */
static void put_literal(const json_walk *walk)
{
    size_t size = 1024, limit = LITERAL_LIMIT + LITERAL_FACTOR * (size_t)walk->length;
    gw_text text;
    do {
        size = MIN(4 * size, limit);
        gw_text_init(&text, (char *)wmem_alloc(walk->pinfo->pool, size), size);
        godot_print_literal(&text, walk->bytes, walk->length, &walk->options);
    } while (text.cut && size < limit);
    open_marked(walk, "text");
    gw_json_string(walk->json, text.buffer);
    gw_json_close_object(walk->json);
}

/* Writes the Variant at options->offset as a value of JSON, after `name`, if that is not NULL. Returns whether it was
 * added, which is false if not even its header can be read, and the offset after the part that could be read. */
godot_json godot_json_add(gw_json *json, const char *name, packet_info *pinfo, const uint8_t *bytes, uint32_t length,
                          const gw_godot_options *options)
{
    json_walk *walk = wmem_new(pinfo->pool, json_walk);
    gw_godot_reader reader;
    gw_godot_event event;
    *walk = (json_walk){ .pinfo = pinfo, .bytes = bytes, .length = length, .json = json };
    walk->are_pairs = wmem_alloc_array(pinfo->pool, bool, FIRST_OBJECTS);
    walk->ordinal_room = FIRST_OBJECTS;
    walk->keys = wmem_alloc_array(pinfo->pool, json_key, FIRST_KEYS);
    walk->key_room = FIRST_KEYS;
    walk->options = *options;
    walk->options.levels = json_levels;
    walk->options.level_count = array_length(json_levels);
    walk->generation = options->generation ? options->generation : GW_GODOT_4; /* as the reader does */
    walk->unread = options->offset;

    /* First reading: whether the whole Variant can be read, and which dictionaries are written as pairs. */
    bool is_whole = read_keys(walk);
    const godot_json result = { .is_added = walk->has_root, .unread = walk->unread };
    if (!walk->has_root)
        return result;
    if (name)
        gw_json_name(json, name);
    if (!is_whole) {
        put_literal(walk);
        return result;
    }

    /* Second reading: the ordinals are counted again, to find what the first reading stored. */
    walk->ordinal = 0;
    gw_godot_init(&reader, walk->bytes, walk->length, &walk->options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT)
        put_event(walk, &event);
    return result;
}
