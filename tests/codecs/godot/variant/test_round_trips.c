/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Random documents, written, read back and written again: what is read is what was meant, and the bytes come
 * out the same.
 *
 * GAMEWIRE_ROUND_TRIPS sets how many for each generation, GAMEWIRE_SEED where the generator starts.
 */
#include "reading.h"
#include "rewriting.h"

#include <stdio.h>

#define ROUND_TRIPS 50000
#define DEEPEST     5
#define MAX_ITEMS   4096

/* The expected contents of one event: `content` is a hash of the whole value. */
struct item {
    uint8_t kind;
    uint8_t type;
    uint8_t depth;
    uint64_t content;
};

struct document {
    struct dice dice;
    gw_godot_writer writer;
    struct item items[MAX_ITEMS];
    uint32_t count;
    uint8_t bytes[1 << 17];
};

static struct document document;

/* ---- hashes -------------------------------------------------------------------------------------------- */

static uint64_t fold(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x9E3779B97F4A7C15) + (hash >> 29);
}

static uint64_t fold_text(uint64_t hash, const void *text, size_t length)
{
    const uint8_t *bytes = text;
    for (size_t i = 0; i < length; i++)
        hash = fold(hash, bytes[i]);
    return fold(hash, length);
}

static uint64_t fold_real(uint64_t hash, double real)
{
    return fold(hash, gw_double_bits(real));
}

/* ---- contents of events -------------------------------------------------------------------------------- */

static uint64_t fold_span(uint64_t hash, const uint8_t *bytes, gw_span span)
{
    return fold_text(hash, bytes + span.offset, span.length);
}

static uint64_t content_of_strings(const uint8_t *bytes, const gw_godot_event *event)
{
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_node_path path;
    uint64_t hash = 0;
    if (event->type == GW_GODOT_NODE_PATH && gw_godot_node_path_of(bytes, event, &path))
        hash = fold(fold(fold(0, path.names), path.subnames), path.flags);
    gw_godot_strings_init(&strings, bytes, event);
    while (gw_godot_strings_next(&strings, &string))
        hash = fold_span(hash, bytes, string.text);
    return hash;
}

static uint64_t content_of_declaration(uint64_t hash, const uint8_t *bytes, const gw_godot_event *event, uint32_t which)
{
    gw_godot_declaration declared;
    gw_godot_declaration_of(bytes, event, which, &declared);
    hash = fold(hash, declared.kind);
    if (declared.kind == GW_GODOT_BUILTIN)
        return fold(hash, declared.type);
    return declared.kind == GW_GODOT_UNTYPED ? hash : fold_span(hash, bytes, declared.text);
}

static uint64_t content_of_open(const uint8_t *bytes, const gw_godot_event *event)
{
    uint64_t hash = fold(0, event->count);
    if (event->type == GW_GODOT_OBJECT)
        return fold_span(hash, bytes, event->text);
    hash = content_of_declaration(hash, bytes, event, 0);
    return event->type == GW_GODOT_ARRAY ? hash : content_of_declaration(hash, bytes, event, 1);
}

static uint64_t content_of_numbers(const uint8_t *bytes, const gw_godot_event *event)
{
    uint32_t numbers = gw_godot_components((gw_godot_type)event->type);
    uint64_t hash = 0;
    numbers *= event->kind == GW_PACKED ? event->count : 1;
    for (uint32_t i = 0; i < numbers; i++)
        hash = gw_godot_components_are_integers((gw_godot_type)event->type)
                   ? fold(hash, (uint64_t)gw_godot_integer_at(bytes, event, i))
                   : fold_real(hash, gw_godot_real_at(bytes, event, i));
    return hash;
}

static uint64_t content_of_value(const uint8_t *bytes, const gw_godot_event *event)
{
    switch (event->type) {
    case GW_GODOT_NIL:
    case GW_GODOT_CALLABLE:
        return 0;
    case GW_GODOT_BOOL:
    case GW_GODOT_INT:
        return fold(0, (uint64_t)event->number);
    case GW_GODOT_FLOAT:
        return fold_real(0, event->real);
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        return fold_span(0, bytes, event->text);
    case GW_GODOT_NODE_PATH:
    case GW_GODOT_STRING_ARRAY:
        return content_of_strings(bytes, event);
    case GW_GODOT_RID:
    case GW_GODOT_OBJECT:
        return event->payload.length ? fold(0, event->number) : 0;
    case GW_GODOT_SIGNAL:
        return fold(fold_span(0, bytes, event->text), event->number);
    case GW_GODOT_IMAGE:
        return fold_text(0, bytes + event->header.offset + 4, 20 + event->count);
    case GW_GODOT_INPUT_EVENT:
        return fold_text(0, bytes + event->header.offset + 4, 12 + event->payload.length);
    default:
        return content_of_numbers(bytes, event);
    }
}

