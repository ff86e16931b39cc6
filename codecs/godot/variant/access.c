/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The parts of an event, and where in it something is odd.
 */
#include "internal.h"

#include <stddef.h>

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* True if the numbers of the value or packed array have 64 bits on the wire. False for values without numbers, and for
 * packed arrays without elements, except those whose type has only 64 bits. */
bool gw_godot_is_wide(const gw_godot_event *event)
{
    if (event->type == GW_GODOT_INT64_ARRAY || event->type == GW_GODOT_FLOAT64_ARRAY)
        return true;
    /* Determined by the length of the body: types with a single width, such as colors, ignore the header's flag. */
    uint32_t numbers = gw_godot_components((gw_godot_type)event->type);
    if (event->kind == GW_PACKED)
        return numbers && event->count && event->payload.length / event->count == numbers * 8;
    return numbers && event->payload.length == numbers * 8;
}

/* The bytes of one number of the value or packed array. */
uint32_t gw_godot_component_size(const gw_godot_event *event)
{
    if (event->type == GW_GODOT_BYTE_ARRAY)
        return 1;
    return gw_godot_is_wide(event) ? 8 : 4;
}

/* The bytes of one element of a packed array, which may have several numbers. */
uint32_t gw_godot_element_size(const gw_godot_event *event)
{
    return gw_godot_component_size(event) * gw_godot_components((gw_godot_type)event->type);
}

/* The number with this index, of a type whose components are floats. */
double gw_godot_real_at(const uint8_t *bytes, const gw_godot_event *event, uint32_t component)
{
    const uint8_t *at = bytes + event->payload.offset;
    if (gw_godot_is_wide(event))
        return gw_le_double(at + (size_t)component * 8);
    return (double)gw_le_float(at + (size_t)component * 4);
}

/* The number with this index, of a type whose components are integers. */
int64_t gw_godot_integer_at(const uint8_t *bytes, const gw_godot_event *event, uint32_t component)
{
    const uint8_t *at = bytes + event->payload.offset;
    if (event->type == GW_GODOT_BYTE_ARRAY)
        return at[component];
    if (gw_godot_is_wide(event))
        return (int64_t)gw_le64(at + (size_t)component * 8);
    return (int32_t)gw_le32(at + (size_t)component * 4);
}

/* The number of floats in the value or packed array; 0 for other types, and for containers. */
uint64_t gw_godot_reals_in(const gw_godot_event *event)
{
    gw_godot_type type = (gw_godot_type)event->type;
    uint64_t numbers = gw_godot_components(type);
    if (gw_godot_components_are_integers(type) || event->kind == GW_OPEN || event->kind == GW_CLOSE)
        return 0;
    return event->kind == GW_PACKED ? numbers * event->count : numbers;
}

/* Float `i` of those that gw_godot_reals_in() counts. That of a single float is in the event. */
double gw_godot_any_real_at(const uint8_t *bytes, const gw_godot_event *event, uint32_t i)
{
    return event->type == GW_GODOT_FLOAT ? event->real : gw_godot_real_at(bytes, event, i);
}

/* ---- declarations of typed containers ------------------------------------------------------------------ */

/* Reads the declaration at `at`, which the reader has already validated; returns the offset after it. It is a word, the
 * number of a built-in type, or a text, the name of a class or script. */
static uint32_t read_declaration(const uint8_t *bytes, uint32_t at, uint32_t kind, gw_godot_declaration *declaration)
{
    uint32_t length = kind == GW_GODOT_BUILTIN || kind == GW_GODOT_UNTYPED ? 0 : gw_le32(bytes + at);
    *declaration = (gw_godot_declaration){ .kind = (uint8_t)kind, .type = GW_GODOT_TYPES, .whole = { at, 0 } };
    if (kind == GW_GODOT_UNTYPED)
        return at;
    if (kind == GW_GODOT_BUILTIN)
        declaration->type = (uint8_t)gw_godot_type_of_wire(GW_GODOT_4, gw_le32(bytes + at));
    else
        declaration->text = (gw_span){ at + 4, length };
    declaration->padding = (uint8_t)gw_godot_padding(length);
    declaration->whole.length = 4 + length + declaration->padding;
    return at + declaration->whole.length;
}

/* Sets the declared type of a container, whose OPEN event this is: of an array's elements or a dictionary's keys
 * (`which` 0), or of a dictionary's values (1), whose declaration follows that of the keys. Its kind is
 * GW_GODOT_UNTYPED if there is none. */
