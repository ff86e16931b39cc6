/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What holds for all Squirrel input: for random values, for every captured payload, cut anywhere or with any
 * byte changed.
 */
#include "captures.h"
#include "reading.h"

#define ROUND_TRIPS_VARIABLE "GAMEWIRE_ROUND_TRIPS"
#define DEFAULT_ROUND_TRIPS  100000
#define MAX_EVENTS           4096
#define MAX_DEPTH            5

/* ---- random values ------------------------------------------------------------------------------------- */

static uint64_t random_state;

/* splitmix64 */
static uint64_t random_bits(void)
{
    uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static unsigned random_below(unsigned limit)
{
    return (unsigned)(random_bits() % limit);
}

/* The written items, in the order in which they must be read. */
typedef struct written {
    gw_squirrel_event events[MAX_EVENTS];
    unsigned count;
    gw_output output;
    uint8_t bytes[1 << 16];
} written;

static written value;

static gw_squirrel_event *expect(uint8_t kind, uint8_t tag)
{
    gw_squirrel_event *event = &value.events[value.count++];
    assert_in_range(value.count, 1, MAX_EVENTS - 1);
    memset(event, 0, sizeof *event);
    event->kind = kind;
    event->tag = tag;
    return event;
}

static void write_random_text(uint8_t tag)
{
    char text[12];
    uint16_t length = (uint16_t)random_below(sizeof text);
    for (uint16_t i = 0; i < length; i++)
        text[i] = (char)random_bits();
    gw_squirrel_event *event = expect(GW_VALUE, tag);
    if (tag == GW_SQUIRREL_BLOB)
        gw_squirrel_write_blob(&value.output, text, length);
    else if (tag == GW_SQUIRREL_ERROR)
        gw_squirrel_write_error(&value.output, text, length);
    else
        gw_squirrel_write_string(&value.output, text, length);
    event->payload.offset = (uint32_t)value.output.length - length;
    event->payload.length = length;
}

static void write_random_floats(uint8_t tag, int count)
{
    gw_squirrel_event *event = expect(GW_VALUE, tag);
    for (int i = 0; i < count; i++)
        event->real[i] = gw_float_from_bits((uint32_t)random_bits());
    if (tag == GW_SQUIRREL_FLOAT)
        gw_squirrel_write_float(&value.output, event->real[0]);
    else if (tag == GW_SQUIRREL_VECTOR)
        gw_squirrel_write_vector(&value.output, event->real);
    else
        gw_squirrel_write_quaternion(&value.output, event->real);
}

static void write_random_integer(uint8_t tag)
{
    gw_squirrel_event *event = expect(GW_VALUE, tag);
    event->number = tag == GW_SQUIRREL_INT16 ? (int16_t)random_bits() : (int32_t)random_bits();
    if (tag == GW_SQUIRREL_INT16)
        gw_squirrel_write_int16(&value.output, (int16_t)event->number);
    else
        gw_squirrel_write_int32(&value.output, (int32_t)event->number);
}

static void write_random_scalar(const gw_squirrel_type *type)
{
    switch (type->tag) {
    case GW_SQUIRREL_NULL:
        expect(GW_VALUE, type->tag);
        gw_squirrel_write_null(&value.output);
        break;
    case GW_SQUIRREL_BOOL:
        expect(GW_VALUE, type->tag)->number = true;
        gw_squirrel_write_bool(&value.output, true);
        break;
    case GW_SQUIRREL_INT32:
    case GW_SQUIRREL_INT16:
        write_random_integer(type->tag);
        break;
    case GW_SQUIRREL_FLOAT:
    case GW_SQUIRREL_VECTOR:
    case GW_SQUIRREL_QUATERNION:
        write_random_floats(type->tag, type->size / 4);
        break;
    default:
        write_random_text(type->tag);
        break;
    }
}

static unsigned random_length(const gw_squirrel_type *type)
{
    if (type->form == GW_SQUIRREL_FORM_COMMAND)
        return type->operands;
    if (type->form == GW_SQUIRREL_FORM_CALL)
        return type->operands + random_below(3);
    return random_below(4) << type->pairs;
}

static void write_random(unsigned depth)
{
    size_t types_count;
    const gw_squirrel_type *types = gw_squirrel_types(&types_count);
    const gw_squirrel_type *type = &types[random_below((unsigned)types_count)];
    if (type->form <= GW_SQUIRREL_FORM_BLOB) {
        write_random_scalar(type);
        return;
    }
    if (depth == MAX_DEPTH) {
        write_random_scalar(gw_squirrel_type_of(GW_SQUIRREL_NULL));
        return;
    }
    unsigned length = random_length(type);
    bool counted = type->form == GW_SQUIRREL_FORM_COUNTED;
    size_t opened = value.output.length;
    expect(GW_OPEN, type->tag);
    if (counted)
        gw_squirrel_write_counted(&value.output, type->tag, length >> type->pairs);
    else
        opened = gw_squirrel_write_open(&value.output, type->tag);
    for (unsigned i = 0; i < length; i++)
        write_random(depth + 1);
    if (!counted)
        gw_squirrel_write_close(&value.output, opened);
    gw_squirrel_event *close = expect(GW_CLOSE, type->tag);
    close->payload.offset = (uint32_t)opened + 5;
    close->payload.length = (uint32_t)(value.output.length - opened) - 5;
}

static void assert_same(const gw_squirrel_event *read, const gw_squirrel_event *wrote)
{
    assert_int_equal(read->kind, wrote->kind);
    assert_int_equal(read->tag, wrote->tag);
    assert_int_equal(read->odd & GW_SQUIRREL_ODD_INVALID, 0);
    if (wrote->payload.offset) {
        assert_int_equal(read->payload.offset, wrote->payload.offset);
        assert_int_equal(read->payload.length, wrote->payload.length);
    }
    if (wrote->tag == GW_SQUIRREL_INT32 || wrote->tag == GW_SQUIRREL_INT16)
        assert_int_equal(read->number, wrote->number);
    if (wrote->tag == GW_SQUIRREL_FLOAT || wrote->tag == GW_SQUIRREL_VECTOR || wrote->tag == GW_SQUIRREL_QUATERNION)
        assert_memory_equal(read->real, wrote->real, gw_squirrel_type_of(wrote->tag)->size);
}

static unsigned round_trips(void)
{
    const char *text = getenv(ROUND_TRIPS_VARIABLE);
    return text ? (unsigned)strtoul(text, NULL, 10) : DEFAULT_ROUND_TRIPS;
}

TEST(values_are_read_as_written)
{
    static const gw_squirrel_options options = { .reading = GW_SQUIRREL_BYTES };
    unsigned wanted = round_trips(), values = 0;
    for (random_state = 1; values < wanted; random_state++) {
        gw_squirrel_reader reader;
        gw_squirrel_event event;
        value.count = 0;
        gw_output_init(&value.output, value.bytes, sizeof value.bytes);
        write_random(0);
        assert_true(gw_output_complete(&value.output));
        gw_squirrel_init(&reader, value.bytes, value.output.length, &options);
        for (unsigned i = 0; i < value.count; i++) {
            assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_EVENT);
            assert_same(&event, &value.events[i]);
            values += event.kind != GW_CLOSE;
        }
        assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_END);
        assert_true(gw_squirrel_validate(value.bytes, value.output.length, &options, NULL));
    }
}