/* ---- random values ------------------------------------------------------------------------------------- */

static void meant(gw_kind kind, gw_godot_type type, uint32_t depth, uint64_t content)
{
    assert_true(document.count < MAX_ITEMS);
    document.items[document.count++] = (struct item){ (uint8_t)kind, (uint8_t)type, (uint8_t)depth, content };
}

static uint32_t below(uint32_t sides)
{
    return roll_below(&document.dice, sides);
}

/* Text of 0 to 11 characters of one to four bytes. */
static size_t random_text(char *text)
{
    static const char *const characters[] = {
        "a", "z", "\"", "\\", "\n", "\xC3\xA9", "\xE6\x97\xA5", "\xF0\x9F\x8E\xAE"
    };
    *text = '\0';
    for (uint32_t i = below(12); i; i--)
        strcat(text, characters[below(COUNT_OF(characters))]);
    return strlen(text);
}

static float random_float(void)
{
    uint32_t bits = (uint32_t)roll(&document.dice);
    /* A signalling NaN would be changed to a quiet one. */
    return (bits & 0x7f800000) == 0x7f800000 ? -0.0f : gw_float_from_bits(bits);
}

static double random_real(bool single)
{
    if (single || below(2))
        return (double)random_float();
    uint64_t bits = roll(&document.dice);
    return (bits >> 52 & 0x7ff) == 0x7ff ? 0.1 : gw_double_from_bits(bits);
}

static int64_t random_integer(bool single)
{
    int64_t integer = (int64_t)roll(&document.dice) >> below(64);
    return single ? (int32_t)integer : integer;
}

static bool is_2(void)
{
    return document.writer.generation == GW_GODOT_2;
}

static uint64_t write_strings(gw_godot_type type)
{
    static char texts[9][64];
    const char *names[9];
    gw_godot_node_path path = { below(4), below(4), below(4) };
    uint32_t count = type == GW_GODOT_NODE_PATH ? path.names + path.subnames + (path.flags >> 1) : below(9);
    uint64_t hash = type == GW_GODOT_NODE_PATH ? fold(fold(fold(0, path.names), path.subnames), path.flags) : 0;
    for (uint32_t i = 0; i < count; i++) {
        hash = fold_text(hash, texts[i], random_text(texts[i]));
        names[i] = texts[i];
    }
    if (type == GW_GODOT_NODE_PATH)
        gw_godot_write_node_path(&document.writer, &path, names);
    else
        gw_godot_write_string_array(&document.writer, names, count);
    return hash;
}

static uint64_t write_reals(gw_godot_type type, bool packed)
{
    double reals[16 * 6];
    uint32_t count = packed ? below(6) : 1;
    uint64_t hash = 0;
    bool widens = document.writer.wide && type != GW_GODOT_COLOR && type != GW_GODOT_COLOR_ARRAY &&
                  type != GW_GODOT_FLOAT32_ARRAY && document.writer.generation == GW_GODOT_4;
    bool single = !widens && type != GW_GODOT_FLOAT64_ARRAY;
    for (uint32_t i = 0; i < count * gw_godot_components(type); i++)
        hash = fold_real(hash, reals[i] = random_real(single));
    if (packed)
        gw_godot_write_real_array(&document.writer, type, reals, count);
    else
        gw_godot_write_reals(&document.writer, type, reals);
    return hash;
}

static uint64_t write_integers(gw_godot_type type, bool packed)
{
    int64_t integers[8];
    int32_t components[4];
    uint32_t count = packed ? below(8) : gw_godot_components(type);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        integers[i] = random_integer(type != GW_GODOT_INT64_ARRAY);
        components[i & 3] = (int32_t)integers[i];
        hash = fold(hash, (uint64_t)integers[i]);
    }
    if (packed)
        gw_godot_write_integer_array(&document.writer, type, integers, count);
    else
        gw_godot_write_integers(&document.writer, type, components);
    return hash;
}

static uint64_t write_byte_array(void)
{
    uint8_t bytes[16];
    uint32_t count = below(16);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++)
        hash = fold(hash, bytes[i] = (uint8_t)roll(&document.dice));
    gw_godot_write_byte_array(&document.writer, bytes, count);
    return hash;
}

