/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Events to Squirrel source. Each event is written when it comes; the printer keeps only the tag of each open level
 * and whether a parenthesis has to be closed.
 */
#include "step.h"

#include <math.h>

static const char skipped[] = "\xE2\x80\xA6";

/* ---- strings and numbers ------------------------------------------------------------------------------- */

/* "\x1f", which Squirrel reads as one byte. */
static void print_escaped_byte(gw_text *text, uint8_t byte)
{
    gw_text_string(text, "\\x");
    gw_text_hex(text, byte, 2);
}

/* True if Squirrel has an escape of two characters for the byte, such as \n; it is printed. */
static bool print_named_escape(gw_text *text, uint8_t byte)
{
    static const char named[][3] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t",
    };
    if (byte >= sizeof named / sizeof named[0] || !named[byte][0])
        return false;
    gw_text_string(text, named[byte]);
    return true;
}

/* Prints one character, or one byte that is not part of a character of UTF-8; returns its number of bytes. Such a byte,
 * and all bytes of a control character, are escaped. */
static uint32_t print_character(gw_text *text, const uint8_t *bytes, uint32_t left)
{
    uint32_t sequence = gw_utf8_sequence(bytes, left);
    if (!sequence || gw_text_control(bytes, left)) {
        if (!print_named_escape(text, bytes[0]))
            print_escaped_byte(text, bytes[0]);
        for (uint32_t i = 1; i < sequence; i++)
            print_escaped_byte(text, bytes[i]);
        return sequence ? sequence : 1;
    }
    if (!print_named_escape(text, bytes[0]))
        gw_text_bytes(text, (const char *)bytes, sequence);
    return sequence;
}

/* Prints a string literal. Its bytes are read only until `text` is full: a string of 64 kB costs no more than the line
 * that shows it. */
void gw_squirrel_print_string(gw_text *text, const uint8_t *bytes, uint32_t length)
{
    gw_text_char(text, '"');
    for (uint32_t at = 0; at < length && !text->cut;) {
        /* Bytes that need no escape, at most as many as have room. */
        uint32_t start = at;
        while (at < length && at - start < text->size && bytes[at] >= 0x20 && bytes[at] < 0x7F && bytes[at] != '"' &&
               bytes[at] != '\\')
            at++;
        gw_text_bytes(text, (const char *)bytes + start, at - start);
        if (at == start)
            at += print_character(text, bytes + at, length - at);
    }
    gw_text_char(text, '"');
}

/* Prints a vector or quaternion as a call of its constructor: "Vector(1, 2, 3)". */
static void print_components(gw_text *text, const char *name, const float *components, int count)
{
    gw_text_string(text, name);
    gw_text_char(text, '(');
    for (int i = 0; i < count; i++) {
        if (i)
            gw_text_bytes(text, ", ", 2);
        gw_text_float(text, components[i]);
        /* The functions Vector and Quaternion convert integers to floats, but -0 is not an integer. */
        if (components[i] == 0 && signbit(components[i]))
            gw_text_string(text, ".0");
    }
    gw_text_char(text, ')');
}

/* The Squirrel source of a scalar, string or blob. */
void gw_squirrel_print_value(gw_text *text, const uint8_t *bytes, const gw_squirrel_event *event)
{
    const uint8_t *payload = bytes + event->payload.offset;
    size_t start = text->length;
    switch (event->tag) {
    case GW_SQUIRREL_NULL:
        gw_text_string(text, "null");
        break;
    case GW_SQUIRREL_INT32:
    case GW_SQUIRREL_INT16:
        gw_text_signed(text, event->number);
        break;
    case GW_SQUIRREL_FLOAT:
        gw_text_float(text, event->real[0]);
        /* It must differ from an integer when read: Squirrel distinguishes the two types. */
        if (isfinite(event->real[0]) && !text->cut && !strpbrk(text->buffer + start, ".e"))
            gw_text_string(text, ".0");
        break;
    case GW_SQUIRREL_BOOL:
        gw_text_string(text, event->number ? "true" : "false");
        break;
    case GW_SQUIRREL_ERROR:
        gw_text_string(text, "throw ");
        gw_squirrel_print_string(text, payload, event->payload.length);
        break;
    case GW_SQUIRREL_STRING:
        gw_squirrel_print_string(text, payload, event->payload.length);
        break;
    case GW_SQUIRREL_VECTOR:
        print_components(text, "Vector", event->real, 3);
        break;
    case GW_SQUIRREL_QUATERNION:
        print_components(text, "Quaternion", event->real, 4);
        break;
    default:
        gw_text_string(text, "blob(\"");
        for (uint32_t at = 0; at < event->payload.length && !text->cut; at++)
            print_escaped_byte(text, payload[at]);
        gw_text_string(text, "\")");
        break;
    }
}

