/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A path is a base (of an argument or a property; a document has none) and a bracket for each step. A pattern is the
 * same, or has ".name" for ["name"].
 */
#include "internal.h"

static bool is_letter(char c)
{
    return g_ascii_isalpha(c) || c == '_';
}

/* The length of the name at the beginning of the text; 0: there is none. */
static size_t name_length(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length]) || (length && g_ascii_isdigit(text[length])))
        length++;
    return length;
}

/* The text after the closing quotation mark; NULL: there is none. */
static const char *after_quotes(const char *text)
{
    for (text++; *text && *text != '"'; text++)
        if (*text == '\\' && text[1])
            text++;
    return *text ? text + 1 : NULL;
}

/* After the bracket that the text begins with; NULL: it is not closed. Keys may have brackets of their own, in quotes.
 */
static const char *after_bracket(const char *text)
{
    for (text++; *text && *text != ']';) {
        text = *text == '"' ? after_quotes(text) : text + 1;
        if (!text)
            return NULL;
    }
    return *text ? text + 1 : NULL;
}

/* ---- matching ------------------------------------------------------------------------------------------ */

/* ["name"] or [&"name"] */
static bool is_step_of_name(const char *step, size_t step_length, const char *name, size_t length)
{
    size_t quote = step[1] == '&' ? 2 : 1;
    return length && step_length == quote + length + 3 && step[quote] == '"' &&
           !strncmp(step + quote + 1, name, length) && step[quote + 1 + length] == '"';
}

/* The pattern after one step of the path; NULL: the step does not match. */
static const char *after_step(const char *pattern, const char *step, size_t length, bool is_first)
{
    const char *name = pattern + (*pattern == '.');
    size_t named = is_first || *pattern == '.' ? name_length(name) : 0;
    if (g_str_has_prefix(pattern, "[*]"))
        return pattern + strlen("[*]");
    if (is_step_of_name(step, length, name, named))
        return name + named;
    return strncmp(pattern, step, length) ? NULL : pattern + length;
}

const char *godot_pattern_rest(const char *pattern, const char *path)
{
    size_t base = strcspn(path, "[");
    bool is_first = !base;
    if (!strcmp(path, GODOT_ROOT_PATH))
        return strcmp(pattern, GODOT_ROOT_PATH) ? pattern : "";
    if (strncmp(pattern, path, base) != 0)
        return NULL;
    pattern += base;
    for (path += base; *path && pattern; is_first = false) {
        const char *next = after_bracket(path);
        size_t length = next ? (size_t)(next - path) : strlen(path);
        pattern = after_step(pattern, path, length, is_first);
        path += length;
    }
    if (!pattern || (*pattern && *pattern != '.'))
        return NULL;
    return pattern + (*pattern == '.');
}

/* ---- checking ------------------------------------------------------------------------------------------ */

/* The text in brackets is an index, a text in quotes, or another literal. A name is an error, except these literals. */
static const char *bracket_error(const char *text, const char *end)
{
    static const char *const literals[] = { "true", "false", "null", "inf", "nan", "inf_neg" };
    size_t length = name_length(text);
    if (text == end)
        return "There is nothing between the brackets";
    if (text + length != end)
        return NULL;
    for (size_t i = 0; i < array_length(literals); i++)
        if (strlen(literals[i]) == length && !strncmp(literals[i], text, length))
            return NULL;
    return "A text in brackets needs quotation marks, or is written as a period and the name, as in players.hp";
}

static const char *argument_error(const char *pattern, size_t base)
{
    const char *bracket = memchr(pattern, '(', base);
    size_t digits = bracket ? strspn(bracket + 1, "0123456789") : 0;
    if (!bracket || (bracket > pattern && digits && bracket[1 + digits] == ')'))
        return NULL;
    return "An argument is written as the method and the number of the argument, as in take_damage(0)";
}

static const char *step_error(const char **step)
{
    const char *text = *step;
    const char *end = *text == '[' ? after_bracket(text) : NULL;
    if (*text == '.') {
        *step = text + 1 + name_length(text + 1);
        return *step == text + 1 ? "After a period comes a name; other keys are written in brackets, as in players[0]"
                                 : NULL;
    }
    if (*text != '[')
        return "Only a period or a bracket may follow a bracket or an argument";
    if (!end)
        return "A bracket or a quotation mark is not closed";
    *step = end;
    return bracket_error(text + 1, end - 1);
}

const char *godot_pattern_error(const char *pattern)
{
    size_t base = strcspn(pattern, "[.(");
    size_t whole = strcspn(pattern, "[");
    const char *error = NULL;
    if (!*pattern)
        return "The path is empty";
    if (!strcmp(pattern, GODOT_ROOT_PATH))
        return NULL;
    if (g_ascii_isspace(*pattern) || g_ascii_isspace(pattern[strlen(pattern) - 1]))
        return "The path begins or ends with a space";
    if (memchr(pattern, '"', base))
        return "A quotation mark is only valid in brackets";
    /* A property of a node below, as in "../Sprite2D:frame". */
    if (memchr(pattern, ':', whole) || memchr(pattern, '/', whole))
        base = whole;
    else if (pattern[base] == '(') {
        error = argument_error(pattern, strlen(pattern));
        base += error ? 0 : strcspn(pattern + base, ")") + 1;
    }
    for (const char *step = pattern + base; !error && *step;)
        error = step_error(&step);
    return error;
}
