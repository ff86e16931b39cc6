/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each event of the reader into a call of the writer.
 */
#include "rewriting.h"

#include "reading.h"

#define MAX_STRINGS 512
#define MAX_NUMBERS 8192

/* NUL-terminated copies of spans, for writers that require C strings. */
struct copies {
    char *strings[MAX_STRINGS];
    uint32_t count;
};

static char *copy(struct copies *copies, const uint8_t *bytes, gw_span span)
{
    char *string = malloc(span.length + 1);
    assert_non_null(string);
    assert_true(copies->count < MAX_STRINGS);
    memcpy(string, bytes + span.offset, span.length);
    string[span.length] = '\0';
    return copies->strings[copies->count++] = string;
}

static void free_copies(struct copies *copies)
{
    while (copies->count)
        free(copies->strings[--copies->count]);
}

static void copy_strings(struct copies *copies, const uint8_t *bytes, const gw_godot_event *event)
{
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_strings_init(&strings, bytes, event);
    while (gw_godot_strings_next(&strings, &string))
        copy(copies, bytes, string.text);
}

static void rewrite_strings(gw_godot_writer *writer, const uint8_t *bytes, const gw_godot_event *event)
{
    struct copies copies = { .count = 0 };
    gw_godot_node_path path;
    copy_strings(&copies, bytes, event);
    if (event->type == GW_GODOT_STRING_ARRAY)
        gw_godot_write_string_array(writer, (const char *const *)copies.strings, copies.count);
    else if (gw_godot_node_path_of(bytes, event, &path))
        gw_godot_write_node_path(writer, &path, (const char *const *)copies.strings);
    else
        gw_godot_write_old_node_path(writer, (const char *)bytes + event->text.offset, event->text.length);
    free_copies(&copies);
}

static void rewrite_reals(gw_godot_writer *writer, const uint8_t *bytes, const gw_godot_event *event)
{
    static double reals[MAX_NUMBERS];
    uint32_t numbers = gw_godot_components((gw_godot_type)event->type);
    numbers *= event->kind == GW_PACKED ? event->count : 1;
    assert_true(numbers <= MAX_NUMBERS);
    for (uint32_t i = 0; i < numbers; i++)
        reals[i] = gw_godot_real_at(bytes, event, i);
    writer->wide = event->header_word & GW_GODOT_FLAG_64;
    if (event->kind == GW_PACKED)
        gw_godot_write_real_array(writer, (gw_godot_type)event->type, reals, event->count);
    else
        gw_godot_write_reals(writer, (gw_godot_type)event->type, reals);
}

/* The writer has the wide form of a small int in Godot 3 alone. */
static void rewrite_int(gw_godot_writer *writer, const gw_godot_event *event)
{
    gw_godot_generation generation = writer->generation;
    if (event->odd & GW_GODOT_ODD_WIDE) {
        writer->generation = GW_GODOT_3;
        writer->wide = true;
    }
    gw_godot_write_int(writer, event->number);
    writer->generation = generation;
}

static void rewrite_integers(gw_godot_writer *writer, const uint8_t *bytes, const gw_godot_event *event)
{
    static int64_t integers[MAX_NUMBERS];
    int32_t components[4];
    if (event->kind == GW_PACKED) {
        assert_true(event->count <= MAX_NUMBERS);
        for (uint32_t i = 0; i < event->count; i++)
            integers[i] = gw_godot_integer_at(bytes, event, i);
        gw_godot_write_integer_array(writer, (gw_godot_type)event->type, integers, event->count);
        return;
    }
    for (uint32_t i = 0; i < gw_godot_components((gw_godot_type)event->type); i++)
        components[i] = (int32_t)gw_godot_integer_at(bytes, event, i);
    gw_godot_write_integers(writer, (gw_godot_type)event->type, components);
}

static void rewrite_object(gw_godot_writer *writer, struct copies *copies, const uint8_t *bytes,
                           const gw_godot_event *event)
{
    if (event->kind == GW_OPEN)
        gw_godot_write_object(writer, copy(copies, bytes, event->text), event->count);
    else if (event->payload.length == 8)
        gw_godot_write_object_id(writer, event->number);
    else if (event->header.length == 8)
        gw_godot_write_text(writer, GW_GODOT_OBJECT, "", 0);
    else
        gw_godot_write_bare_object(writer);
}

static gw_godot_typed typed_of(struct copies *copies, const uint8_t *bytes, const gw_godot_event *event, uint32_t which)
{
    gw_godot_declaration declared;
    gw_godot_declaration_of(bytes, event, which, &declared);
    gw_godot_typed typed = { (gw_godot_container_kind)declared.kind, (gw_godot_type)declared.type, NULL };
    if (declared.kind == GW_GODOT_CLASS || declared.kind == GW_GODOT_SCRIPT)
        typed.name = copy(copies, bytes, declared.text);
    return typed;
}