static uint64_t write_image(void)
{
    const gw_godot_image image = { below(9), below(4), below(64), below(64) };
    const uint8_t pixels[] = { 1, 2, 3, 4, 5, 6, 7 };
    uint8_t expected[32];
    gw_output output;
    uint32_t count = below(8);
    gw_output_init(&output, expected, sizeof expected);
    gw_put_le32(&output, image.format);
    gw_put_le32(&output, image.mipmaps);
    gw_put_le32(&output, image.width);
    gw_put_le32(&output, image.height);
    gw_put_le32(&output, count);
    gw_put_bytes(&output, pixels, count);
    gw_godot_write_image(&document.writer, &image, pixels, count);
    return fold_text(0, expected, output.length);
}

static uint64_t write_input_event(void)
{
    const uint32_t details[] = { below(8), below(256) };
    uint8_t expected[20];
    gw_output output;
    uint32_t event = below(10), count = below(3);
    gw_output_init(&output, expected, sizeof expected);
    gw_put_le32(&output, event);
    gw_put_le32(&output, 0);
    gw_put_le32(&output, 12 + 4 * count);
    for (uint32_t i = 0; i < count; i++)
        gw_put_le32(&output, details[i]);
    gw_godot_write_input_event(&document.writer, event, 0, details, count);
    return fold_text(0, expected, output.length);
}

static uint64_t write_text(gw_godot_type type)
{
    char text[64];
    size_t length = random_text(text);
    uint64_t id = roll(&document.dice);
    if (type == GW_GODOT_SIGNAL) {
        gw_godot_write_signal(&document.writer, text, (uint32_t)length, id);
        return fold(fold_text(0, text, length), id);
    }
    gw_godot_write_text(&document.writer, type, text, (uint32_t)length);
    return fold_text(0, text, length);
}

static uint64_t write_id(gw_godot_type type)
{
    uint64_t id = roll(&document.dice);
    if (type == GW_GODOT_OBJECT) {
        gw_godot_write_object_id(&document.writer, id);
        return is_2() ? 0 : fold(0, id);
    }
    gw_godot_write_rid(&document.writer, id);
    return document.writer.generation == GW_GODOT_4 ? fold(0, id) : 0;
}

static uint64_t write_scalar(gw_godot_type type)
{
    int64_t integer = random_integer(is_2());
    double real = random_real(is_2());
    if (type == GW_GODOT_NIL) {
        gw_godot_write_nil(&document.writer);
        return 0;
    }
    if (type == GW_GODOT_BOOL) {
        gw_godot_write_bool(&document.writer, integer & 1);
        return fold(0, integer & 1);
    }
    if (type == GW_GODOT_INT) {
        gw_godot_write_int(&document.writer, integer);
        return fold(0, (uint64_t)integer);
    }
    gw_godot_write_float(&document.writer, real);
    return fold_real(0, real);
}

static uint64_t write_leaf(gw_godot_type type)
{
    switch (type) {
    case GW_GODOT_NIL:
    case GW_GODOT_BOOL:
    case GW_GODOT_INT:
    case GW_GODOT_FLOAT:
        return write_scalar(type);
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
    case GW_GODOT_SIGNAL:
        return write_text(type);
    case GW_GODOT_NODE_PATH:
    case GW_GODOT_STRING_ARRAY:
        return write_strings(type);
    case GW_GODOT_RID:
    case GW_GODOT_OBJECT:
        return write_id(type);
    case GW_GODOT_CALLABLE:
        gw_godot_write_callable(&document.writer);
        return 0;
    case GW_GODOT_BYTE_ARRAY:
        return write_byte_array();
    case GW_GODOT_IMAGE:
        return write_image();
    case GW_GODOT_INPUT_EVENT:
        return write_input_event();
    default:
        if (gw_godot_components_are_integers(type))
            return write_integers(type, type > GW_GODOT_ARRAY);
        return write_reals(type, type > GW_GODOT_ARRAY);
    }
}

static void write_random(uint32_t depth);

static gw_godot_typed random_typed(uint64_t *hash)
{
    gw_godot_typed typed = { (gw_godot_container_kind)below(4), (gw_godot_type)below(GW_GODOT_IMAGE), "Node2D" };
    if (document.writer.generation != GW_GODOT_4)
        typed.kind = GW_GODOT_UNTYPED;
    *hash = fold(*hash, typed.kind);
    if (typed.kind == GW_GODOT_BUILTIN)
        *hash = fold(*hash, typed.type);
    else if (typed.kind != GW_GODOT_UNTYPED)
        *hash = fold_text(*hash, typed.name, 6);
    return typed;
}

