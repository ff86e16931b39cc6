/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The same table the other way round. The writer also counts the members that are due in open containers. A container
 * is closed when its last member begins, so that each one on the stack lacks a member and no more than one closes at a
 * time.
 */
#include "internal.h"

#include <stddef.h>
#include <string.h>

/* Starts an empty output of at most `size` bytes. The caller may then set writer->wide, for
 * numbers of 64 bits. */
void gw_godot_writer_init(gw_godot_writer *writer, gw_godot_generation generation, uint8_t *bytes, size_t size)
{
    gw_output_init(&writer->output, bytes, size);
    writer->generation = generation == GW_GODOT_ANY ? GW_GODOT_4 : generation;
    writer->wide = false;
    writer->array = (uint8_t)gw_godot_wire_type(writer->generation, GW_GODOT_ARRAY);
    writer->dictionary = (uint8_t)gw_godot_wire_type(writer->generation, GW_GODOT_DICTIONARY);
    writer->unnamed = 0;
    writer->depth = 0;
}

/* ---- members that are due ------------------------------------------------------------------------------ */

/* Counts a member for which count_value() is not sufficient: a property name, or a value that is the last of its
 * container, in a full object or at the root. Ends the container with its last member, and continues to count in the
 * outer one. A name where a value is due, or the reverse, is a misuse. */
static NEVER_INLINE void count_with_care(gw_godot_writer *writer, bool is_name)
{
    /* At the root, any number of values may follow each other. */
    if (!writer->depth)
        return;
    gw_godot_due *container = &writer->open[writer->depth - 1];
    /* In a full object a name is due if an even number of members is. */
    if (is_name != (container->named && !(container->members & 1U)))
        writer->output.misused = true;
    /* While a container without names is the innermost one, its members are counted in writer->unnamed. */
    if (!container->named)
        container->members = writer->unnamed;
    container->members--;
    /* The container ends with its last member. output.due remains true while another container is open. */
    if (!container->members)
        writer->output.due = --writer->depth;
    container = writer->depth ? &writer->open[writer->depth - 1] : NULL;
    writer->unnamed = container && !container->named ? container->members : 0;
}

/* Counts a value among the members that are due: call it once for each. The frequent types call it last, so that
 * they need not save registers. writer->unnamed is the number of members due in the innermost container, unless this
 * is a full object. */
static ALWAYS_INLINE void count_value(gw_godot_writer *writer)
{
    if (writer->unnamed > 1)
        writer->unnamed--;
    else
        count_with_care(writer, false);
}

/* Counts a container as a value, and opens it unless it is empty: `count` members are due, or pairs if `paired` is
 * 1. `named`: the pairs are names and properties of a full object. A count that has the bit of shared containers, or
 * a container that is too deep, is a misuse, and not opened. */
static NEVER_INLINE void open_container(gw_godot_writer *writer, uint32_t count, uint32_t paired, bool named)
{
    count_value(writer);
    if (count & GW_GODOT_COUNT_SHARED || (count && writer->depth == GW_GODOT_DEPTH)) {
        writer->output.misused = true;
        return;
    }
    if (!count)
        return;
    gw_godot_due *container = &writer->open[writer->depth];
    /* The outer container is no longer the innermost one: its count is stored. */
    if (writer->unnamed)
        container[-1].members = writer->unnamed;
    container->members = count << paired;
    container->named = named;
    writer->depth++;
    writer->unnamed = named ? 0 : count << paired;
    writer->output.due = true;
}

/* Counts the value that the calling function is about to write. `type_fits`: its type is one that this function
 * writes; if not, it is a misuse: writes nil in its place, and returns false. */