/* ---- table keys ---------------------------------------------------------------------------------------- */

/* Reserved words, sorted by length; words_from[length] is the first of each length. */
#define LONGEST_WORD 11
static const char words[][12] = {
    "do",       "if",       "in",       "for",      "try",        "base",        "case",    "else",
    "enum",     "null",     "this",     "true",     "break",      "catch",       "class",   "clone",
    "const",    "false",    "local",    "throw",    "while",      "yield",       "delete",  "resume",
    "return",   "static",   "switch",   "typeof",   "default",    "extends",     "foreach", "rawcall",
    "__FILE__", "__LINE__", "continue", "function", "instanceof", "constructor",
};
static const uint8_t words_from[LONGEST_WORD + 2] = { 0, 0, 0, 3, 5, 12, 22, 28, 32, 36, 36, 37, 38 };

/* A letter of Squirrel's identifiers; they may also have digits after the first. */
static bool is_letter(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/* True for a name that needs no brackets as a key: letters and digits, not a digit first, and not a reserved word. Only
 * the reserved words of the same length are compared: words_from has the index of the first one of each length. */
static bool is_identifier(const uint8_t *bytes, uint32_t length)
{
    if (!length || !is_letter(bytes[0]))
        return false;
    for (uint32_t i = 1; i < length; i++)
        if (!is_letter(bytes[i]) && (bytes[i] < '0' || bytes[i] > '9'))
            return false;
    if (length > LONGEST_WORD)
        return true;
    for (uint8_t i = words_from[length]; i < words_from[length + 1]; i++)
        if (words[i][0] == (char)bytes[0] && !memcmp(words[i], bytes, length))
            return false;
    return true;
}

/* ---- operators ----------------------------------------------------------------------------------------- */

typedef enum rank {
    RANK_ADDITIVE,
    RANK_MULTIPLICATIVE,
    RANK_UNARY,
    RANK_PRIMARY,
} rank;

/* The precedence of the Squirrel source that a command or value is printed as. All tags but those of the arithmetic
 * operators are printed as calls, containers or literals, which have the highest; rank_of() adds the sign of a
 * number. */
static rank rank_of_tag(uint8_t tag)
{
    switch (tag) {
    case GW_SQUIRREL_ADD:
    case GW_SQUIRREL_SUBTRACT:
        return RANK_ADDITIVE;
    case GW_SQUIRREL_MULTIPLY:
    case GW_SQUIRREL_DIVIDE:
    case GW_SQUIRREL_MODULO:
        return RANK_MULTIPLICATIVE;
    case GW_SQUIRREL_NEGATE:
        return RANK_UNARY;
    default:
        return RANK_PRIMARY;
    }
}

/* The precedence of the source of an event: that of its tag, but a negative number is printed with a minus sign, and so
 * has the precedence of a negation. Of a float the sign bit decides, because -0.0 is printed with the sign too. */
static rank rank_of(const gw_squirrel_event *event)
{
    bool negative = false;
    if (event->kind == GW_VALUE) {
        if (event->tag == GW_SQUIRREL_INT32 || event->tag == GW_SQUIRREL_INT16)
            negative = event->number < 0;
        else if (event->tag == GW_SQUIRREL_FLOAT)
            negative = signbit(event->real[0]) != 0;
    }
    return negative ? RANK_UNARY : rank_of_tag(event->tag);
}

/* True if the value or command of this event is printed in parentheses. False at depth 0, and in calls and containers
 * (RANK_PRIMARY), whose values have separators. The operand of a negation has them unless it is a call or a literal
 * without a minus sign: two consecutive minus signs would be a decrement. The left operand of a binary operator has
 * them if its own operator has lower precedence, the right operand also if it has the same: "a - (b - c)", since all
 * arithmetic operators of Squirrel are left-associative. */
static bool needs_parentheses(const gw_squirrel_printer *printer, const gw_squirrel_event *event)
{
    if (!event->depth)
        return false;
    rank outer = rank_of_tag(printer->tags[event->depth - 1]);
    if (outer == RANK_PRIMARY)
        return false;
    if (outer == RANK_UNARY)
        return rank_of(event) < RANK_PRIMARY;
    return event->role == GW_SQUIRREL_ROLE_LEFT ? rank_of(event) < outer : rank_of(event) <= outer;
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* Prints the separator between the value and the one before it, by the value's role in its parent: an operator's sign,
 * a comma or an equals sign; and the opening bracket of a key. The other roles are of first values, which have none,
 * and of the second one of ClientData, whose comma gw_squirrel_print() prints. */
static void print_before(const gw_squirrel_printer *printer, const gw_squirrel_event *event)
{
    gw_text *text = printer->text;
    const gw_squirrel_type *parent = gw_squirrel_find_type(event->depth ? printer->tags[event->depth - 1] : 0);
    switch (event->role) {
    case GW_SQUIRREL_ROLE_OPERAND:
        gw_text_char(text, ' ');
        gw_text_string(text, parent->spelling);
        gw_text_char(text, ' ');
        break;
    case GW_SQUIRREL_ROLE_ENVIRONMENT:
    case GW_SQUIRREL_ROLE_PARAMETER:
        gw_text_bytes(text, ", ", 2);
        break;
    case GW_SQUIRREL_ROLE_ELEMENT:
        if (event->index)
            gw_text_bytes(text, ", ", 2);
        break;
    case GW_SQUIRREL_ROLE_KEY:
        /* The members of a class have no comma between them. In the two Ex commands the object precedes the key. */
        if (event->index && parent->tag == GW_SQUIRREL_CLASS)
            gw_text_string(text, "; ");
        else if (event->index || parent->tag == GW_SQUIRREL_GET_EX || parent->tag == GW_SQUIRREL_SET_EX)
            gw_text_bytes(text, ", ", 2);
        if (printer->bracketed_key)
            gw_text_char(text, '[');
        break;
    case GW_SQUIRREL_ROLE_VALUE:
        gw_text_string(text, parent->pairs ? " = " : ", ");
        break;
    default:
        break;
    }
}

/* Prints the beginning of a container, a command or an operator: "[", "{", the name of a call and "(", or the sign of
 * a negation. Binary operators have none: print_before() prints their sign before their second operand. Stores the tag
 * and the parentheses for the values in it and for print_close(). */
static void print_open(gw_squirrel_printer *printer, const gw_squirrel_event *event)
{
    const gw_squirrel_type *type = gw_squirrel_find_type(event->tag);
    printer->tags[event->depth] = event->tag;
    printer->parenthesized[event->depth] = needs_parentheses(printer, event);
    if (printer->parenthesized[event->depth])
        gw_text_char(printer->text, '(');
    if (event->tag == GW_SQUIRREL_CLASS)
        gw_text_string(printer->text, "class ");
    if (event->tag == GW_SQUIRREL_NEGATE)
        gw_text_char(printer->text, '-');
    else if (type->pairs)
        gw_text_char(printer->text, '{');
    else if (!gw_squirrel_is_command(type))
        gw_text_char(printer->text, '[');
    else if (rank_of_tag(event->tag) == RANK_PRIMARY) {
        gw_text_string(printer->text, type->spelling);
        gw_text_char(printer->text, '(');
    }
}

/* Prints the end of a container, a command or an operator; before that "…" for each operand that an operator lacks,
 * because the command ended early (GW_SQUIRREL_ODD_OPERAND_MISSING). */
static void print_close(gw_squirrel_printer *printer, const gw_squirrel_event *event)
{
    const gw_squirrel_type *type = gw_squirrel_find_type(event->tag);
    bool is_operator = rank_of_tag(event->tag) != RANK_PRIMARY;
    /* An operator without its operand would not be visible: "a" plus nothing prints as "a" + … */
    for (uint32_t i = event->values; is_operator && i < type->operands; i++) {
        if (i) {
            gw_text_char(printer->text, ' ');
            gw_text_string(printer->text, type->spelling);
            gw_text_char(printer->text, ' ');
        }
        gw_text_string(printer->text, skipped);
    }
    if (type->pairs)
        gw_text_char(printer->text, '}');
    else if (!gw_squirrel_is_command(type))
        gw_text_char(printer->text, ']');
    else if (!is_operator)
        gw_text_char(printer->text, ')');
    if (printer->parenthesized[event->depth])
        gw_text_char(printer->text, ')');
}

/* Starts a line at the end of `text`. */
void gw_squirrel_printer_init(gw_squirrel_printer *printer, gw_text *text)
{
    *printer = (gw_squirrel_printer){ .text = text };
}

/* Prints one event: the separator before it, brackets of a key, and the value, the beginning or end of a container or
 * command, or "…" for the bytes that the reader skipped (GW_OPAQUE). A bare key is a key of a table or class that is
 * printed without brackets and quotation marks. After GW_OPEN of a key that is a container or command, the closing
 * bracket is printed with its GW_CLOSE. */
void gw_squirrel_print_event(gw_squirrel_printer *printer, const uint8_t *bytes, const gw_squirrel_event *event)
{
    if (printer->text->cut)
        return;
    gw_text *text = printer->text;
    const uint8_t *payload = bytes + event->payload.offset;
    /* The key of a table or class is printed as an identifier if it is one: name = 1; else in brackets: [2] = 1. */
    bool is_key = event->depth && event->role == GW_SQUIRREL_ROLE_KEY &&
                  gw_squirrel_find_type(printer->tags[event->depth - 1])->pairs;
    printer->bare_key = is_key && event->kind == GW_VALUE && event->tag == GW_SQUIRREL_STRING &&
                        is_identifier(payload, event->payload.length);
    printer->bracketed_key = is_key && !printer->bare_key;
    if (event->kind != GW_CLOSE)
        print_before(printer, event);
    switch (event->kind) {
    case GW_OPEN:
        print_open(printer, event);
        return;
    case GW_CLOSE:
        print_close(printer, event);
        break;
    case GW_VALUE:
        if (printer->bare_key) {
            gw_text_bytes(text, (const char *)payload, event->payload.length);
        } else if (needs_parentheses(printer, event)) {
            gw_text_char(text, '(');
            gw_squirrel_print_value(text, bytes, event);
            gw_text_char(text, ')');
        } else {
            gw_squirrel_print_value(text, bytes, event);
        }
        break;
    default:
        gw_text_string(text, skipped);
        break;
    }
    if (printer->bracketed_key)
        gw_text_char(text, ']');
}

/* True if a fault of the reader ended a value early: the text printed so far needs "…" at its end. VALUE_MISSING at
 * depth 0 is the second value of a pair: the first one was printed to its end. */
bool gw_squirrel_is_cut(const gw_squirrel_reader *reader)
{
    /* Not cut: nothing was begun; bytes after a complete value; or the end of the input before a further value at the
     * top. */
    if (reader->fault.fault_class == GW_FAULT_MALFORMED || !reader->levels[0].values)
        return false;
    return reader->depth || reader->fault.code != GW_SQUIRREL_FAULT_VALUE_MISSING;
}

/* The whole content; the two values of ClientData have a comma between them. */
void gw_squirrel_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_squirrel_options *options)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_printer printer;
    gw_next answer = GW_NEXT_END;
    gw_squirrel_init(&reader, bytes, length, options);
    gw_squirrel_printer_init(&printer, text);
    while (!text->cut && (answer = gw_squirrel_next(&reader, &event)) == GW_NEXT_EVENT) {
        if (event.role == GW_SQUIRREL_ROLE_DATA && event.kind != GW_CLOSE)
            gw_text_bytes(text, ", ", 2);
        gw_squirrel_print_event(&printer, bytes, &event);
    }
    if (answer == GW_NEXT_FAULT && gw_squirrel_is_cut(&reader))
        gw_text_string(text, skipped);
}