static void write_container(gw_godot_type type, uint32_t depth)
{
    uint32_t count = below(5);
    uint64_t hash = fold(0, count);
    bool shared = is_2() && below(2);
    gw_godot_typed first = random_typed(&hash);
    if (type == GW_GODOT_ARRAY) {
        gw_godot_write_array(&document.writer, &first, count, shared);
    } else {
        gw_godot_typed second = random_typed(&hash);
        gw_godot_write_dictionary(&document.writer, &first, &second, count, shared);
    }
    meant(GW_OPEN, type, depth, hash);
    for (uint32_t i = 0; i < (type == GW_GODOT_ARRAY ? count : 2 * count); i++)
        write_random(depth + 1);
    meant(GW_CLOSE, type, depth, 0);
}

static void write_full_object(uint32_t depth)
{
    uint32_t count = below(4);
    gw_godot_write_object(&document.writer, "Sprite", count);
    meant(GW_OPEN, GW_GODOT_OBJECT, depth, fold_text(fold(0, count), "Sprite", 6));
    for (uint32_t i = 0; i < count; i++) {
        meant(GW_VALUE, GW_GODOT_STRING, depth + 1, write_text(GW_GODOT_TYPES));
        write_random(depth + 1);
    }
    meant(GW_CLOSE, GW_GODOT_OBJECT, depth, 0);
}

static void write_random(uint32_t depth)
{
    gw_godot_generation generation = document.writer.generation;
    gw_godot_type type = gw_godot_type_of_wire(generation, below(gw_godot_wire_types(generation)));
    /* Makes containers more frequent, which would be rare among so many types. */
    if (depth < DEEPEST && !below(3))
        type = below(2) ? GW_GODOT_ARRAY : GW_GODOT_DICTIONARY;
    document.writer.wide = below(4) == 0;
    if (depth < DEEPEST && (type == GW_GODOT_ARRAY || type == GW_GODOT_DICTIONARY)) {
        write_container(type, depth);
    } else if (depth < DEEPEST && type == GW_GODOT_OBJECT && !is_2() && below(2)) {
        write_full_object(depth);
    } else {
        if (type == GW_GODOT_ARRAY || type == GW_GODOT_DICTIONARY)
            type = GW_GODOT_NIL;
        bool packed = type >= GW_GODOT_BYTE_ARRAY && type < GW_GODOT_IMAGE;
        meant(packed ? GW_PACKED : GW_VALUE, type, depth, 0);
        uint32_t item = document.count - 1;
        document.items[item].content = write_leaf(type);
    }
}

/* ---- round trips --------------------------------------------------------------------------------------- */

static void assert_item(const struct item *item, const uint8_t *bytes, const gw_godot_event *event)
{
    assert_int_equal(event->kind, item->kind);
    assert_int_equal(event->type, item->type);
    assert_int_equal(event->depth, item->depth);
    assert_int_equal(event->odd & ~(uint32_t)(GW_GODOT_ODD_WIDE | GW_GODOT_ODD_FULL_OBJECT | GW_GODOT_ODD_ELEMENT_TYPE),
                     0);
    if (event->kind == GW_OPEN)
        assert_int_equal(content_of_open(bytes, event), item->content);
    else if (event->kind != GW_CLOSE)
        assert_int_equal(content_of_value(bytes, event), item->content);
}

static void read_back(uint32_t length)
{
    static uint8_t again[sizeof document.bytes];
    const gw_godot_options options = { .generation = document.writer.generation };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_writer writer;
    uint32_t at = 0;
    gw_godot_init(&reader, document.bytes, length, &options);
    gw_godot_writer_init(&writer, options.generation, again, sizeof again);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT) {
        assert_true(at < document.count);
        assert_item(&document.items[at++], document.bytes, &event);
        rewrite_event(&writer, document.bytes, &event);
    }
    assert_int_equal(reader.fault.fault_class, GW_FAULT_NONE);
    assert_int_equal(reader.offset, length);
    assert_int_equal(at, document.count);
    assert_int_equal(writer.output.length, length);
    assert_memory_equal(again, document.bytes, length);
}

static void round_trips(gw_godot_generation generation)
{
    unsigned long trips = number_from_environment("GAMEWIRE_ROUND_TRIPS", ROUND_TRIPS);
    document.dice.state = number_from_environment("GAMEWIRE_SEED", 20260101) + generation;
    for (unsigned long i = 0; i < trips; i++) {
        gw_godot_writer_init(&document.writer, generation, document.bytes, sizeof document.bytes);
        document.count = 0;
        write_random(0);
        assert_true(gw_output_complete(&document.writer.output));
        read_back((uint32_t)document.writer.output.length);
    }
}

TEST(documents_of_godot_2)
{
    round_trips(GW_GODOT_2);
}

TEST(documents_of_godot_3)
{
    round_trips(GW_GODOT_3);
}

TEST(documents_of_godot_4)
{
    round_trips(GW_GODOT_4);
}
