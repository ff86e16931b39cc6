/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Our text of each packet against what the engine itself printed of the value that it sent.
 *
 * Both are brought to one spelling by named rules, in the order of `rules` below; a packet that needs no rule
 * is equal as it is, and any difference that no rule explains fails.
 */
#include "captures.h"
#include "reading.h"
#include "records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_SIZE (4 * RECORD_TEXT)

/* The text of the engine and the text of the codec, which the rules make equal. */
struct pair {
    const engine_record *record;
    bool is_4;
    char engine[TEXT_SIZE];
    char ours[TEXT_SIZE];
};

/* ---- helpers ------------------------------------------------------------------------------------------- */

/* Replaces each `from` in `text`. */
static void replace(char *text, const char *from, const char *to)
{
    for (char *at = text; (at = strstr(at, from)); at += strlen(to)) {
        size_t rest = strlen(at + strlen(from)) + 1;
        assert_true((size_t)(at - text) + strlen(to) + rest <= TEXT_SIZE);
        memmove(at + strlen(to), at + strlen(from), rest);
        memcpy(at, to, strlen(to));
    }
}

/* The text after the quoted string that begins at `at`. */
static const char *after_quoted(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* After the value that begins at `at`: the next comma, colon or closing bracket outside of brackets. */
static const char *after_value(const char *at)
{
    int depth = 0;
    while (*at) {
        if (*at == '"') {
            at = after_quoted(at);
            continue;
        }
        if (strchr("([{", *at))
            depth++;
        else if (strchr(")]}", *at) && depth-- == 0)
            break;
        else if (*at == ',' && !depth)
            break;
        at++;
    }
    return at;
}

/* ---- rules --------------------------------------------------------------------------------------------- */

/* An object that was sent as an id: the engine prints the object before sending, the wire contains the object after
 * decoding. */
static void objects_as_ids(struct pair *pair)
{
    if (!pair->record->full_objects && strstr(pair->record->received, "EncodedObjectAsID"))
        strcpy(pair->engine, pair->record->received);
}

/* The engine's substitute for such an object has a script property, which is not on the wire. */
static void stand_in_script(struct pair *pair)
{
    char *at = pair->engine;
    while ((at = strstr(at, "EncodedObjectAsID,\"object_id\":"))) {
        at += strlen("EncodedObjectAsID,\"object_id\":");
        at += strspn(at, "-0123456789");
        if (!strncmp(at, ",\"script\":null", 14))
            memmove(at, at + 14, strlen(at + 14) + 1);
    }
}

/* Entries of dictionaries and ends of objects are on separate lines. */
static void line_breaks(struct pair *pair)
{
    char *to = pair->engine;
    for (const char *at = pair->engine; *at;) {
        if (*at == '"') {
            const char *after = after_quoted(at);
            memmove(to, at, (size_t)(after - at));
            to += after - at;
            at = after;
        } else if (*at == '\n') {
            if (to > pair->engine && to[-1] == ',')
                *to++ = ' ';
            at++;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

/* Characters that would break the line or hide are escaped in ours. */
static void control_characters(struct pair *pair)
{
    static const char *const escapes[] = { "\a",  "\\a", "\b",  "\\b", "\t",  "\\t", "\n",
                                           "\\n", "\v",  "\\v", "\f",  "\\f", "\r",  "\\r" };
    for (unsigned i = 0; i < COUNT_OF(escapes); i += 2)
        replace(pair->engine, escapes[i], escapes[i + 1]);
    for (char raw = 1; raw < 0x20; raw++) {
        char escaped[8];
        snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)raw);
        replace(pair->engine, (const char[]){ raw, '\0' }, escaped);
    }
    replace(pair->engine, "\x7f", "\\u007f");
}

/* Half a surrogate pair is no UTF-8: ours shows its bytes; 3.2.3 prints it, and 3.6 and 4 never send it. */
static void half_surrogates(struct pair *pair)
{
    replace(pair->engine, "\xed\xa0\x80", "\\xed\\xa0\\x80");
    replace(pair->engine, "\xed\xbf\xbf", "\\xed\\xbf\\xbf");
}

/* Godot 3 prints nothing at all for a RID. */
static void rids_of_godot_3(struct pair *pair)
{
    if (pair->is_4)
        return;
    if (!*pair->engine)
        strcpy(pair->engine, "RID()");
    replace(pair->engine, ", , ", ", RID(), ");
}

/* 3.2.3 writes -inf for what later versions write as inf_neg. */
static void negative_infinity(struct pair *pair)
{
    if (pair->is_4)
        return;
    replace(pair->engine, "-inf.0", "inf_neg");
    replace(pair->engine, "-inf", "inf_neg");
}

/* Godot 4 prints no more than "Signal()"; name and object are on the wire. */
static void signals(struct pair *pair)
{
    char *at = strstr(pair->ours, "Signal(Object(");
    if (!at)
        return;
    const char *after = after_value(at + strlen("Signal("));
    while (*after == ',')
        after = after_value(after + 1);
    memmove(at + strlen("Signal("), after, strlen(after) + 1);
}

/* A script goes as its path (Godot 4), or as an object with its source (Godot 3): the engine prints a
 * resource. */
static void scripts(struct pair *pair)
{
    char *at;
    replace(pair->ours, "\"script\":\"res://item.gd\"", "\"script\":Resource(\"res://item.gd\")");
    if ((at = strstr(pair->ours, "\"script\":Object(GDScript,"))) {
        const char *after = after_value(at + strlen("\"script\":"));
        assert_non_null(strstr(at, "\"script/source\":\""));
        memmove(at, after, strlen(after) + 1);
        replace(pair->engine, "\"script\":Resource( \"res://item.gd\")", "");
    }
}

struct entries {
    const char *at[64];
    size_t length[64];
    unsigned count;
};

static void add_entry(struct entries *entries, const char *at, size_t length)
{
    unsigned place = entries->count++;
    assert_true(entries->count <= COUNT_OF(entries->at));
    for (; place && strncmp(entries->at[place - 1], at, length) > 0; place--) {
        entries->at[place] = entries->at[place - 1];
        entries->length[place] = entries->length[place - 1];
    }
    entries->at[place] = at;
    entries->length[place] = length;
}

/* Sorts the entries of the dictionary whose bracket is at `open` by their bytes. */
static void sort_dictionary(char *open)
{
    struct entries entries = { .count = 0 };
    char *sorted = malloc(strlen(open) + 1), *to = sorted;
    const char *at = open + 1;
    assert_non_null(sorted);
    while (*at && *at != '}') {
        const char *after = after_value(at);
        add_entry(&entries, at, (size_t)(after - at));
        at = after + (*after == ',' ? 2 : 0);
    }
    for (unsigned i = 0; i < entries.count; i++) {
        if (i)
            to = strcpy(to, ", ") + 2;
        memcpy(to, entries.at[i], entries.length[i]);
        to += entries.length[i];
    }
    memcpy(open + 1, sorted, (size_t)(to - sorted));
    free(sorted);
}

static void sort_dictionaries(char *text)
{
    /* The innermost first, so that entries with dictionaries are compared in their final form. */
    for (char *at = text + strlen(text); at-- > text;)
        if (*at == '{')
            sort_dictionary(at);
}

/* The engine prints keys sorted; on the wire, and in the codec's text, they are in the order of insertion. */
static void order_of_keys(struct pair *pair)
{
    sort_dictionaries(pair->engine);
    sort_dictionaries(pair->ours);
}

/* Replaces the codec's text of a number with the engine's, where `is_same` is true for both. The texts must be equal
 * except for such numbers; from the first other difference on they remain unchanged. */
static void adopt_numbers(struct pair *pair, bool (*is_same)(const char *engine, const char *ours))
{
    static const char of_numbers[] = "+-.0123456789einf_g";
    const char *engine = pair->engine;
    for (char *ours = pair->ours; *ours && *engine;) {
        char numbers[2][64];
        size_t lengths[2] = { strspn(engine, of_numbers), strspn(ours, of_numbers) };
        snprintf(numbers[0], sizeof numbers[0], "%.*s", (int)lengths[0], engine);
        snprintf(numbers[1], sizeof numbers[1], "%.*s", (int)lengths[1], ours);
        if (lengths[0] && lengths[1] && strcmp(numbers[0], numbers[1]) && is_same(numbers[0], numbers[1])) {
            memmove(ours + lengths[0], ours + lengths[1], strlen(ours + lengths[1]) + 1);
            memcpy(ours, engine, lengths[0]);
            ours += lengths[0];
            engine += lengths[0];
        } else if (*ours++ != *engine++) {
            break;
        }
    }
}

static bool is_negative_zero(const char *engine, const char *ours)
{
    return *ours == '-' && !strcmp(ours + 1, engine) && strtod(engine, NULL) == 0;
}

/* Engines do not print the sign of a zero that they sent. */
static void sign_of_zero(struct pair *pair)
{
    adopt_numbers(pair, is_negative_zero);
}

static bool is_rounded(const char *engine, const char *ours)
{
    char rounded[32];
    float number = strtof(ours, NULL);
    if (isinf(number))
        return !strcmp(engine, number > 0 ? "inf" : "inf_neg");
    snprintf(rounded, sizeof rounded, "%g", (double)number);
    if (!strpbrk(rounded, ".e") && strchr(engine, '.'))
        strcat(rounded, ".0");
    return !strcmp(rounded, engine);
}

/* Godot 3 prints floats of 32 bits, rounded to six digits, regardless of what it sent. */
static void six_digits_of_godot_3(struct pair *pair)
{
    if (!pair->is_4)
        adopt_numbers(pair, is_rounded);
}

static struct rule {
    const char *name;
    void (*apply)(struct pair *pair);
    unsigned used; /* number of packets of this capture that the rule changed */
} rules[] = {
    { "objects as ids", objects_as_ids, 0 },
    { "no script of a stand-in", stand_in_script, 0 },
    { "line breaks", line_breaks, 0 },
    { "control characters", control_characters, 0 },
    { "half surrogates", half_surrogates, 0 },
    { "RIDs of Godot 3", rids_of_godot_3, 0 },
    { "-inf of 3.2.3", negative_infinity, 0 },
    { "signals", signals, 0 },
    { "scripts", scripts, 0 },
    { "order of keys", order_of_keys, 0 },
    { "sign of zero", sign_of_zero, 0 },
    { "six digits of Godot 3", six_digits_of_godot_3, 0 },
};

/* ---- the captures -------------------------------------------------------------------------------------- */

static void print_ours(struct pair *pair, const capture_payload *payload)
{
    const gw_godot_options options = { .generation = pair->is_4 ? GW_GODOT_4 : GW_GODOT_3 };
    gw_text text;
    gw_text_init(&text, pair->ours, sizeof pair->ours);
    gw_godot_print(&text, payload->bytes, payload->length, &options);
    assert_false(text.cut);
    assert_null(strchr(pair->ours, '\n'));
}

/* Applies the rules one after the other until the two texts are equal. */
static bool brought_together(struct pair *pair)
{
    static struct pair before;
    for (unsigned i = 0; strcmp(pair->engine, pair->ours) && i < COUNT_OF(rules); i++) {
        before = *pair;
        rules[i].apply(pair);
        rules[i].used += strcmp(before.engine, pair->engine) || strcmp(before.ours, pair->ours);
    }
    return !strcmp(pair->engine, pair->ours);
}

struct comparison {
    FILE *records;
    bool is_4;
    unsigned equal; /* number of packets whose texts needed no rule */
};

static void compare_packet(const capture_payload *payload, void *context)
{
    static struct pair pair;
    static engine_record record;
    struct comparison *comparison = context;
    assert_true(next_record(comparison->records, &record));
    assert_int_equal(record.packet, payload->packet);
    pair.record = &record;
    pair.is_4 = comparison->is_4;
    strcpy(pair.engine, record.text);
    print_ours(&pair, payload);
    comparison->equal += !strcmp(pair.engine, pair.ours);
    if (!brought_together(&pair))
        fail_msg("%s, packet %u:\nengine %s\nours   %s", payload->file, payload->packet, pair.engine, pair.ours);
}

static void compare_capture(const char *name)
{
    char path[4096];
    struct comparison comparison = { .is_4 = strstr(name, "godot-4") != NULL };
    for (unsigned i = 0; i < COUNT_OF(rules); i++)
        rules[i].used = 0;
    snprintf(path, sizeof path, "%s/godot/variant/records/%s.jsonl", GAMEWIRE_PCAPS, name);
    assert_non_null(comparison.records = fopen(path, "r"));
    snprintf(path, sizeof path, "godot/variant/%s.pcap", name);
    unsigned packets = visit_captures(path, compare_packet, &comparison);
    static engine_record left_over;
    assert_false(next_record(comparison.records, &left_over));
    fclose(comparison.records);
    print_message("%s: %u of %u packets equal as they are\n", name, comparison.equal, packets);
    for (unsigned i = 0; i < COUNT_OF(rules); i++)
        if (rules[i].used)
            print_message("    %-24s %u\n", rules[i].name, rules[i].used);
}

static void compare_captures(const char *version)
{
    static const char *const parts[] = { "", "-vector3-only", "-late-proof", "-same-bytes" };
    for (unsigned i = 0; i < COUNT_OF(parts); i++) {
        char name[64];
        snprintf(name, sizeof name, "godot-%s%s", version, parts[i]);
        compare_capture(name);
    }
}

TEST(prints_as_3_2_3)
{
    compare_captures("3.2.3");
}

TEST(prints_as_3_6)
{
    compare_captures("3.6");
}

TEST(prints_as_4_6_3)
{
    compare_captures("4.6.3");
}