/* ---- names --------------------------------------------------------------------------------------------- */

#define STEP_SIZE 200 /* of a part of the name, with its quotation marks */

/* True for events that may be part of a name: the command itself, at depth 0, and strings, GetRemoteValue and
 * GetRemoteValueEx inside it. */
static bool is_plain_step(const gw_squirrel_event *event)
{
    switch (event->kind) {
    case GW_OPEN:
        return !event->depth || event->tag == GW_SQUIRREL_GET || event->tag == GW_SQUIRREL_GET_EX;
    case GW_VALUE:
        return event->tag == GW_SQUIRREL_STRING;
    default:
        return event->kind == GW_CLOSE;
    }
}

/* Appends the name of the function or value that the command at options->offset refers to, for its label and for
 * statistics: the strings of the command and of the GetRemoteValue commands in it, with points between them. False if
 * the name is computed: a part of it is neither a string nor such a command. The command is read as one value, even if
 * the content of its frame has another form. */
bool gw_squirrel_print_name(gw_text *text, const uint8_t *bytes, size_t length, const gw_squirrel_options *options)
{
    gw_squirrel_options here = options ? *options : (gw_squirrel_options){ .reading = GW_SQUIRREL_BYTES_FIRST };
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    size_t before = text->length;
    here.content = GW_SQUIRREL_CONTENT_VALUE;
    gw_squirrel_init(&reader, bytes, length, &here);
    while (!text->cut && gw_squirrel_next(&reader, &event) == GW_NEXT_EVENT) {
        /* The operands that make up the name are first: it ends before a parameter, an environment or the value to be
         * set. */
        if (event.depth == 1 && event.kind != GW_CLOSE &&
            (event.role == GW_SQUIRREL_ROLE_PARAMETER || event.role == GW_SQUIRREL_ROLE_ENVIRONMENT ||
             event.role == GW_SQUIRREL_ROLE_VALUE))
            break;
        if (!is_plain_step(&event))
            return false;
        if (event.kind != GW_VALUE)
            continue;
        char buffer[STEP_SIZE];
        gw_text quoted;
        gw_text_init(&quoted, buffer, sizeof buffer);
        gw_squirrel_print_string(&quoted, bytes + event.payload.offset, event.payload.length);
        gw_text_string(text, text->length == before ? "" : ".");
        /* Without the quotation marks; a text that was cut has only the first one. */
        gw_text_bytes(text, buffer + 1, quoted.length - (quoted.cut ? 1 : 2));
    }
    return text->length > before;
}