static bool fits(gw_godot_writer *writer, bool type_fits)
{
    count_value(writer);
    if (!type_fits) {
        writer->output.misused = true;
        gw_put_le32(&writer->output, GW_GODOT_NIL);
    }
    return type_fits;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Writes the header of a type. A type that the generation does not have becomes nil, as in the engine: returns false
 * then, and no body may follow. */
static bool put_type(gw_godot_writer *writer, gw_godot_type type, uint32_t flags)
{
    int wire_type = gw_godot_wire_type(writer->generation, type);
    gw_put_le32(&writer->output, wire_type < 0 ? GW_GODOT_NIL : (uint32_t)wire_type | flags);
    return wire_type >= 0;
}

/* Writes a header by its number on the wire. Numbers 0 to 5 are the same in all generations: the most frequent types
 * need no search for it. */
static ALWAYS_INLINE void put_common_header(gw_godot_writer *writer, uint32_t wire_type)
{
    gw_put_le32(&writer->output, wire_type);
}

/* Writes a header of the most frequent types and the word after it, with one test for the space of both. */
static ALWAYS_INLINE void put_common_word(gw_godot_writer *writer, uint32_t wire_type, uint32_t word)
{
    uint8_t *to = gw_output_take(&writer->output, 8);
    if (to) {
        gw_store_le32(to, wire_type);
        gw_store_le32(to + 4, word);
    }
}

/* Writes the bytes of a text and its padding. */
static ALWAYS_INLINE void put_text_bytes(gw_godot_writer *writer, const char *text, uint32_t length)
{
    uint32_t padding = gw_godot_padding(length);
    uint8_t *to = gw_output_take(&writer->output, (size_t)length + padding);
    if (!to || !length)
        return;
    /* The last word is written first, so that its bytes after the text are zero. */
    gw_store_le32(to + length + padding - 4, 0);
    memcpy(to, text, length);
}

/* Writes a text: its length, bytes and padding. */
static void put_text(gw_godot_writer *writer, const char *text, uint32_t length)
{
    gw_put_le32(&writer->output, length);
    put_text_bytes(writer, text, length);
}

void gw_godot_write_nil(gw_godot_writer *writer)
{
    put_common_header(writer, GW_GODOT_NIL);
    count_value(writer);
}

void gw_godot_write_bool(gw_godot_writer *writer, bool value)
{
    put_common_word(writer, GW_GODOT_BOOL, value);
    count_value(writer);
}

/* Writes an int as the generation's engine does: in 32 bits if it fits, else in 64; Godot 2 always in 32. */
void gw_godot_write_int(gw_godot_writer *writer, int64_t value)
{
    /* Godot 3.0 writes each int in 64 bits. */
    bool narrow = value == (int32_t)value && !(writer->wide && writer->generation == GW_GODOT_3);
    if (narrow || writer->generation == GW_GODOT_2) {
        put_common_word(writer, GW_GODOT_INT, (uint32_t)value);
    } else {
        put_common_header(writer, GW_GODOT_INT | GW_GODOT_FLAG_64);
        gw_put_le64(&writer->output, (uint64_t)value);
    }
    count_value(writer);
}

/* Writes a float in 32 bits if that is exact, else in 64; Godot 2 always in 32. */
void gw_godot_write_float(gw_godot_writer *writer, double value)
{
    /* Compared as numbers: NaN differs from itself and is therefore written in 64 bits, as by the engine (observed). */
    bool narrow = (double)(float)value <= value && (double)(float)value >= value;
    if (narrow || writer->generation == GW_GODOT_2) {
        put_common_word(writer, GW_GODOT_FLOAT, gw_float_bits((float)value));
    } else {
        put_common_header(writer, GW_GODOT_FLOAT | GW_GODOT_FLAG_64);
        gw_put_le_double(&writer->output, value);
    }
    count_value(writer);
}

/* Writes any text for gw_godot_write_text() except its most frequent case. `type`: GW_GODOT_STRING or
 * GW_GODOT_STRING_NAME; GW_GODOT_TYPES for a property name, which has no header and is due where a name is; or
 * GW_GODOT_OBJECT with length 0 for the null object, which on the wire is an empty class name. */
static NEVER_INLINE void write_text_with_care(gw_godot_writer *writer, gw_godot_type type, const char *text,
                                              uint32_t length)
{
    bool type_fits = type == GW_GODOT_STRING || type == GW_GODOT_STRING_NAME || (type == GW_GODOT_OBJECT && !length);
    if (type == GW_GODOT_TYPES)
        count_with_care(writer, true); /* true: a name; output.misused stores a misuse */
    else if (!fits(writer, type_fits) || !put_type(writer, type, 0))
        return;
    put_text(writer, text, length);
}

/* Writes a text of one of the types that are texts. The most frequent case, a String that is not the last member of an
 * array or dictionary (writer->unnamed is above 1), is written here; write_text_with_care() writes the others. */
void gw_godot_write_text(gw_godot_writer *writer, gw_godot_type type, const char *text, uint32_t length)
{
    if (type != GW_GODOT_STRING || writer->unnamed <= 1) {
        write_text_with_care(writer, type, text, length);
        return;
    }
    writer->unnamed--;
    put_common_word(writer, GW_GODOT_STRING, length);
    put_text_bytes(writer, text, length);
}

/* True for the types of a fixed number of components: vectors, rectangles, transforms, colors ... */
static bool is_composite(gw_godot_type type, bool integers)
{
    return type >= GW_GODOT_VECTOR2 && type <= GW_GODOT_COLOR && gw_godot_components_are_integers(type) == integers;
}

/* True if numbers are to be written in 64 bits: if the writer is wide, and the type has this form in the generation. */
static bool is_wide(const gw_godot_writer *writer, gw_godot_type type)
{
    int wire_type = gw_godot_wire_type(writer->generation, type);
    return writer->wide && wire_type >= 0 && gw_godot_wire_table(writer->generation)[wire_type].flags;
}

/* Writes `count` floats without a header: in 32 bits, rounded as by a cast, or, if `wide`, in 64 bits. */
static void put_reals(gw_godot_writer *writer, const double *reals, size_t count, bool wide)
{
    for (size_t i = 0; i < count; i++) {
        if (wide)
            gw_put_le_double(&writer->output, reals[i]);
        else
            gw_put_le_float(&writer->output, (float)reals[i]);
    }
}

/* Writes a value that consists of floats, such as a vector. */
void gw_godot_write_reals(gw_godot_writer *writer, gw_godot_type type, const double *components)
{
    bool wide = is_wide(writer, type);
    if (fits(writer, is_composite(type, false)) && put_type(writer, type, wide ? GW_GODOT_FLAG_64 : 0))
        put_reals(writer, components, gw_godot_components(type), wide);
}

/* Writes a value that consists of integers, such as an integer vector. */
void gw_godot_write_integers(gw_godot_writer *writer, gw_godot_type type, const int32_t *components)
{
    if (!fits(writer, is_composite(type, true)) || !put_type(writer, type, 0))
        return;
    for (uint32_t i = 0; i < gw_godot_components(type); i++)
        gw_put_le32(&writer->output, (uint32_t)components[i]);
}

/* Writes a NodePath; `names`: its names, subnames and property, one after the other. */
void gw_godot_write_node_path(gw_godot_writer *writer, const gw_godot_node_path *path, const char *const *names)
{
    uint32_t texts = path->names + path->subnames + (path->flags & GW_GODOT_NODE_PATH_PROPERTY ? 1 : 0);
    count_value(writer);
    put_type(writer, GW_GODOT_NODE_PATH, 0);
    gw_put_le32(&writer->output, path->names | GW_GODOT_NODE_PATH_NEW);
    gw_put_le32(&writer->output, path->subnames);
    gw_put_le32(&writer->output, path->flags);
    for (uint32_t i = 0; i < texts; i++)
        put_text(writer, names[i], (uint32_t)strlen(names[i]));
}

/* Writes a NodePath in the old format: one text. */
void gw_godot_write_old_node_path(gw_godot_writer *writer, const char *path, uint32_t length)
{
    count_value(writer);
    put_type(writer, GW_GODOT_NODE_PATH, 0);
    put_text(writer, path, length);
}

/* Writes an RID, whose id only Godot 4 sends. */
void gw_godot_write_rid(gw_godot_writer *writer, uint64_t id)
{
    count_value(writer);
    put_type(writer, GW_GODOT_RID, 0);
    if (writer->generation == GW_GODOT_4)
        gw_put_le64(&writer->output, id);
}

/* Writes an Object as its instance id. For Godot 2, the header alone: its engine sends nothing else of an object. */
void gw_godot_write_object_id(gw_godot_writer *writer, uint64_t id)
{
    if (writer->generation == GW_GODOT_2) {
        gw_godot_write_bare_object(writer);
        return;
    }
    count_value(writer);
    put_type(writer, GW_GODOT_OBJECT, GW_GODOT_FLAG_AS_ID);
    gw_put_le64(&writer->output, id);
}

/* Writes the head of an Object with its class, and opens it: its properties, as pairs of name and value, are to be
 * written next. For Godot 2 it is a misuse, and writes the header alone: its engine sends nothing else of an object. */
void gw_godot_write_object(gw_godot_writer *writer, const char *class_name, uint32_t properties)
{
    if (writer->generation == GW_GODOT_2) {
        writer->output.misused = true;
        gw_godot_write_bare_object(writer);
        return;
    }
    put_type(writer, GW_GODOT_OBJECT, 0);
    put_text(writer, class_name, (uint32_t)strlen(class_name));
    gw_put_le32(&writer->output, properties);
    open_container(writer, properties, 1, true);
}

/* Writes an Object as a header alone. */
void gw_godot_write_bare_object(gw_godot_writer *writer)
{
    count_value(writer);
    put_type(writer, GW_GODOT_OBJECT, 0);
}

void gw_godot_write_callable(gw_godot_writer *writer)
{
    count_value(writer);
    put_type(writer, GW_GODOT_CALLABLE, 0);
}

/* Writes a Signal: its name of `length` bytes, and the instance id of its object. For Godot 2 and 3, which do not have
 * the type, nil. */
void gw_godot_write_signal(gw_godot_writer *writer, const char *name, uint32_t length, uint64_t id)
{
    count_value(writer);
    if (!put_type(writer, GW_GODOT_SIGNAL, 0))
        return;
    put_text(writer, name, length);
    gw_put_le64(&writer->output, id);
}

/* ---- containers ---------------------------------------------------------------------------------------- */

/* The kind of a container's declaration. In Godot 2 and 3 typed containers are written as untyped ones. */
static uint32_t kind_of(const gw_godot_writer *writer, const gw_godot_typed *typed)
{
    return typed && writer->generation == GW_GODOT_4 ? (uint32_t)typed->kind : GW_GODOT_UNTYPED;
}

/* Writes the declared type of an element, key or value; nothing for an untyped one. */
static void put_declaration(gw_godot_writer *writer, const gw_godot_typed *typed)
{
    uint32_t kind = kind_of(writer, typed);
    if (kind == GW_GODOT_BUILTIN)
        put_type(writer, typed->type, 0);
    else if (kind != GW_GODOT_UNTYPED)
        put_text(writer, typed->name, (uint32_t)strlen(typed->name));
}

/* Writes the head of a container: its header, with two bits for the kind of each declared type, the declared types and
 * the count. `first`: the declared type of the elements or keys, `second` of a dictionary's values, or NULL. Without
 * them, which is the frequent case, only a header and the count are written. */
static void write_container(gw_godot_writer *writer, uint32_t wire_type, const gw_godot_typed *first,
                            const gw_godot_typed *second, uint32_t count)
{
    uint32_t kinds = kind_of(writer, first) | kind_of(writer, second) << 2;
    if (!kinds) {
        put_common_word(writer, wire_type, count);
        return;
    }
    put_common_header(writer, wire_type | kinds << GW_GODOT_FLAG_SHIFT);
    put_declaration(writer, first);
    put_declaration(writer, second);
    gw_put_le32(&writer->output, count);
}

/* Writes the head of an Array, and opens it. `element`: its declared type; NULL: none. `shared`: the bit of Godot 2. */
void gw_godot_write_array(gw_godot_writer *writer, const gw_godot_typed *element, uint32_t count, bool shared)
{
    write_container(writer, writer->array, element, NULL, shared ? count | GW_GODOT_COUNT_SHARED : count);
    open_container(writer, count, 0, false);
}

/* Writes the head of a Dictionary of `count` pairs, and opens it. `key` and `value`: their declared types; NULL: none.
 * `shared`: the bit of Godot 2. */
void gw_godot_write_dictionary(gw_godot_writer *writer, const gw_godot_typed *key, const gw_godot_typed *value,
                               uint32_t count, bool shared)
{
    write_container(writer, writer->dictionary, key, value, shared ? count | GW_GODOT_COUNT_SHARED : count);
    open_container(writer, count, 1, false);
}

/* ---- packed arrays ------------------------------------------------------------------------------------- */

/* Writes a count, this number of bytes, and their padding. */
static void put_padded(gw_godot_writer *writer, const uint8_t *bytes, uint32_t count)
{
    gw_put_le32(&writer->output, count);
    gw_put_bytes(&writer->output, bytes, count);
    gw_put_zeros(&writer->output, gw_godot_padding(count));
}

/* Writes a packed array of bytes: their count, the bytes, and padding. */
void gw_godot_write_byte_array(gw_godot_writer *writer, const uint8_t *elements, uint32_t count)
{
    count_value(writer);
    put_type(writer, GW_GODOT_BYTE_ARRAY, 0);
    put_padded(writer, elements, count);
}

/* Writes a packed array of integers. `type`: GW_GODOT_INT64_ARRAY, or GW_GODOT_INT32_ARRAY, which has the low 32 bits
 * of each element; any other is a misuse. */
void gw_godot_write_integer_array(gw_godot_writer *writer, gw_godot_type type, const int64_t *elements, uint32_t count)
{
    bool type_fits = type == GW_GODOT_INT32_ARRAY || type == GW_GODOT_INT64_ARRAY;
    if (!fits(writer, type_fits) || !put_type(writer, type, 0))
        return;
    gw_put_le32(&writer->output, count);
    for (uint32_t i = 0; i < count; i++) {
        if (type == GW_GODOT_INT64_ARRAY)
            gw_put_le64(&writer->output, (uint64_t)elements[i]);
        else
            gw_put_le32(&writer->output, (uint32_t)elements[i]);
    }
}

/* Writes a packed array of floats, vectors or colors; another type is a misuse. `count`: its elements, each of which
 * has the components of its type. A float array's type determines its width; vector arrays of a wide writer for
 * Godot 4 have 64 bits, and the header's flag. */
void gw_godot_write_real_array(gw_godot_writer *writer, gw_godot_type type, const double *components, uint32_t count)
{
    bool flagged = is_wide(writer, type);
    bool type_fits = type >= GW_GODOT_FLOAT32_ARRAY && type <= GW_GODOT_VECTOR4_ARRAY && type != GW_GODOT_STRING_ARRAY;
    if (!fits(writer, type_fits) || !put_type(writer, type, flagged ? GW_GODOT_FLAG_64 : 0))
        return;
    gw_put_le32(&writer->output, count);
    put_reals(writer, components, (size_t)count * gw_godot_components(type), flagged || type == GW_GODOT_FLOAT64_ARRAY);
}

/* Writes a packed array of strings: the length of each, its bytes with the NUL at its end, and padding. */
void gw_godot_write_string_array(gw_godot_writer *writer, const char *const *strings, uint32_t count)
{
    count_value(writer);
    put_type(writer, GW_GODOT_STRING_ARRAY, 0);
    gw_put_le32(&writer->output, count);
    for (uint32_t i = 0; i < count; i++)
        put_text(writer, strings[i], (uint32_t)strlen(strings[i]) + 1); /* its NUL is counted in */
}

/* ---- Godot 2 ------------------------------------------------------------------------------------------- */

/* Writes an Image of Godot 2: its format and size, and `count` bytes of pixels with padding; for other generations,
 * which do not have the type, nil. */
void gw_godot_write_image(gw_godot_writer *writer, const gw_godot_image *image, const uint8_t *pixels, uint32_t count)
{
    count_value(writer);
    if (!put_type(writer, GW_GODOT_IMAGE, 0))
        return;
    gw_put_le32(&writer->output, image->format);
    gw_put_le32(&writer->output, image->mipmaps);
    gw_put_le32(&writer->output, image->width);
    gw_put_le32(&writer->output, image->height);
    put_padded(writer, pixels, count);
}

/* Writes an InputEvent of Godot 2: its number, the device, the length of head and details, and the details; for other
 * generations, nil. `count`: words of the details. */
void gw_godot_write_input_event(gw_godot_writer *writer, uint32_t event, uint32_t device, const uint32_t *details,
                                uint32_t count)
{
    count_value(writer);
    if (!put_type(writer, GW_GODOT_INPUT_EVENT, 0))
        return;
    gw_put_le32(&writer->output, event);
    gw_put_le32(&writer->output, device);
    gw_put_le32(&writer->output, GW_GODOT_INPUT_EVENT_HEAD + 4 * count);
    for (uint32_t i = 0; i < count; i++)
        gw_put_le32(&writer->output, details[i]);
}
