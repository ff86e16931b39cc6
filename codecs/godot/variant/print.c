/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Values as the engine itself writes them: var_to_str of Godot 4, var2str of Godot 3 and 2 (observed with
 * 3.2.3, 3.6 and 4.6.3), on one line; but no digit of a number is lost.
 */
#include "internal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Bytes of a text that is in the place of a Variant. */
#define TEXT_SHOWN 24U

struct style {
    gw_text *text;
    const uint8_t *bytes;
    gw_godot_generation generation;
};

/* Prints the blank that Godot 2 and 3 have inside brackets. */
static void put_blank(const struct style *style)
{
    if (style->generation != GW_GODOT_4)
        gw_text_char(style->text, ' ');
}

/* ---- texts --------------------------------------------------------------------------------------------- */

/* Prints a text in quotes, with escapes. */
void gw_godot_print_quoted(gw_text *text, const uint8_t *bytes, uint32_t length)
{
    gw_text_char(text, '"');
    gw_text_escaped(text, bytes, length);
    gw_text_char(text, '"');
}

/* Prints a text of the input in quotes, with escapes. */
static void put_quoted(const struct style *style, gw_span span)
{
    gw_godot_print_quoted(style->text, style->bytes + span.offset, span.length);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* Prints a float of `size` bytes. Infinity has the engine's names. All other numbers have as many digits as are
 * needed to read back the same number in their width on the wire: 0.1 for a float, whose double would have seventeen
 * digits. The engines lose information: var2str of Godot 3 prints six digits of any number, and none of them prints
 * the sign of -0. */
static void put_real(gw_text *text, double number, uint32_t size)
{
    if (isinf(number))
        gw_text_string(text, number > 0 ? "inf" : "inf_neg");
    else if (size == sizeof(float))
        gw_text_float(text, (float)number);
    else
        gw_text_double(text, number);
}

/* Prints a single float so that it differs from an int: 1.0, not 1. */
static void put_float(const struct style *style, const gw_godot_event *event)
{
    gw_text *text = style->text;
    size_t start = text->length;
    put_real(text, event->real, event->payload.length);
    /* Neither a period nor an exponent, and not "inf" or "nan". */
    if (!text->cut && !strpbrk(text->buffer + start, ".einf"))
        gw_text_string(text, ".0");
}

/* Prints one number of a value or packed array, by its index. */
void gw_godot_print_component(gw_text *text, const uint8_t *bytes, const gw_godot_event *event, uint32_t component)
{
    if (gw_godot_components_are_integers((gw_godot_type)event->type))
        gw_text_signed(text, gw_godot_integer_at(bytes, event, component));
    else
        put_real(text, gw_godot_real_at(bytes, event, component), gw_godot_component_size(event));
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Prints the name of the value's type. */
static void put_name(const struct style *style, const gw_godot_event *event)
{
    gw_text_string(style->text, gw_godot_type_name(style->generation, (gw_godot_type)event->type));
}

/* Prints the beginning of a constructor call: "Vector2(". */
static void put_call(const struct style *style, const gw_godot_event *event)
{
    put_name(style, event);
    gw_text_char(style->text, '(');
    put_blank(style);
}

/* Prints the end of a constructor call. */
static void end_call(const struct style *style)
{
    put_blank(style);
    gw_text_char(style->text, ')');
}

/* Prints a NodePath without quotes: names are separated by slashes, subnames and the property follow colons. */
void gw_godot_print_node_path(gw_text *text, const uint8_t *bytes, const gw_godot_event *event)
{
    gw_godot_node_path path;
    gw_godot_strings strings;
    gw_godot_string string;
    if (!gw_godot_node_path_of(bytes, event, &path)) {
        gw_text_escaped(text, bytes + event->text.offset, event->text.length);
        return;
    }
    if (path.flags & GW_GODOT_NODE_PATH_ABSOLUTE)
        gw_text_char(text, '/');
    gw_godot_strings_init(&strings, bytes, event);
    while (!text->cut && gw_godot_strings_next(&strings, &string)) {
        if (string.role != GW_GODOT_STRING_ROLE_NAME_PART)
            gw_text_char(text, ':');
        else if (string.index)
            gw_text_char(text, '/');
        gw_text_escaped(text, bytes + string.text.offset, string.text.length);
    }
}

/* Prints an object that was sent as its instance id, as the engine's substitute object; its script, which the engine
 * prints after the id, is always null. */
static void put_object_id(gw_text *text, int64_t id)
{
    gw_text_string(text, "Object(EncodedObjectAsID,\"object_id\":");
    gw_text_signed(text, id);
    gw_text_char(text, ')');
}

/* Prints an Object that was sent without its properties: as its id (8 bytes, 0 for null), as null, or as the header
 * alone of Godot 2. */
static void put_object(const struct style *style, const gw_godot_event *event)
{
    /* A null object has no payload. */
    if (event->payload.length == 8 && event->number)
        put_object_id(style->text, event->number);
    else if (style->generation == GW_GODOT_2)
        gw_text_string(style->text, "Object()"); /* Godot 2 sends no more of any object */
    else
        gw_text_string(style->text, "null");
}

/* Prints a Signal. The engine prints "Signal()" for all signals, but the name and the object's id are on the wire. */
static void put_signal(const struct style *style, const gw_godot_event *event)
{
    gw_text_string(style->text, "Signal(");
    if (event->number || event->text.length) {
        put_object_id(style->text, event->number);
        gw_text_string(style->text, ", &");
        put_quoted(style, event->text);
    }
    gw_text_char(style->text, ')');
}

/* A number of 32 bits in the body of a value, and the text before it. */
struct labeled_word {
    const char *label;
    uint32_t word; /* its place in the body */
};

/* Prints words of the body of an Image or InputEvent, each after its label; `count`: the number of words. */
static void put_words(const struct style *style, const gw_godot_event *event, const struct labeled_word *words,
                      unsigned count)
{
    const uint8_t *body = style->bytes + event->header.offset + 4;
    for (unsigned i = 0; i < count; i++) {
        gw_text_string(style->text, words[i].label);
        gw_text_unsigned(style->text, gw_le32(body + 4 * (size_t)words[i].word));
    }
}

/* Prints a string array as a constructor call with its strings. */
static void put_string_array(const struct style *style, const gw_godot_event *event)
{
    gw_godot_strings strings;
    gw_godot_string string;
    put_call(style, event);
    gw_godot_strings_init(&strings, style->bytes, event);
    while (!style->text->cut && gw_godot_strings_next(&strings, &string)) {
        if (string.index)
            gw_text_string(style->text, ", ");
        put_quoted(style, string.text);
    }
    end_call(style);
}

/* Prints a composite or packed array as a constructor call with all its numbers in a row, as the engine does. */
static void put_composite(const struct style *style, const gw_godot_event *event)
{
    uint64_t numbers = gw_godot_components((gw_godot_type)event->type);
    if (event->kind == GW_PACKED)
        numbers *= event->count;
    put_call(style, event);
    for (uint32_t i = 0; i < numbers && !style->text->cut; i++) {
        if (i)
            gw_text_string(style->text, ", ");
        gw_godot_print_component(style->text, style->bytes, event, i);
    }
    end_call(style);
}

/* ---- containers ---------------------------------------------------------------------------------------- */

/* Prints the type that a container declares: a type's name, a class, or a script. `which`: as in
 * gw_godot_declaration_of(). */
void gw_godot_print_declaration(gw_text *text, const uint8_t *bytes, const gw_godot_event *event, uint32_t which)
{
    gw_godot_declaration declaration;
    gw_godot_declaration_of(bytes, event, which, &declaration);
    const uint8_t *name = bytes + declaration.text.offset;
    /* All kinds are listed: two bits have no other values. */
    switch ((gw_godot_container_kind)declaration.kind) {
    case GW_GODOT_BUILTIN:
        gw_text_string(text, gw_godot_type_name(GW_GODOT_4, (gw_godot_type)declaration.type));
        break;
    case GW_GODOT_CLASS:
        gw_text_escaped(text, name, declaration.text.length);
        break;
    case GW_GODOT_SCRIPT:
        gw_text_string(text, "Resource(");
        gw_godot_print_quoted(text, name, declaration.text.length);
        gw_text_char(text, ')');
        break;
    case GW_GODOT_UNTYPED:
        gw_text_string(text, "Variant");
        break;
    }
}

/* Prints the beginning of a container: its declared types, if it has any, and its bracket; of an object, its class. */
static void put_open(const struct style *style, const gw_godot_event *event)
{
    /* A typed container is in parentheses: "Array[int](" or "Dictionary[String, int](". */
    if (gw_godot_is_typed(style->generation, event)) {
        put_name(style, event);
        gw_text_char(style->text, '[');
        gw_godot_print_declaration(style->text, style->bytes, event, 0);
        if (event->type == GW_GODOT_DICTIONARY) {
            gw_text_string(style->text, ", ");
            gw_godot_print_declaration(style->text, style->bytes, event, 1);
        }
        gw_text_string(style->text, "](");
    }
    if (event->type == GW_GODOT_ARRAY) {
        gw_text_char(style->text, '[');
        put_blank(style);
    } else if (event->type == GW_GODOT_DICTIONARY) {
        gw_text_char(style->text, '{');
    } else {
        gw_text_string(style->text, "Object(");
        gw_text_escaped(style->text, style->bytes + event->text.offset, event->text.length);
    }
}

/* Prints the end of a container, as put_open() began it. */
static void put_close(const struct style *style, const gw_godot_event *event)
{
    if (event->type == GW_GODOT_ARRAY) {
        put_blank(style);
        gw_text_char(style->text, ']');
    } else {
        gw_text_char(style->text, event->type == GW_GODOT_DICTIONARY ? '}' : ')');
    }
    if (gw_godot_is_typed(style->generation, event))
        gw_text_char(style->text, ')');
}

/* The separator before an event. All roles are listed. */
static const char *separator_of(const gw_godot_event *event)
{
    if (event->kind == GW_CLOSE)
        return "";
    switch ((gw_godot_role)event->role) {
    case GW_GODOT_ROLE_ELEMENT:
    case GW_GODOT_ROLE_KEY:
        return event->index ? ", " : "";
    case GW_GODOT_ROLE_ENTRY:
        return ": ";
    case GW_GODOT_ROLE_PROPERTY_NAME:
        return ",";
    case GW_GODOT_ROLE_PROPERTY:
        return ":";
    case GW_GODOT_ROLE_ROOT:
        break;
    }
    return "";
}

/* Prints the number of a type that the generation does not have, and what the bytes at `offset` look like instead,
 * if that can be said. */
void gw_godot_print_unknown_type(gw_text *text, const uint8_t *bytes, size_t length, uint32_t offset,
                                 gw_godot_generation generation)
{
    uint32_t header = gw_le32(bytes + offset); /* is complete: a truncated header is another fault */
    uint32_t left = (uint32_t)(length - offset);
    gw_godot_type swapped = gw_godot_big_endian_type(generation, header);
    /* At least eight characters, or all of the bytes: fewer occur by chance. */
    bool is_text = swapped == GW_GODOT_TYPES;
    for (size_t i = offset; is_text && i < length && i < (size_t)offset + 8; i++)
        is_text = bytes[i] < 0x7F && (bytes[i] >= 0x20 || (bytes[i] >= '\t' && bytes[i] <= '\r'));
    gw_text_unsigned(text, generation == GW_GODOT_2 ? header : header & GW_GODOT_TYPE_MASK);
    if (swapped != GW_GODOT_TYPES) {
        gw_text_string(text, "; it is ");
        gw_text_string(text, gw_godot_type_name(generation, swapped));
        gw_text_string(text, " in big-endian order, but Variants are little-endian");
    } else if (is_text) {
        gw_text_string(text, "; the bytes look like text: \"");
        gw_text_escaped(text, bytes + offset, left < TEXT_SHOWN ? left : TEXT_SHOWN);
        gw_text_string(text, left > TEXT_SHOWN ? "…\"" : "\"");
    }
}

/* Godot 2. Their bodies begin with format, mipmaps, width, height and byte count; with type and device. */
static const struct labeled_word image[] = {
    { "Image( ", 2 }, { "x", 3 }, { ", format ", 0 }, { ", ", 1 }, { " mipmaps, ", 4 },
};
static const struct labeled_word input_event[] = { { "InputEvent( type ", 0 }, { ", device ", 1 } };

/* Prints a value that is not a container. An RID has its id only in Godot 4, and none if the id is 0; a Callable has no
 * content on the wire. */
static void put_value(const struct style *style, const gw_godot_event *event)
{
    gw_text *text = style->text;
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_NIL:
        gw_text_string(text, "null");
        break;
    case GW_GODOT_BOOL:
        gw_text_string(text, event->number ? "true" : "false");
        break;
    case GW_GODOT_INT:
        gw_text_signed(text, event->number);
        break;
    case GW_GODOT_FLOAT:
        put_float(style, event);
        break;
    case GW_GODOT_STRING_NAME:
        gw_text_char(text, '&');
        put_quoted(style, event->text);
        break;
    case GW_GODOT_STRING:
        put_quoted(style, event->text);
        break;
    case GW_GODOT_NODE_PATH:
        gw_text_string(text, "NodePath(\"");
        gw_godot_print_node_path(text, style->bytes, event);
        gw_text_string(text, "\")");
        break;
    case GW_GODOT_OBJECT:
        put_object(style, event);
        break;
    case GW_GODOT_RID:
        gw_text_string(text, "RID(");
        if (event->payload.length == 8 && event->number)
            gw_text_unsigned(text, (uint64_t)event->number);
        gw_text_char(text, ')');
        break;
    case GW_GODOT_CALLABLE:
        gw_text_string(text, "Callable()");
        break;
    case GW_GODOT_SIGNAL:
        put_signal(style, event);
        break;
    case GW_GODOT_IMAGE:
        put_words(style, event, image, sizeof image / sizeof *image);
        gw_text_string(text, " bytes )");
        break;
    case GW_GODOT_INPUT_EVENT:
        put_words(style, event, input_event, sizeof input_event / sizeof *input_event);
        gw_text_string(text, " )");
        break;
    case GW_GODOT_STRING_ARRAY:
        put_string_array(style, event);
        break;
    default: /* all other types consist of numbers */
        put_composite(style, event);
        break;
    }
}

/* Prints one event: a value, or the beginning or end of a container, without separators. */
void gw_godot_print_value(gw_text *text, const uint8_t *bytes, const gw_godot_event *event,
                          gw_godot_generation generation)
{
    const struct style style = { text, bytes, generation };
    if (event->kind == GW_OPEN)
        put_open(&style, event);
    else if (event->kind == GW_CLOSE)
        put_close(&style, event);
    else
        put_value(&style, event);
}

/* Prints a Variant as a literal, up to a fault, which is named in angle brackets. */
void gw_godot_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    static const char *const classes[] = {
        [GW_FAULT_NONE] = "",
        [GW_FAULT_TRUNCATED] = "<truncated>",
        [GW_FAULT_MALFORMED] = "<malformed>",
        [GW_FAULT_UNSUPPORTED] = "<unsupported>",
        [GW_FAULT_LIMIT] = "<too deep>",
    };
    gw_godot_generation generation = options && options->generation ? options->generation : GW_GODOT_4;
    gw_godot_reader reader;
    gw_godot_event event;
    gw_next next = GW_NEXT_END;
    gw_godot_init(&reader, bytes, length, options);
    while (!text->cut && (next = gw_godot_next(&reader, &event)) == GW_NEXT_EVENT) {
        gw_text_string(text, separator_of(&event));
        gw_godot_print_value(text, bytes, &event, generation);
    }
    if (next == GW_NEXT_FAULT)
        gw_text_string(text,
                       reader.fault.code == GW_GODOT_FAULT_TOO_LONG ? "<too long>" : classes[reader.fault.fault_class]);
}
