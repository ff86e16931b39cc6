/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The same table the other way round.
 */
#include "types.h"

#include <stddef.h>
#include <string.h>

void gw_godot_writer_init(gw_godot_writer *writer, gw_godot_generation generation, uint8_t *bytes, size_t size)
{
    gw_output_init(&writer->output, bytes, size);
    writer->generation = generation;
    writer->wide = false;
}

static void put_header(gw_godot_writer *writer, gw_godot_type type, uint32_t flags)
{
    int wire_type = gw_godot_wire_type(writer->generation, type);
    /* A type that the generation lacks becomes nil, as the engine does with what it cannot send. */
    gw_put_le32(&writer->output, wire_type < 0 ? 0 : (uint32_t)wire_type | flags);
}

/* Numbers 0 to 5 are the same everywhere: no search for the commonest types. */
static void put_common_header(gw_godot_writer *writer, uint32_t wire_type)
{
    gw_put_le32(&writer->output, wire_type);
}

static void put_text(gw_godot_writer *writer, const char *text, uint32_t length)
{
    gw_put_le32(&writer->output, length);
    gw_put_bytes(&writer->output, text, length);
    gw_put_zeros(&writer->output, gw_godot_padding(length));
}

void gw_godot_write_nil(gw_godot_writer *writer)
{
    put_common_header(writer, GW_GODOT_NIL);
}

void gw_godot_write_bool(gw_godot_writer *writer, bool value)
{
    put_common_header(writer, GW_GODOT_BOOL);
    gw_put_le32(&writer->output, value);
}

void gw_godot_write_int(gw_godot_writer *writer, int64_t value)
{
    bool narrow = value == (int32_t)value && !writer->wide;
    if (narrow || writer->generation == GW_GODOT_2) {
        put_common_header(writer, GW_GODOT_INT);
        gw_put_le32(&writer->output, (uint32_t)value);
    } else {
        put_common_header(writer, GW_GODOT_INT | GW_GODOT_FLAG_64);
        gw_put_le64(&writer->output, (uint64_t)value);
    }
}

void gw_godot_write_float(gw_godot_writer *writer, double value)
{
    /* Compared as numbers: NaN differs from itself and so goes wide, as the engine sends it (observed). */
    bool narrow = (double)(float)value <= value && (double)(float)value >= value;
    if (narrow || writer->generation == GW_GODOT_2) {
        put_common_header(writer, GW_GODOT_FLOAT);
        gw_put_le_float(&writer->output, (float)value);
    } else {
        put_common_header(writer, GW_GODOT_FLOAT | GW_GODOT_FLAG_64);
        gw_put_le_double(&writer->output, value);
    }
}

void gw_godot_write_text(gw_godot_writer *writer, gw_godot_type type, const char *text, uint32_t length)
{
    if (type == GW_GODOT_STRING)
        put_common_header(writer, GW_GODOT_STRING);
    else if (type != GW_GODOT_TYPES)
        put_header(writer, type, 0);
    put_text(writer, text, length);
}

/* Wide only what the generation's table lets widen. */
static bool is_wide(const gw_godot_writer *writer, gw_godot_type type)
{
    int wire_type = gw_godot_wire_type(writer->generation, type);
    return writer->wide && wire_type >= 0 && gw_godot_wire_table(writer->generation)[wire_type].flags;
}

static void put_reals(gw_godot_writer *writer, const double *reals, size_t count, bool wide)
{
    for (size_t i = 0; i < count; i++) {
        if (wide)
            gw_put_le_double(&writer->output, reals[i]);
        else
            gw_put_le_float(&writer->output, (float)reals[i]);
    }
}

void gw_godot_write_reals(gw_godot_writer *writer, gw_godot_type type, const double *components)
{
    bool wide = is_wide(writer, type);
    put_header(writer, type, wide ? GW_GODOT_FLAG_64 : 0);
    put_reals(writer, components, gw_godot_components(type), wide);
}

void gw_godot_write_integers(gw_godot_writer *writer, gw_godot_type type, const int32_t *components)
{
    put_header(writer, type, 0);
    for (uint32_t i = 0; i < gw_godot_components(type); i++)
        gw_put_le32(&writer->output, (uint32_t)components[i]);
}

void gw_godot_write_node_path(gw_godot_writer *writer, const gw_godot_node_path *path, const char *const *names)
{
    uint32_t texts = path->names + path->subnames + (path->flags & GW_GODOT_NODE_PATH_PROPERTY ? 1 : 0);
    put_header(writer, GW_GODOT_NODE_PATH, 0);
    gw_put_le32(&writer->output, path->names | GW_GODOT_NODE_PATH_NEW);
    gw_put_le32(&writer->output, path->subnames);
    gw_put_le32(&writer->output, path->flags);
    for (uint32_t i = 0; i < texts; i++)
        put_text(writer, names[i], (uint32_t)strlen(names[i]));
}

void gw_godot_write_old_node_path(gw_godot_writer *writer, const char *path, uint32_t length)
{
    put_header(writer, GW_GODOT_NODE_PATH, 0);
    put_text(writer, path, length);
}

void gw_godot_write_rid(gw_godot_writer *writer, uint64_t id)
{
    put_header(writer, GW_GODOT_RID, 0);
    if (writer->generation == GW_GODOT_4)
        gw_put_le64(&writer->output, id);
}

void gw_godot_write_object_id(gw_godot_writer *writer, uint64_t id)
{
    put_header(writer, GW_GODOT_OBJECT, GW_GODOT_FLAG_AS_ID);
    gw_put_le64(&writer->output, id);
}

