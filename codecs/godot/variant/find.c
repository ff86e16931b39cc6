/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The value at a path: one pass of the reader, which stops at the value.
 */
#include <gamewire/godot_find.h>

#include <stdint.h>
#include <string.h>

typedef enum step_kind {
    STEP_NAME, /* .name; of a component, the rest of the path is its name */
    STEP_KEY,  /* ["name"] */
    STEP_INDEX /* [0] */
} step_kind;

struct path_step {
    step_kind kind;
    const char *start; /* of the step */
    const char *text;
    size_t length;
    int64_t number;
    const char *after;
};

struct search {
    gw_godot_reader reader;
    const char *path;
    gw_godot_found *found;
};

/* The static text of a result of the search. */
const char *gw_godot_find_text(uint32_t result)
{
    static const char *const texts[GW_GODOT_FIND_RESULTS] = {
        [GW_GODOT_FIND_FOUND] = "found",
        [GW_GODOT_FIND_ABSENT] = "no such entry, property, element or component",
        [GW_GODOT_FIND_TYPE] = "the value has another type, without such parts",
        [GW_GODOT_FIND_PATH_INVALID] = "not a valid path",
        [GW_GODOT_FIND_UNREADABLE] = "the bytes cannot be read as far as this value",
    };
    return result < GW_GODOT_FIND_RESULTS ? texts[result] : "unknown";
}

/* Stores the result, and the place in the path that has it. Returns false. */
static bool fail_at(struct search *search, gw_godot_find_result result, const char *at)
{
    search->found->result = (uint8_t)result;
    search->found->path_offset = (uint32_t)(at - search->path);
    return false;
}

/* Stores the reader's fault as the result. Returns false. */
static bool fail_unreadable(struct search *search, const char *at)
{
    search->found->fault = search->reader.fault;
    return fail_at(search, GW_GODOT_FIND_UNREADABLE, at);
}

/* ---- the path ------------------------------------------------------------------------------------------ */

/* Reads a name, which ends before the next step; false if it is empty. */
static bool parse_name(const char *at, struct path_step *step)
{
    step->kind = STEP_NAME;
    step->text = at;
    step->length = strcspn(at, ".[");
    step->after = at + step->length;
    return step->length;
}

/* Reads the index in a bracket and the bracket's end; false if it is not a number of 64 bits. */
static bool parse_index(const char *at, struct path_step *step)
{
    bool negative = *at == '-';
    /* INT64_MIN has a larger absolute value than INT64_MAX. */
    uint64_t largest = (uint64_t)INT64_MAX + negative;
    uint64_t number = 0;
    const char *digit = at + negative;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        uint64_t unit = (uint64_t)(*digit - '0');
        if (number > (largest - unit) / 10)
            return false;
        number = number * 10 + unit;
    }
    step->kind = STEP_INDEX;
    step->number = (int64_t)(negative ? 0 - number : number);
    step->after = digit + 1;
    return digit > at + negative && *digit == ']';
}

/* Reads the step of the path at `at`, which is not its end: `.name`, `["name"]` or `[0]`, or, at the start of the path,
 * a name without a period. Sets step->after to the next step; false if it is not a valid step. */
static bool parse_step(const struct search *search, const char *at, struct path_step *step)
{
    step->start = at;
    if (*at == '.')
        return parse_name(at + 1, step);
    /* Only the first step may be a name without a period. */
    if (*at != '[')
        return at == search->path && parse_name(at, step);
    if (at[1] != '"')
        return parse_index(at + 1, step);
    step->kind = STEP_KEY;
    step->text = at + 2;
    step->length = strcspn(step->text, "\"");
    step->after = step->text + step->length;
    if (step->after[0] != '"' || step->after[1] != ']')
        return false;
    step->after += 2;
    return true;
}

/* ---- members of containers ----------------------------------------------------------------------------- */

/* Reads on to the member of the container that was opened last; its event replaces the container's. A member with a
 * key or name is the one after the key or name of the step. False, with the reason, if there is none. */
static bool find_member(struct search *search, const struct path_step *step)
{
    gw_godot_event *event = &search->found->event;
    uint32_t depth = event->depth + 1;
    bool matches = false; /* the latest key or name is that of the step */
    /* Elements of an Array have no names, properties of an object no indexes; a Dictionary may have both. */
    if (event->type == GW_GODOT_ARRAY ? step->kind != STEP_INDEX
                                      : event->type == GW_GODOT_OBJECT && step->kind == STEP_INDEX)
        return fail_at(search, GW_GODOT_FIND_TYPE, step->start);
    while (gw_godot_next(&search->reader, event) == GW_NEXT_EVENT) {
        if (event->depth < depth) /* the end of the container */
            return fail_at(search, GW_GODOT_FIND_ABSENT, step->start);
        if (event->depth > depth || event->kind == GW_CLOSE) /* parts of a member that is a container */
            continue;
        if (event->role == GW_GODOT_ROLE_KEY || event->role == GW_GODOT_ROLE_PROPERTY_NAME) {
            bool is_text = event->type == GW_GODOT_STRING || event->type == GW_GODOT_STRING_NAME;
            if (step->kind == STEP_INDEX)
                matches = event->kind == GW_VALUE && event->type == GW_GODOT_INT && event->number == step->number;
            else
                matches = event->kind == GW_VALUE && is_text && event->text.length == step->length &&
                          memcmp(search->reader.bytes + event->text.offset, step->text, step->length) == 0;
        } else if (event->role == GW_GODOT_ROLE_ELEMENT ? step->number == (int64_t)event->index : matches) {
            return true;
        }
    }
    return fail_unreadable(search, step->start);
}

