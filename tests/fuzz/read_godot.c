/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reader, validator and printer on the same bytes: they must agree on what is valid, how long it is and what is
 * wrong, and every part of every event must lie inside the input.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <gamewire/godot.h>

#define LENT_LEVELS 1200

static gw_godot_level lent[LENT_LEVELS];

static const gw_godot_options readings[] = {
    { .generation = GW_GODOT_2 },
    { .generation = GW_GODOT_3 },
    { .generation = GW_GODOT_4 },
    { .generation = GW_GODOT_4, .bare_objects = true },
    { .generation = GW_GODOT_4, .levels = lent, .level_count = LENT_LEVELS },
    { .generation = GW_GODOT_4, .find_duplicates = true },
};

struct input {
    const uint8_t *bytes;
    size_t length;
    const gw_godot_options *options;
};

/* ---- parts ----------------------------------------------------------------------------------------------- */

static void check_strings(const struct input *input, const gw_godot_event *event)
{
    gw_godot_strings strings;
    gw_godot_string string;
    uint32_t count = 0;
    uint32_t after = event->payload.offset;
    gw_godot_strings_init(&strings, input->bytes, event);
    while (gw_godot_strings_next(&strings, &string)) {
        CHECK(string.whole.offset == after);
        CHECK(span_is_inside(string.whole, input->length));
        CHECK(string.text.length + string.padding + 4 <= string.whole.length);
        CHECK(!(string.odd & ~event->odd));
        after = string.whole.offset + string.whole.length;
        count++;
    }
    CHECK(count == event->count);
    CHECK(after == gw_span_end(event->payload));
}

static void check_numbers(const struct input *input, const gw_godot_event *event)
{
    uint32_t components = gw_godot_components((gw_godot_type)event->type);
    uint64_t numbers = event->kind == GW_PACKED ? (uint64_t)components * event->count : components;
    CHECK(gw_godot_element_size(event) == components * gw_godot_component_size(event));
    CHECK(numbers * gw_godot_component_size(event) <= event->payload.length);
    for (uint32_t i = 0; i < numbers; i++) {
        if (gw_godot_components_are_integers((gw_godot_type)event->type))
            (void)gw_godot_integer_at(input->bytes, event, i);
        else
            (void)gw_godot_real_at(input->bytes, event, i);
        if (i < components)
            CHECK(gw_godot_component_name((gw_godot_type)event->type, i) || components == 1);
    }
}

static void check_declarations(const struct input *input, const gw_godot_event *event)
{
    gw_godot_declaration declared[2];
    uint32_t sizes = 0;
    for (uint32_t which = 0; which < 2; which++) {
        gw_godot_declaration_of(input->bytes, event, which, &declared[which]);
        CHECK(span_is_inside(declared[which].whole, input->length));
        CHECK(declared[which].kind == GW_GODOT_UNTYPED || declared[which].whole.length >= 4);
        sizes += declared[which].whole.length;
    }
    if (event->type != GW_GODOT_OBJECT)
        CHECK(event->header.length == 4 + sizes + 4);
}

static bool has_strings(const struct input *input, const gw_godot_event *event)
{
    gw_godot_node_path path;
    return event->type == GW_GODOT_STRING_ARRAY ||
           (event->type == GW_GODOT_NODE_PATH && gw_godot_node_path_of(input->bytes, event, &path));
}

static bool has_numbers(const gw_godot_event *event)
{
    switch (event->type) {
    case GW_GODOT_NIL:
    case GW_GODOT_BOOL:
    case GW_GODOT_INT:
    case GW_GODOT_FLOAT:
        return false;
    default:
        return gw_godot_components((gw_godot_type)event->type) != 0;
    }
}

static bool has_text(const gw_godot_event *event)
{
    return event->type == GW_GODOT_STRING || event->type == GW_GODOT_STRING_NAME || event->type == GW_GODOT_SIGNAL ||
           (event->type == GW_GODOT_OBJECT && event->kind == GW_OPEN);
}