void gw_godot_declaration_of(const uint8_t *bytes, const gw_godot_event *event, uint32_t which,
                             gw_godot_declaration *declaration)
{
    uint32_t kinds = event->header_word >> GW_GODOT_FLAG_SHIFT & 0xFU;
    uint32_t at = event->header.offset + 4;
    if (event->type == GW_GODOT_ARRAY)
        kinds &= 3U;
    else if (event->type != GW_GODOT_DICTIONARY)
        kinds = 0;
    /* Before Godot 4 these header bits have no meaning: the header is then a word and the count. */
    if (event->header.length == 8)
        kinds = 0;
    at = read_declaration(bytes, at, kinds & 3U, declaration);
    if (which)
        read_declaration(bytes, at, kinds >> 2, declaration);
}

/* True if a container of this generation declares a type. */
bool gw_godot_is_typed(gw_godot_generation generation, const gw_godot_event *event)
{
    uint32_t of_element = UINT32_C(3) << GW_GODOT_FLAG_SHIFT;
    uint32_t kinds = event->type == GW_GODOT_ARRAY ? of_element : GW_GODOT_KIND_MASK;
    return generation == GW_GODOT_4 && event->type != GW_GODOT_OBJECT && event->header_word & kinds;
}

/* ---- strings ------------------------------------------------------------------------------------------- */

/* Sets the counts and flags of a NodePath; false if it is in the old format, one text. */
bool gw_godot_node_path_of(const uint8_t *bytes, const gw_godot_event *event, gw_godot_node_path *path)
{
    uint32_t names = gw_le32(bytes + event->header.offset + 4);
    if (!(names & GW_GODOT_NODE_PATH_NEW))
        return false;
    path->names = names & ~GW_GODOT_NODE_PATH_NEW;
    path->subnames = gw_le32(bytes + event->header.offset + 4 + 4);
    path->flags = gw_le32(bytes + event->header.offset + 4 + 8);
    return true;
}

/* Starts at the first string of a string array or NodePath; other events, and NodePaths in the old format, have no
 * strings. */
void gw_godot_strings_init(gw_godot_strings *strings, const uint8_t *bytes, const gw_godot_event *event)
{
    gw_godot_node_path path;
    /* As in the reader: Godot 2 zeroes no padding, no generation the padding of NodePaths. The event does not have its
     * generation, but a string array has another wire number in Godot 2 than in the others. */
    uint32_t number_in_2 = (uint32_t)gw_godot_wire_type(GW_GODOT_2, (gw_godot_type)event->type);
    bool is_stale = event->type == GW_GODOT_NODE_PATH || number_in_2 == (event->header_word & GW_GODOT_TYPE_MASK);
    *strings = (gw_godot_strings){ .bytes = bytes,
                                   .offset = event->payload.offset,
                                   .stale = is_stale ? GW_GODOT_ODD_STALE_PADDING : GW_GODOT_ODD_PADDING };
    if (event->type == GW_GODOT_STRING_ARRAY) {
        strings->elements = true;
        strings->end = event->count;
    } else if (event->type == GW_GODOT_NODE_PATH && gw_godot_node_path_of(bytes, event, &path)) {
        strings->names = path.names;
        strings->subnames = path.subnames;
        strings->end = event->count;
    }
}

/* Reads the next string, its place and its oddities; false after the last one. The reader has validated that all
 * strings are in the input. */
bool gw_godot_strings_next(gw_godot_strings *strings, gw_godot_string *string)
{
    const uint8_t *bytes = strings->bytes;
    if (strings->position == strings->end)
        return false;
    uint32_t length = gw_le32(bytes + strings->offset);
    uint32_t after_names = strings->position - strings->names; /* used only after the names */
    *string = (gw_godot_string){ .padding = (uint8_t)gw_godot_padding(length), .index = strings->position };
    if (strings->elements) {
        string->role = GW_GODOT_STRING_ROLE_ELEMENT;
    } else if (strings->position < strings->names) {
        string->role = GW_GODOT_STRING_ROLE_NAME_PART;
    } else {
        bool is_subname = after_names < strings->subnames;
        string->role = is_subname ? GW_GODOT_STRING_ROLE_SUBNAME : GW_GODOT_STRING_ROLE_PROPERTY;
        string->index = is_subname ? after_names : 0;
    }
    string->text = (gw_span){ strings->offset + 4, length };
    string->whole = (gw_span){ strings->offset, 4 + length + string->padding };
    if (gw_godot_any_set(bytes + strings->offset + 4 + length, string->padding))
        string->odd |= strings->stale;
    /* In string arrays the length includes a NUL; a text without it is odd, and returned unchanged. */
    if (strings->elements && length && !bytes[strings->offset + 4 + length - 1])
        string->text.length--;
    else if (strings->elements)
        string->odd |= GW_GODOT_ODD_UNTERMINATED;
    if (gw_utf8_prefix(bytes + string->text.offset, string->text.length) != string->text.length)
        string->odd |= GW_GODOT_ODD_UTF8;
    if (string->text.length && memchr(bytes + string->text.offset, 0, string->text.length))
        string->odd |= GW_GODOT_ODD_NUL;
    strings->offset += string->whole.length;
    strings->position++;
    return true;
}