void gw_godot_write_object(gw_godot_writer *writer, const char *class_name, uint32_t properties)
{
    put_header(writer, GW_GODOT_OBJECT, 0);
    put_text(writer, class_name, (uint32_t)strlen(class_name));
    gw_put_le32(&writer->output, properties);
}

void gw_godot_write_bare_object(gw_godot_writer *writer)
{
    put_header(writer, GW_GODOT_OBJECT, 0);
}

void gw_godot_write_callable(gw_godot_writer *writer)
{
    put_header(writer, GW_GODOT_CALLABLE, 0);
}

void gw_godot_write_signal(gw_godot_writer *writer, const char *name, uint32_t length, uint64_t id)
{
    put_header(writer, GW_GODOT_SIGNAL, 0);
    put_text(writer, name, length);
    gw_put_le64(&writer->output, id);
}

/* ---- containers -------------------------------------------------------------------------------------------------- */

static uint32_t kind_of(const gw_godot_typed *typed)
{
    return typed ? (uint32_t)typed->kind : GW_GODOT_UNTYPED;
}

static void put_declaration(gw_godot_writer *writer, const gw_godot_typed *typed)
{
    uint32_t kind = kind_of(typed);
    if (kind == GW_GODOT_BUILTIN)
        gw_put_le32(&writer->output, (uint32_t)gw_godot_wire_type(GW_GODOT_4, typed->type));
    else if (kind != GW_GODOT_UNTYPED)
        put_text(writer, typed->name, (uint32_t)strlen(typed->name));
}

static void put_count(gw_godot_writer *writer, uint32_t count, bool shared)
{
    gw_put_le32(&writer->output, shared ? count | GW_GODOT_COUNT_SHARED : count);
}

void gw_godot_write_array(gw_godot_writer *writer, const gw_godot_typed *element, uint32_t count, bool shared)
{
    put_header(writer, GW_GODOT_ARRAY, kind_of(element) << GW_GODOT_FLAG_SHIFT);
    put_declaration(writer, element);
    put_count(writer, count, shared);
}

void gw_godot_write_dictionary(gw_godot_writer *writer, const gw_godot_typed *key, const gw_godot_typed *value,
                               uint32_t count, bool shared)
{
    put_header(writer, GW_GODOT_DICTIONARY, (kind_of(key) | kind_of(value) << 2) << GW_GODOT_FLAG_SHIFT);
    put_declaration(writer, key);
    put_declaration(writer, value);
    put_count(writer, count, shared);
}

/* ---- packed arrays ------------------------------------------------------------------------------------------------ */

static void put_padded(gw_godot_writer *writer, const uint8_t *bytes, uint32_t count)
{
    gw_put_le32(&writer->output, count);
    gw_put_bytes(&writer->output, bytes, count);
    gw_put_zeros(&writer->output, gw_godot_padding(count));
}

void gw_godot_write_byte_array(gw_godot_writer *writer, const uint8_t *elements, uint32_t count)
{
    put_header(writer, GW_GODOT_BYTE_ARRAY, 0);
    put_padded(writer, elements, count);
}

void gw_godot_write_integer_array(gw_godot_writer *writer, gw_godot_type type, const int64_t *elements,
                                  uint32_t count)
{
    put_header(writer, type, 0);
    gw_put_le32(&writer->output, count);
    for (uint32_t i = 0; i < count; i++) {
        if (type == GW_GODOT_INT64_ARRAY)
            gw_put_le64(&writer->output, (uint64_t)elements[i]);
        else
            gw_put_le32(&writer->output, (uint32_t)elements[i]);
    }
}

void gw_godot_write_real_array(gw_godot_writer *writer, gw_godot_type type, const double *components,
                               uint32_t count)
{
    bool flagged = is_wide(writer, type);
    put_header(writer, type, flagged ? GW_GODOT_FLAG_64 : 0);
    gw_put_le32(&writer->output, count);
    put_reals(writer, components, (size_t)count * gw_godot_components(type),
              flagged || type == GW_GODOT_FLOAT64_ARRAY);
}

void gw_godot_write_string_array(gw_godot_writer *writer, const char *const *strings, uint32_t count)
{
    put_header(writer, GW_GODOT_STRING_ARRAY, 0);
    gw_put_le32(&writer->output, count);
    for (uint32_t i = 0; i < count; i++)
        put_text(writer, strings[i], (uint32_t)strlen(strings[i]) + 1); /* its NUL is counted in */
}

/* ---- Godot 2 -------------------------------------------------------------------------------------------------------- */

void gw_godot_write_image(gw_godot_writer *writer, const gw_godot_image *image, const uint8_t *pixels,
                          uint32_t count)
{
    put_header(writer, GW_GODOT_IMAGE, 0);
    gw_put_le32(&writer->output, image->format);
    gw_put_le32(&writer->output, image->mipmaps);
    gw_put_le32(&writer->output, image->width);
    gw_put_le32(&writer->output, image->height);
    put_padded(writer, pixels, count);
}

void gw_godot_write_input_event(gw_godot_writer *writer, uint32_t event, uint32_t device, const uint32_t *details,
                                uint32_t count)
{
    put_header(writer, GW_GODOT_INPUT_EVENT, 0);
    gw_put_le32(&writer->output, event);
    gw_put_le32(&writer->output, device);
    gw_put_le32(&writer->output, GW_GODOT_INPUT_EVENT_HEAD + 4 * count);
    for (uint32_t i = 0; i < count; i++)
        gw_put_le32(&writer->output, details[i]);
}
