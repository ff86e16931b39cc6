/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the reader makes of some bytes, written again and read again, is the same; and what is written of that is
 * the same to the byte.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <gamewire/godot.h>

static const gw_godot_options readings[] = {
    { .generation = GW_GODOT_2 },
    { .generation = GW_GODOT_3 },
    { .generation = GW_GODOT_4 },
    { .generation = GW_GODOT_4, .bare_objects = true },
};

/* The writer takes most texts as C strings. */
#define NOT_KEPT GW_GODOT_ODD_NUL

/* Whether an object's header is alone depends on what follows it, so that nothing there may change. */
static bool is_kept(const gw_godot_options *options, uint32_t odd)
{
    return !(odd & (options->bare_objects ? ~(uint32_t)GW_GODOT_ODD_BARE_OBJECT : NOT_KEPT));
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

struct copy {
    gw_godot_writer writer;
    const uint8_t *bytes;
    const gw_godot_event *event;
};

static char *text_of(const struct copy *copy, gw_span span)
{
    char *text = allocate((size_t)span.length + 1);
    memcpy(text, copy->bytes + span.offset, span.length);
    text[span.length] = '\0';
    return text;
}

static void copy_strings(struct copy *copy)
{
    const gw_godot_event *event = copy->event;
    char **texts = allocate((size_t)event->count * sizeof *texts);
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_node_path path;
    uint32_t count = 0;
    gw_godot_strings_init(&strings, copy->bytes, event);
    while (gw_godot_strings_next(&strings, &string))
        texts[count++] = text_of(copy, string.text);
    if (event->type == GW_GODOT_STRING_ARRAY) {
        gw_godot_write_string_array(&copy->writer, (const char *const *)texts, count);
    } else {
        gw_godot_node_path_of(copy->bytes, event, &path);
        gw_godot_write_node_path(&copy->writer, &path, (const char *const *)texts);
    }
    while (count)
        free(texts[--count]);
    free(texts);
}

static void copy_node_path(struct copy *copy)
{
    gw_godot_node_path path;
    const gw_span text = copy->event->text;
    if (gw_godot_node_path_of(copy->bytes, copy->event, &path))
        copy_strings(copy);
    else
        gw_godot_write_old_node_path(&copy->writer, (const char *)copy->bytes + text.offset, text.length);
}

static void copy_reals(struct copy *copy, uint32_t count, bool packed)
{
    gw_godot_type type = (gw_godot_type)copy->event->type;
    size_t numbers = (size_t)gw_godot_components(type) * count;
    double *reals = allocate(numbers * sizeof *reals);
    for (uint32_t i = 0; i < numbers; i++)
        reals[i] = gw_godot_real_at(copy->bytes, copy->event, i);
    if (packed)
        gw_godot_write_real_array(&copy->writer, type, reals, count);
    else
        gw_godot_write_reals(&copy->writer, type, reals);
    free(reals);
}

static void copy_integers(struct copy *copy)
{
    int32_t integers[4];
    for (uint32_t i = 0; i < gw_godot_components((gw_godot_type)copy->event->type); i++)
        integers[i] = (int32_t)gw_godot_integer_at(copy->bytes, copy->event, i);
    gw_godot_write_integers(&copy->writer, (gw_godot_type)copy->event->type, integers);
}

static void copy_integer_array(struct copy *copy)
{
    const gw_godot_event *event = copy->event;
    int64_t *integers = allocate(event->count * sizeof *integers);
    for (uint32_t i = 0; i < event->count; i++)
        integers[i] = gw_godot_integer_at(copy->bytes, event, i);
    gw_godot_write_integer_array(&copy->writer, (gw_godot_type)event->type, integers, event->count);
    free(integers);
}

static void copy_packed(struct copy *copy)
{
    const gw_godot_event *event = copy->event;
    if (event->type == GW_GODOT_STRING_ARRAY)
        copy_strings(copy);
    else if (event->type == GW_GODOT_BYTE_ARRAY)
        gw_godot_write_byte_array(&copy->writer, copy->bytes + event->payload.offset, event->count);
    else if (gw_godot_components_are_integers((gw_godot_type)event->type))
        copy_integer_array(copy);
    else
        copy_reals(copy, event->count, true);
}

static void copy_object(struct copy *copy)
{
    const gw_godot_event *event = copy->event;
    if (event->payload.length == 8)
        gw_godot_write_object_id(&copy->writer, event->number);
    else if (event->header.length == 4)
        gw_godot_write_bare_object(&copy->writer);
    else
        gw_godot_write_text(&copy->writer, GW_GODOT_OBJECT, "", 0); /* null: a class name of no length */
}

static void copy_image(struct copy *copy)
{
    const uint8_t *body = copy->bytes + copy->event->header.offset + 4;
    const gw_godot_image image = { gw_le32(body), gw_le32(body + 4), gw_le32(body + 8), gw_le32(body + 12) };
    gw_godot_write_image(&copy->writer, &image, body + 20, gw_le32(body + 16));
}

static void copy_input_event(struct copy *copy)
{
    const uint8_t *body = copy->bytes + copy->event->header.offset + 4;
    uint32_t count = copy->event->payload.length / 4;
    uint32_t *details = allocate(count * sizeof *details);
    for (uint32_t i = 0; i < count; i++)
        details[i] = gw_le32(body + 12 + 4 * i);
    gw_godot_write_input_event(&copy->writer, gw_le32(body), gw_le32(body + 4), details, count);
    free(details);
}

static void copy_value(struct copy *copy)
{
    const gw_godot_event *event = copy->event;
    gw_godot_type type = (gw_godot_type)event->type;
    const char *text = (const char *)copy->bytes + event->text.offset;
    switch (type) {
    case GW_GODOT_NIL:
        gw_godot_write_nil(&copy->writer);
        break;
    case GW_GODOT_BOOL:
        gw_godot_write_bool(&copy->writer, event->number != 0);
        break;
    case GW_GODOT_INT:
        gw_godot_write_int(&copy->writer, event->number);
        break;
    case GW_GODOT_FLOAT:
        gw_godot_write_float(&copy->writer, event->real);
        break;
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        gw_godot_write_text(&copy->writer, event->role == GW_GODOT_ROLE_PROPERTY_NAME ? GW_GODOT_TYPES : type, text,
                            event->text.length);
        break;
    case GW_GODOT_NODE_PATH:
        copy_node_path(copy);
        break;
    case GW_GODOT_RID:
        gw_godot_write_rid(&copy->writer, event->payload.length ? event->number : 0);
        break;
    case GW_GODOT_OBJECT:
        copy_object(copy);
        break;
    case GW_GODOT_CALLABLE:
        gw_godot_write_callable(&copy->writer);
        break;
    case GW_GODOT_SIGNAL:
        gw_godot_write_signal(&copy->writer, text, event->text.length, event->number);
        break;
    case GW_GODOT_IMAGE:
        copy_image(copy);
        break;
    case GW_GODOT_INPUT_EVENT:
        copy_input_event(copy);
        break;
    default:
        if (gw_godot_components_are_integers(type))
            copy_integers(copy);
        else
            copy_reals(copy, 1, false);
        break;
    }
}

static void copy_open(struct copy *copy)
{
    const gw_godot_event *event = copy->event;
    gw_godot_typed typed[2];
    char *names[2];
    bool shared =
        event->type != GW_GODOT_OBJECT && gw_le32(copy->bytes + event->payload.offset - 4) & GW_GODOT_COUNT_SHARED;
    for (uint32_t i = 0; i < 2; i++) {
        gw_godot_declaration declared;
        gw_godot_declaration_of(copy->bytes, event, i, &declared);
        names[i] = text_of(copy, declared.text);
        typed[i] = (gw_godot_typed){ (gw_godot_container_kind)declared.kind, (gw_godot_type)declared.type, names[i] };
    }
    if (event->type == GW_GODOT_ARRAY) {
        gw_godot_write_array(&copy->writer, &typed[0], event->count, shared);
    } else if (event->type == GW_GODOT_DICTIONARY) {
        gw_godot_write_dictionary(&copy->writer, &typed[0], &typed[1], event->count, shared);
    } else {
        char *name = text_of(copy, event->text);
        gw_godot_write_object(&copy->writer, name, event->count);
        free(name);
    }
    free(names[0]);
    free(names[1]);
}

static void copy_event(struct copy *copy)
{
    copy->writer.wide = gw_godot_is_wide(copy->event);
    if (copy->event->kind == GW_OPEN)
        copy_open(copy);
    else if (copy->event->kind == GW_PACKED)
        copy_packed(copy);
    else if (copy->event->kind == GW_VALUE)
        copy_value(copy);
}

/* Writes all of a valid value into `size` bytes; returns what it takes. */
static size_t write_again(const uint8_t *bytes, size_t length, const gw_godot_options *options, uint8_t *to,
                          size_t size)
{
    struct copy copy = { .bytes = bytes };
    gw_godot_reader reader;
    gw_godot_event event;
    copy.event = &event;
    gw_godot_writer_init(&copy.writer, options->generation, to, size);
    gw_godot_init(&reader, bytes, length, options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT)
        copy_event(&copy);
    return copy.writer.output.length;
}

/* ---- comparing ---------------------------------------------------------------------------------------------- */

struct side {
    const uint8_t *bytes;
    gw_godot_reader reader;
    gw_godot_event event;
};

static bool reals_are_equal(double one, double other)
{
    bool both_nan = !(one <= 0) && !(one >= 0) && !(other <= 0) && !(other >= 0);
    return both_nan || gw_double_bits(one) == gw_double_bits(other);
}

static void compare_texts(const struct side *one, const struct side *other, gw_span first, gw_span second)
{
    CHECK(first.length == second.length);
    CHECK(!memcmp(one->bytes + first.offset, other->bytes + second.offset, first.length));
}

static void compare_strings(const struct side *one, const struct side *other)
{
    gw_godot_strings first, second;
    gw_godot_string string, same;
    gw_godot_strings_init(&first, one->bytes, &one->event);
    gw_godot_strings_init(&second, other->bytes, &other->event);
    while (gw_godot_strings_next(&first, &string)) {
        CHECK(gw_godot_strings_next(&second, &same));
        CHECK(string.role == same.role && string.index == same.index);
        compare_texts(one, other, string.text, same.text);
    }
    CHECK(!gw_godot_strings_next(&second, &same));
}

static void compare_numbers(const struct side *one, const struct side *other)
{
    gw_godot_type type = (gw_godot_type)one->event.type;
    uint64_t numbers = gw_godot_components(type);
    if (one->event.kind == GW_PACKED)
        numbers *= one->event.count;
    for (uint32_t i = 0; i < numbers; i++) {
        if (gw_godot_components_are_integers(type))
            CHECK(gw_godot_integer_at(one->bytes, &one->event, i) ==
                  gw_godot_integer_at(other->bytes, &other->event, i));
        else
            CHECK(reals_are_equal(gw_godot_real_at(one->bytes, &one->event, i),
                                  gw_godot_real_at(other->bytes, &other->event, i)));
    }
}

static void compare_values(const struct side *one, const struct side *other)
{
    gw_godot_node_path path;
    switch (one->event.type) {
    case GW_GODOT_BOOL:
    case GW_GODOT_INT:
        CHECK(one->event.number == other->event.number);
        break;
    case GW_GODOT_FLOAT:
        CHECK(reals_are_equal(one->event.real, other->event.real));
        break;
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        compare_texts(one, other, one->event.text, other->event.text);
        break;
    case GW_GODOT_STRING_ARRAY:
        compare_strings(one, other);
        break;
    case GW_GODOT_NODE_PATH:
        if (gw_godot_node_path_of(one->bytes, &one->event, &path))
            compare_strings(one, other);
        else
            compare_texts(one, other, one->event.text, other->event.text);
        break;
    case GW_GODOT_IMAGE:
    case GW_GODOT_INPUT_EVENT:
        CHECK(one->event.header.length == other->event.header.length);
        CHECK(one->event.payload.length == other->event.payload.length);
        CHECK(!memcmp(one->bytes + one->event.header.offset, other->bytes + other->event.header.offset,
                      one->event.header.length + (one->event.payload.length & ~3U)));
        break;
    case GW_GODOT_SIGNAL:
        compare_texts(one, other, one->event.text, other->event.text);
        CHECK(one->event.number == other->event.number);
        break;
    default:
        compare_numbers(one, other);
        break;
    }
}

static void compare_heads(const struct side *one, const struct side *other)
{
    gw_godot_declaration first, second;
    CHECK(one->event.count == other->event.count);
    if (one->event.type == GW_GODOT_OBJECT)
        compare_texts(one, other, one->event.text, other->event.text);
    for (uint32_t i = 0; i < 2; i++) {
        gw_godot_declaration_of(one->bytes, &one->event, i, &first);
        gw_godot_declaration_of(other->bytes, &other->event, i, &second);
        CHECK(first.kind == second.kind && first.type == second.type);
        compare_texts(one, other, first.text, second.text);
    }
}

static void compare_events(const struct side *one, const struct side *other)
{
    const gw_godot_event *first = &one->event;
    const gw_godot_event *second = &other->event;
    CHECK(first->kind == second->kind && first->type == second->type);
    CHECK(first->role == second->role && first->depth == second->depth && first->index == second->index);
    if (first->kind == GW_OPEN)
        compare_heads(one, other);
    else if (first->kind != GW_CLOSE)
        compare_values(one, other);
}

static void compare(const uint8_t *bytes, size_t length, const uint8_t *again, size_t again_length,
                    const gw_godot_options *options)
{
    struct side one = { .bytes = bytes };
    struct side other = { .bytes = again };
    gw_next next;
    gw_godot_init(&one.reader, bytes, length, options);
    gw_godot_init(&other.reader, again, again_length, options);
    while ((next = gw_godot_next(&one.reader, &one.event)) == GW_NEXT_EVENT) {
        CHECK(gw_godot_next(&other.reader, &other.event) == GW_NEXT_EVENT);
        compare_events(&one, &other);
    }
    CHECK(gw_godot_next(&other.reader, &other.event) == next);
    CHECK(other.reader.offset == again_length);
}

/* ---- the round -------------------------------------------------------------------------------------------------- */

/* Nothing goes beyond a buffer that is too small, and what it takes is returned all the same. */
static void check_short_buffer(const uint8_t *bytes, size_t length, const gw_godot_options *options, size_t whole)
{
    uint8_t *half = allocate(whole / 2);
    CHECK(write_again(bytes, length, options, half, whole / 2) == whole);
    free(half);
}

static void go_round(const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    size_t size = write_again(bytes, length, options, NULL, 0);
    uint8_t *again = allocate(size);
    uint8_t *third = allocate(size);
    CHECK(write_again(bytes, length, options, again, size) == size);
    compare(bytes, length, again, size, options);
    CHECK(write_again(again, size, options, third, size) == size);
    CHECK(!memcmp(again, third, size));
    check_short_buffer(bytes, length, options, size);
    free(again);
    free(third);
}

/* Details of an input event that are no whole words cannot be written. */
static bool has_ragged_event(const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_init(&reader, bytes, length, options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT)
        if (event.type == GW_GODOT_INPUT_EVENT && event.payload.length % 4)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < COUNT_OF(readings); i++) {
        gw_godot_summary summary;
        if (gw_godot_validate(bytes, length, &readings[i], &summary) && is_kept(&readings[i], summary.odd) &&
            !has_ragged_event(bytes, length, &readings[i]))
            go_round(bytes, summary.length, &readings[i]);
    }
    return 0;
}