/* ---- any bytes ----------------------------------------------------------------------------------------- */

static gw_squirrel_options options_of(const uint8_t *bytes, uint32_t length)
{
    gw_squirrel_options bare = { 0 };
    gw_squirrel_frame frame;
    gw_fault fault;
    if (!gw_squirrel_read_frame(bytes, length, &frame, &fault))
        return bare;
    return gw_squirrel_frame_options(&frame);
}

static bool holds_values(const uint8_t *bytes, uint32_t length)
{
    gw_squirrel_frame frame;
    gw_fault fault;
    return gw_squirrel_read_frame(bytes, length, &frame, &fault) && frame.type->content != GW_SQUIRREL_CONTENT_CHUNK;
}

/* Reads to the end: at most two events per byte, each inside the input and none before the previous one; the validator
 * has the same result. Returns the fault. */
static gw_fault read_soundly(const uint8_t *bytes, uint32_t length, const gw_squirrel_options *options)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_summary summary;
    gw_next answer;
    uint32_t events = 0, reached = options->offset;
    uint32_t odd = 0;
    gw_squirrel_init(&reader, bytes, length, options);
    while ((answer = gw_squirrel_next(&reader, &event)) == GW_NEXT_EVENT) {
        assert_in_range(++events, 0, 2 * length);
        assert_in_range(event.payload.offset + event.payload.length, 0, length);
        assert_in_range(event.depth, 0, GW_SQUIRREL_DEPTH);
        assert_true(event.kind == GW_CLOSE || event.header.offset == reached);
        if (event.kind != GW_CLOSE)
            reached = event.payload.offset + event.payload.length;
        odd |= event.odd;
    }
    bool valid = answer == GW_NEXT_END && !(odd & GW_SQUIRREL_ODD_INVALID);
    assert_int_equal(gw_squirrel_validate(bytes, length, options, &summary), valid);
    assert_int_equal(summary.fault.code, reader.fault.code);
    assert_int_equal(summary.fault.offset, reader.fault.offset);
    assert_int_equal(summary.odd, odd);
    if (answer == GW_NEXT_END)
        assert_int_equal(reached, length);
    return reader.fault;
}