static void check_parts(const struct input *input, const gw_godot_event *event)
{
    if (has_text(event))
        CHECK(span_is_inside(event->text, input->length));
    if (event->kind == GW_OPEN)
        check_declarations(input, event);
    else if (has_strings(input, event))
        check_strings(input, event);
    else if (has_numbers(event))
        check_numbers(input, event);
    for (uint32_t bit = 1; bit <= event->odd; bit <<= 1)
        if (event->odd & bit)
            CHECK(strcmp(gw_odd_text(&gw_godot_faults, bit), "Unknown oddity"));
    for (uint32_t bit = 1; bit <= event->odd; bit <<= 1)
        if (event->odd & bit) {
            uint32_t offset = gw_godot_odd_offset(input->bytes, event, bit);
            CHECK(offset >= event->header.offset && offset <= gw_span_end(event->padding));
        }
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* A single event's text in few bytes, as a column of a packet list has it. */
static void check_short_text(const struct input *input, const gw_godot_event *event)
{
    char *buffer = allocate(24);
    gw_text text;
    gw_text_init(&text, buffer, 24);
    gw_godot_print_value(&text, input->bytes, event, input->options->generation);
    check_text(&text);
    free(buffer);
}

struct walk {
    gw_fault fault;
    gw_next last;
    uint32_t length;
    uint32_t odd;
    uint32_t values;
};

static void check_event(const struct input *input, const gw_godot_event *event, uint32_t *after)
{
    bool closes = event->kind == GW_CLOSE;
    uint64_t end = gw_span_end(event->padding);
    CHECK(end <= input->length);
    CHECK(event->header.length >= 4 && event->padding.length <= 3);
    CHECK(gw_span_end(event->header) == event->payload.offset && gw_span_end(event->payload) == event->padding.offset);
    CHECK(closes ? end == *after : event->header.offset == *after);
    *after = (uint32_t)end;
    if (closes)
        return;
    check_parts(input, event);
    if (event->kind != GW_OPEN)
        check_short_text(input, event);
}

static void read_events(const struct input *input, struct walk *walk)
{
    gw_godot_reader reader;
    gw_godot_event event;
    uint32_t after = 0;
    size_t events = 0;
    memset(walk, 0, sizeof *walk);
    gw_godot_init(&reader, input->bytes, input->length, input->options);
    while ((walk->last = gw_godot_next(&reader, &event)) == GW_NEXT_EVENT) {
        check_event(input, &event, &after);
        CHECK(after == reader.offset);
        walk->odd |= event.odd;
        walk->values += event.kind != GW_CLOSE && event.role != GW_GODOT_ROLE_PROPERTY_NAME;
        /* Each takes four bytes, and what opens takes four more for its end. */
        CHECK(++events <= input->length / 4);
    }
    CHECK(gw_godot_next(&reader, &event) == walk->last);
    walk->fault = reader.fault;
    walk->length = reader.offset;
}

/* ---- agreement ------------------------------------------------------------------------------------------- */

static void check_validator(const struct input *input, const struct walk *walk)
{
    gw_godot_summary summary;
    bool valid = gw_godot_validate(input->bytes, input->length, input->options, &summary);
    CHECK(valid == (walk->last == GW_NEXT_END));
    CHECK(faults_are_equal(&summary.fault, &walk->fault));
    CHECK(summary.length == walk->length);
    if (!valid)
        return;
    CHECK(summary.odd == walk->odd);
    CHECK(summary.values == walk->values);
}

/* The most that a byte of input is printed as; the longest are an escaped byte (\u0001) and, with a head of
 * four bytes, an empty Image. */
#define PRINTED_PER_BYTE 8
#define PRINTED_AT_LEAST 256

static void check_printer(const struct input *input, const struct walk *walk)
{
    size_t size = PRINTED_PER_BYTE * input->length + PRINTED_AT_LEAST;
    char *buffer = allocate(size);
    gw_text text;
    gw_text_init(&text, buffer, size);
    gw_godot_print(&text, input->bytes, input->length, input->options);
    check_text(&text);
    CHECK(!text.cut);
    CHECK(!memchr(buffer, '\n', text.length) && strlen(buffer) == text.length);
    /* Every value ends in a letter, digit, quote or bracket, so that this can only be the fault. */
    CHECK((text.length && buffer[text.length - 1] == '>') == (walk->last == GW_NEXT_FAULT));
    free(buffer);
}

static gw_fault find_fault(const uint8_t *bytes, size_t length, const void *options)
{
    gw_godot_summary summary;
    gw_godot_validate(bytes, length, options, &summary);
    return summary.fault;
}

static void check_fault(const struct input *input, const gw_fault *fault)
{
    CHECK(fault->code < GW_GODOT_FAULTS);
    CHECK(fault->fault_class == gw_fault_class_of(&gw_godot_faults, fault->code));
    CHECK(fault->offset <= input->length);
    CHECK(gw_fault_text(&gw_godot_faults, fault->code)[0]);
    /* More bytes may turn an object's bare header, far in front of the fault, into one with a class name. */
    if (!input->options->bare_objects)
        check_needed(input->bytes, input->length, fault, 0, find_fault, input->options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < COUNT_OF(readings); i++) {
        struct input input = { bytes, length, &readings[i] };
        struct walk walk;
        read_events(&input, &walk);
        check_validator(&input, &walk);
        check_printer(&input, &walk);
        check_fault(&input, &walk.fault);
    }
    return 0;
}