/* ---- parts of values ----------------------------------------------------------------------------------- */

/* Sets the result to one number of the value or packed array, `component` counted through all elements: an Int with
 * its value also as a real, or a Float. Returns true. */
static bool set_component(struct search *search, uint32_t component)
{
    gw_godot_found *found = search->found;
    const uint8_t *bytes = search->reader.bytes;
    found->component = component;
    found->components = 1;
    if (gw_godot_components_are_integers((gw_godot_type)found->event.type)) {
        found->type = GW_GODOT_INT;
        found->number = gw_godot_integer_at(bytes, &found->event, component);
        found->real = (double)found->number;
    } else {
        found->type = GW_GODOT_FLOAT;
        found->real = gw_godot_real_at(bytes, &found->event, component);
    }
    return true;
}

/* Finds the component that has the rest of the path as its name, such as "position.x". `first`: the index of the first
 * component of the element in a packed array, 0 in a single value. False, with the reason, if there is none. */
static bool find_component(struct search *search, const struct path_step *step, uint32_t first)
{
    gw_godot_type type = (gw_godot_type)search->found->event.type;
    if (step->kind != STEP_NAME || !gw_godot_component_name(type, 0))
        return fail_at(search, GW_GODOT_FIND_TYPE, step->start);
    for (uint32_t i = 0; i < gw_godot_components(type); i++)
        if (strcmp(gw_godot_component_name(type, i), step->text) == 0)
            return set_component(search, first + i);
    return fail_at(search, GW_GODOT_FIND_ABSENT, step->start);
}

/* Finds an element of a packed array, or a component of it if the path continues (step->after is not its end). The
 * result is a String, one number, or the first component and the number of components of a vector or color. False, with
 * the reason, if there is none. */
static bool find_element(struct search *search, const struct path_step *step)
{
    gw_godot_found *found = search->found;
    gw_godot_type type = (gw_godot_type)found->event.type;
    struct path_step next;
    if (step->kind != STEP_INDEX)
        return fail_at(search, GW_GODOT_FIND_TYPE, step->start);
    if (step->number < 0 || step->number >= found->event.count)
        return fail_at(search, GW_GODOT_FIND_ABSENT, step->start);
    if (type == GW_GODOT_STRING_ARRAY) {
        gw_godot_strings strings;
        gw_godot_string string = { .index = 0 };
        if (*step->after)
            return fail_at(search, GW_GODOT_FIND_TYPE, step->after);
        gw_godot_strings_init(&strings, search->reader.bytes, &found->event);
        for (int64_t i = 0; i <= step->number; i++)
            gw_godot_strings_next(&strings, &string);
        found->type = GW_GODOT_STRING;
        found->text = string.text;
        return true;
    }
    /* Does not overflow: the input contains all elements. */
    uint32_t first = (uint32_t)step->number * gw_godot_components(type);
    if (*step->after)
        return parse_step(search, step->after, &next) ? find_component(search, &next, first)
                                                      : fail_at(search, GW_GODOT_FIND_PATH_INVALID, step->after);
    if (gw_godot_components(type) == 1)
        return set_component(search, first);
    /* The types of packed arrays whose elements have several components. */
    found->type = type == GW_GODOT_VECTOR2_ARRAY   ? GW_GODOT_VECTOR2
                  : type == GW_GODOT_VECTOR3_ARRAY ? GW_GODOT_VECTOR3
                  : type == GW_GODOT_VECTOR4_ARRAY ? GW_GODOT_VECTOR4
                                                   : GW_GODOT_COLOR;
    found->component = first;
    found->components = gw_godot_components(type);
    return true;
}

/* Sets the result to the whole value: an int or a bool also as a real, a value of several numbers (a vector) by their
 * number. Containers and packed arrays have only their type. */
static void set_value(gw_godot_found *found)
{
    const gw_godot_event *event = &found->event;
    found->type = event->type;
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_BOOL:
    case GW_GODOT_INT:
        found->number = event->number;
        found->real = (double)event->number;
        break;
    case GW_GODOT_FLOAT:
        found->real = event->real;
        break;
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        found->text = event->text;
        break;
    default:
        if (event->kind == GW_VALUE)
            found->components = gw_godot_components((gw_godot_type)event->type);
        break;
    }
}

/* Finds the value, element or component at the path; false if there is none, with the reason in `found`. Starts with
 * the root; each step of the path reads on to a member of the container that was found last. */
bool gw_godot_find(const uint8_t *bytes, size_t length, const gw_godot_options *options, const char *path,
                   gw_godot_found *found)
{
    struct search search;
    struct path_step step = { .after = path };
    search.path = path;
    search.found = found;
    *found = (gw_godot_found){ .result = GW_GODOT_FIND_FOUND };
    gw_godot_init(&search.reader, bytes, length, options);
    if (gw_godot_next(&search.reader, &found->event) != GW_NEXT_EVENT)
        return fail_unreadable(&search, path);
    while (*step.after) {
        if (!parse_step(&search, step.after, &step))
            return fail_at(&search, GW_GODOT_FIND_PATH_INVALID, step.start);
        /* Values that are no containers: the rest of the path names an element or a component. */
        if (found->event.kind == GW_PACKED)
            return find_element(&search, &step);
        if (found->event.kind != GW_OPEN)
            return find_component(&search, &step, 0);
        if (!find_member(&search, &step))
            return false;
    }
    set_value(found);
    return true;
}