/* ---- offsets of oddities ------------------------------------------------------------------------------- */

#define ODD_PADDING (GW_GODOT_ODD_PADDING | GW_GODOT_ODD_STALE_PADDING)
#define ODD_TEXT    (ODD_PADDING | GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_NUL)

/* The offset of the oddity in a text that is padded to four bytes: of the padding, of the first byte that is not UTF-8,
 * or of the NUL. 0 if the text does not have this oddity: no text begins at offset 0. */
static uint32_t odd_in_text(const uint8_t *bytes, gw_span text, uint32_t odd)
{
    const uint8_t *start = bytes + text.offset;
    uint32_t prefix = gw_utf8_prefix(start, text.length);
    const uint8_t *nul = text.length ? memchr(start, 0, text.length) : NULL;
    if (odd & ODD_PADDING && gw_godot_any_set(start + text.length, gw_godot_padding(text.length)))
        return gw_span_end(text);
    if (odd == GW_GODOT_ODD_UTF8 && prefix < text.length)
        return text.offset + prefix;
    if (odd == GW_GODOT_ODD_NUL && nul)
        return (uint32_t)(nul - bytes);
    return 0;
}

/* The offset of the oddity in the first string that has it; 0 if there is none. */
static uint32_t odd_in_strings(const uint8_t *bytes, const gw_godot_event *event, uint32_t odd)
{
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_strings_init(&strings, bytes, event);
    while (gw_godot_strings_next(&strings, &string)) {
        if (!(string.odd & odd))
            continue;
        /* In string arrays the padding follows the NUL that is included in the length. */
        if (odd & ODD_PADDING)
            return gw_span_end(string.whole) - string.padding;
        return odd == GW_GODOT_ODD_UNTERMINATED ? string.whole.offset : odd_in_text(bytes, string.text, odd);
    }
    return 0;
}

/* The offset of the oddity in the texts or the padding of an event; 0 if there is none. The texts are the class or
 * script names of a container's declarations, the names of a NodePath, the strings of an array, or event->text. */
static uint32_t odd_in_texts(const uint8_t *bytes, const gw_godot_event *event, uint32_t odd)
{
    gw_godot_node_path path;
    gw_godot_declaration declaration;
    uint32_t offset = 0;
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_ARRAY:
    case GW_GODOT_DICTIONARY:
        for (uint32_t which = 0; which < 2 && !offset; which++) {
            gw_godot_declaration_of(bytes, event, which, &declaration);
            offset = odd_in_text(bytes, declaration.text, odd);
        }
        return offset;
    case GW_GODOT_BYTE_ARRAY:
    case GW_GODOT_IMAGE:
        return event->padding.offset; /* they have no text: only their padding can be odd */
    case GW_GODOT_NODE_PATH:
        return gw_godot_node_path_of(bytes, event, &path) ? odd_in_strings(bytes, event, odd)
                                                          : odd_in_text(bytes, event->text, odd);
    case GW_GODOT_STRING_ARRAY:
        return odd_in_strings(bytes, event, odd);
    default:
        return odd_in_text(bytes, event->text, odd);
    }
}

/* The offset of the part of the event that has the oddity; the offset of the event, if the oddity has no place of its
 * own. `odd`: one of the event's gw_godot_odd bits. */
uint32_t gw_godot_odd_offset(const uint8_t *bytes, const gw_godot_event *event, uint32_t odd)
{
    uint32_t offset = 0;
    if (odd & (ODD_TEXT | GW_GODOT_ODD_UNTERMINATED))
        offset = odd_in_texts(bytes, event, odd);
    else if (odd & (GW_GODOT_ODD_COUNT | GW_GODOT_ODD_SHARED))
        offset = event->payload.offset - 4; /* the count ends the header */
    else if (odd == GW_GODOT_ODD_NODE_PATH_FLAGS)
        offset = event->payload.offset - 4; /* the flags end the header */
    else if (odd == GW_GODOT_ODD_BOOL)
        offset = event->payload.offset;
    return offset ? offset : event->header.offset;
}