static void rewrite_open(gw_godot_writer *writer, const uint8_t *bytes, const gw_godot_event *event)
{
    struct copies copies = { .count = 0 };
    bool shared = gw_le32(bytes + event->payload.offset - 4) & GW_GODOT_COUNT_SHARED;
    gw_godot_typed first = typed_of(&copies, bytes, event, 0);
    gw_godot_typed second = typed_of(&copies, bytes, event, 1);
    if (event->type == GW_GODOT_ARRAY)
        gw_godot_write_array(writer, &first, event->count, shared);
    else if (event->type == GW_GODOT_DICTIONARY)
        gw_godot_write_dictionary(writer, &first, &second, event->count, shared);
    else
        rewrite_object(writer, &copies, bytes, event);
    free_copies(&copies);
}

static void rewrite_input_event(gw_godot_writer *writer, const uint8_t *bytes, const gw_godot_event *event)
{
    uint32_t details[8];
    uint32_t count = event->payload.length / 4;
    assert_true(count <= COUNT_OF(details));
    for (uint32_t i = 0; i < count; i++)
        details[i] = gw_le32(bytes + event->payload.offset + 4 * i);
    gw_godot_write_input_event(writer, gw_le32(bytes + event->header.offset + 4),
                               gw_le32(bytes + event->header.offset + 4 + 4), details, count);
}

static void rewrite_image(gw_godot_writer *writer, const uint8_t *bytes, const gw_godot_event *event)
{
    const uint8_t *body = bytes + event->header.offset + 4;
    const gw_godot_image image = { gw_le32(body), gw_le32(body + 4), gw_le32(body + 8), gw_le32(body + 12) };
    gw_godot_write_image(writer, &image, bytes + event->payload.offset, event->count);
}

static void rewrite_value(gw_godot_writer *writer, const uint8_t *bytes, const gw_godot_event *event)
{
    gw_godot_type type = (gw_godot_type)event->type;
    const char *text = (const char *)bytes + event->text.offset;
    switch (type) {
    case GW_GODOT_NIL:
        gw_godot_write_nil(writer);
        break;
    case GW_GODOT_BOOL:
        gw_godot_write_bool(writer, event->number != 0);
        break;
    case GW_GODOT_INT:
        rewrite_int(writer, event);
        break;
    case GW_GODOT_FLOAT:
        gw_godot_write_float(writer, event->real);
        break;
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        gw_godot_write_text(writer, event->role == GW_GODOT_ROLE_PROPERTY_NAME ? GW_GODOT_TYPES : type, text,
                            event->text.length);
        break;
    case GW_GODOT_NODE_PATH:
    case GW_GODOT_STRING_ARRAY:
        rewrite_strings(writer, bytes, event);
        break;
    case GW_GODOT_RID:
        gw_godot_write_rid(writer, event->payload.length ? event->number : 0);
        break;
    case GW_GODOT_OBJECT:
        rewrite_object(writer, NULL, bytes, event);
        break;
    case GW_GODOT_CALLABLE:
        gw_godot_write_callable(writer);
        break;
    case GW_GODOT_SIGNAL:
        gw_godot_write_signal(writer, text, event->text.length, event->number);
        break;
    case GW_GODOT_BYTE_ARRAY:
        gw_godot_write_byte_array(writer, bytes + event->payload.offset, event->count);
        break;
    case GW_GODOT_IMAGE:
        rewrite_image(writer, bytes, event);
        break;
    case GW_GODOT_INPUT_EVENT:
        rewrite_input_event(writer, bytes, event);
        break;
    default:
        if (gw_godot_components_are_integers(type))
            rewrite_integers(writer, bytes, event);
        else
            rewrite_reals(writer, bytes, event);
    }
}

void rewrite_event(gw_godot_writer *writer, const uint8_t *bytes, const gw_godot_event *event)
{
    writer->wide = false;
    if (event->kind == GW_OPEN)
        rewrite_open(writer, bytes, event);
    else if (event->kind != GW_CLOSE)
        rewrite_value(writer, bytes, event);
}

void rewrite(gw_godot_writer *writer, const uint8_t *bytes, size_t length)
{
    const gw_godot_options options = { .generation = writer->generation };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_init(&reader, bytes, length, &options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT)
        rewrite_event(writer, bytes, &event);
    assert_int_equal(reader.fault.fault_class, GW_FAULT_NONE);
}
