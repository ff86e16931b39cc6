/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * A message of the debugger as one line of a log. The tables have the line of a message; one without a line is
 * shown as a call with all its values.
 */
#include "tables.h"

#include <gamewire/bytes.h>

#include <string.h>

/* The first value of each member, and the number of its values. */
typedef struct line_values {
    gw_godot_debugger_event first[GW_GODOT_DEBUGGER_ROLES];
    uint32_t counts[GW_GODOT_DEBUGGER_ROLES];
} line_values;

/* Prints a text without quotes and without blanks at its end, on one line: control characters become blanks, bytes
 * that are not UTF-8 question marks. */
static void print_plain(gw_text *text, const uint8_t *bytes, uint32_t length)
{
    while (length && (bytes[length - 1] == '\n' || bytes[length - 1] == ' '))
        length--;
    while (length && !text->cut) {
        uint32_t sequence = gw_utf8_sequence(bytes, length);
        if (!sequence || gw_text_control(bytes, length))
            gw_text_char(text, sequence ? ' ' : '?');
        else
            gw_text_bytes(text, (const char *)bytes, sequence);
        bytes += sequence ? sequence : 1;
        length -= sequence ? sequence : 1;
    }
}

/* Prints a value of the message as a literal. */
static void print_value(gw_text *text, const gw_godot_debugger_reader *reader, const gw_godot_debugger_event *event)
{
    const gw_godot_options options = { .generation = (gw_godot_generation)reader->generation,
                                       .offset = event->payload.offset };
    gw_godot_print(text, reader->bytes, gw_span_end(event->payload), &options);
}

/* Prints the texts of an `output` of Godot 4, which are one value, an array. False if the value is no array of
 * texts. */
static bool print_texts(gw_text *text, const gw_godot_debugger_reader *reader, const gw_godot_debugger_event *event)
{
    const gw_godot_options options = { .generation = (gw_godot_generation)reader->generation,
                                       .offset = event->payload.offset };
    gw_godot_reader values;
    gw_godot_event root;
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_init(&values, reader->bytes, gw_span_end(event->payload), &options);
    if (event->type != GW_GODOT_STRING_ARRAY || gw_godot_next(&values, &root) != GW_NEXT_EVENT)
        return false;
    gw_godot_strings_init(&strings, reader->bytes, &root);
    while (gw_godot_strings_next(&strings, &string) && !text->cut) {
        gw_text_string(text, string.index ? " | " : "");
        print_plain(text, reader->bytes + string.text.offset, string.text.length);
    }
    return true;
}

/* The member to print for the key of a line, which may name several, as "description|error": the first one that is a
 * text and not empty, or else the last one. */
static gw_godot_debugger_role chosen_member(const line_values *values, const char *key, size_t length)
{
    const char *end = key + length, *bar;
    while ((bar = memchr(key, '|', (size_t)(end - key))) != NULL) {
        gw_godot_debugger_role member = gw_godot_debugger_role_of((const uint8_t *)key, (uint32_t)(bar - key));
        if (values->counts[member] && values->first[member].text.length)
            return member;
        key = bar + 1;
    }
    return gw_godot_debugger_role_of((const uint8_t *)key, (uint32_t)(end - key));
}

/* Prints the line with the first value of each of its {members}, "?" for one that the message lacks; "and 3 more" if
 * the first member of the line has further values. */
static void print_line(gw_text *text, const gw_godot_debugger_reader *reader, const line_values *values,
                       const char *line)
{
    const char *first = strchr(line, '{');
    uint32_t more = 0;
    for (const char *at = line, *end; *at; at = end + 1) {
        end = *at == '{' ? strchr(at, '}') : NULL;
        if (!end) {
            gw_text_char(text, *at);
            end = at;
            continue;
        }
        gw_godot_debugger_role member = chosen_member(values, at + 1, (size_t)(end - at - 1));
        const gw_godot_debugger_event *event = &values->first[member];
        bool is_text = gw_godot_debugger_role_kind(member) == GW_GODOT_DEBUGGER_STRING;
        if (!values->counts[member])
            gw_text_char(text, '?');
        else if (is_text && event->text.length)
            print_plain(text, reader->bytes + event->text.offset, event->text.length);
        else if (!is_text || !print_texts(text, reader, event)) /* several texts may be one value */
            print_value(text, reader, event);
        if (at == first && values->counts[member])
            more = values->counts[member] - 1;
    }
    if (more) {
        gw_text_string(text, ", and ");
        gw_text_unsigned(text, more);
        gw_text_string(text, " more");
    }
}

/* Prints all values of the data as the arguments of a call, in parentheses, for a message whose row has no line. The
 * values of the head, whose roles end with ROLE_VALUES, are not among them. */
static void print_arguments(gw_text *text, const uint8_t *bytes, size_t length,
                            const gw_godot_debugger_options *options)
{
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    const char *separator = "";
    gw_godot_debugger_init(&reader, bytes, length, options);
    gw_text_char(text, '(');
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT && !text->cut) {
        if (event.kind != GW_VALUE || event.role <= GW_GODOT_DEBUGGER_ROLE_VALUES)
            continue;
        gw_text_string(text, separator);
        print_value(text, &reader, &event);
        separator = ", ";
    }
    gw_text_char(text, ')');
}

/* Prints the message as one line: its name, and the line that the tables have for it or, without one, all its
 * values. */
void gw_godot_debugger_print(gw_text *text, const uint8_t *bytes, size_t length,
                             const gw_godot_debugger_options *options)
{
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    line_values values;
    gw_godot_debugger_init(&reader, bytes, length, options);
    if (reader.fault.fault_class) {
        gw_text_string(text, reader.fault.fault_class == GW_FAULT_TRUNCATED ? "<truncated>" : "<malformed>");
        return;
    }
    memset(&values, 0, sizeof values);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT)
        if ((event.kind == GW_VALUE || event.kind == GW_OPAQUE) && !values.counts[event.role]++)
            values.first[event.role] = event;

    /* A warning is a message with the name "error". */
    gw_span name = values.first[GW_GODOT_DEBUGGER_ROLE_NAME].text;
    if (values.counts[GW_GODOT_DEBUGGER_ROLE_IS_WARNING] && values.first[GW_GODOT_DEBUGGER_ROLE_IS_WARNING].number)
        gw_text_string(text, "warning");
    else
        print_plain(text, reader.bytes + name.offset, name.length);
    if (!reader.row || !reader.row->line) {
        print_arguments(text, bytes, length, options);
        return;
    }
    gw_text_string(text, ": ");
    print_line(text, &reader, &values, reader.row->line);
}