static void print_soundly(const uint8_t *bytes, uint32_t length, const gw_squirrel_options *options)
{
    char buffer[64];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_squirrel_print(&text, bytes, length, options);
    assert_int_equal(gw_utf8_prefix((const uint8_t *)buffer, (uint32_t)text.length), text.length);
}

/* With `needed` more bytes the reader gets further; with one byte fewer it does not. */
static void assert_need_is_right(const uint8_t *bytes, uint32_t length, uint32_t cut, const gw_fault *fault)
{
    gw_squirrel_options options = options_of(bytes, length);
    assert_in_range(fault->needed, 1, length - cut);
    uint32_t enough = cut + (uint32_t)fault->needed;
    if (enough - 1 > cut) {
        gw_fault before = read_soundly(bytes, enough - 1, &options);
        assert_int_equal(before.fault_class, GW_FAULT_TRUNCATED);
    }
    gw_fault after = read_soundly(bytes, enough, &options);
    assert_true(!after.code || after.offset > fault->offset || after.code != fault->code);
}

static void cut_everywhere(const capture_payload *payload, void *context)
{
    unsigned *cuts = context;
    const uint8_t *bytes = payload->bytes;
    gw_squirrel_options options = options_of(bytes, payload->length);
    if (!holds_values(bytes, payload->length) || !gw_squirrel_validate(bytes, payload->length, &options, NULL))
        return;
    gw_squirrel_summary summary;
    gw_squirrel_validate(bytes, payload->length, &options, &summary);
    options.reading = summary.reading;
    /* Of a payload of thousands of bytes, the first few hundred are tested: they contain all types of items. */
    uint32_t last = payload->length < 600 ? payload->length : 600;
    for (uint32_t cut = options.offset; cut < last; cut++, ++*cuts) {
        gw_fault fault = read_soundly(bytes, cut, &options);
        assert_int_equal(fault.fault_class, GW_FAULT_TRUNCATED);
        assert_need_is_right(bytes, payload->length, cut, &fault);
    }
}

TEST(every_prefix_of_every_captured_value_reports_its_missing_bytes)
{
    unsigned cuts = 0;
    visit_captures("squirrel/every-value.pcap", cut_everywhere, &cuts);
    visit_captures("squirrel/every-frame.pcap", cut_everywhere, &cuts);
    visit_captures("squirrel/session.pcap", cut_everywhere, &cuts);
    assert_true(cuts > 5000);
}

static void cut_head(const capture_payload *payload, void *context)
{
    gw_squirrel_frame frame;
    gw_fault fault;
    (void)context;
    if (!gw_squirrel_read_frame(payload->bytes, payload->length, &frame, &fault))
        return;
    for (uint32_t cut = 4; cut < frame.content; cut++) {
        gw_squirrel_frame prefix;
        assert_false(gw_squirrel_read_frame(payload->bytes, cut, &prefix, &fault));
        assert_int_equal(fault.fault_class, GW_FAULT_TRUNCATED);
        assert_int_equal(fault.needed, frame.content - cut);
    }
}

TEST(every_prefix_of_every_captured_header_reports_its_missing_bytes)
{
    assert_true(visit_captures("squirrel/*.pcap", cut_head, NULL) > 100);
}

static void change_each_byte(const capture_payload *payload, void *context)
{
    uint8_t changed[400];
    (void)context;
    if (payload->length > sizeof changed)
        return;
    memcpy(changed, payload->bytes, payload->length);
    gw_squirrel_options options = options_of(changed, payload->length);
    for (uint32_t i = options.offset; i < payload->length; i++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            changed[i] = (uint8_t)byte;
            read_soundly(changed, payload->length, &options);
            if (byte % 16 == 0)
                print_soundly(changed, payload->length, &options);
        }
        changed[i] = payload->bytes[i];
    }
}

TEST(the_reader_is_consistent_after_each_change_of_a_byte)
{
    assert_true(visit_captures("squirrel/every-frame.pcap", change_each_byte, NULL) > 10);
    assert_true(visit_captures("squirrel/malformed.pcap", change_each_byte, NULL) > 50);
}

/* Random bytes that are mostly tags, with which reading gets further. */
TEST(the_reader_is_consistent_for_random_bytes)
{
    static const char tags[] = "oiwfbsevqatATcBgkhjFE+-*/%u\0\0\0\0\1\2\3\5\xff";
    uint8_t bytes[96];
    random_state = 7;
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t length = random_below(sizeof bytes + 1);
        gw_squirrel_options options = { .content = (uint8_t)random_below(3), .reading = (uint8_t)random_below(4) };
        for (uint32_t k = 0; k < length; k++)
            bytes[k] = (uint8_t)tags[random_below(sizeof tags)];
        read_soundly(bytes, length, &options);
        print_soundly(bytes, length, &options);
    }
}
