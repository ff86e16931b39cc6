/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What real sockets carried: every packet of the captures, every prefix of it and every change of one byte.
 *
 * GAMEWIRE_CHANGES sets how many values each byte is changed to, instead of all 256.
 */
#include <gamewire/leviathan.h>

#include "captures.h"
#include "testing.h"

struct outcome {
    gw_next last;
    gw_fault fault;
    uint32_t offset;
    uint32_t events;
    uint32_t messages, blocks, trailing; /* bytes */
};

static void count_event(struct outcome *outcome, const gw_leviathan_event *event)
{
    outcome->events++;
    if (event->role == GW_LEVIATHAN_ROLE_REQUEST_TYPE || event->role == GW_LEVIATHAN_ROLE_RESPONSE_TO)
        outcome->messages++;
    if (event->kind == GW_CLOSE && event->role == GW_LEVIATHAN_ROLE_ACK_ONLY && event->index)
        outcome->blocks++;
    if (event->role == GW_LEVIATHAN_ROLE_TRAILING)
        outcome->trailing = event->payload.length;
}

static void assert_within(const gw_leviathan_event *event, uint32_t length)
{
    assert_true(event->header.offset <= length && event->header.length <= length - event->header.offset);
    assert_true(event->payload.offset <= length && event->payload.length <= length - event->payload.offset);
    assert_true(event->depth < GW_LEVIATHAN_DEPTH);
}

/* Reads a copy that ends with the input, so that sanitizers detect reading beyond it. */
static struct outcome read_all(const uint8_t *bytes, uint32_t length, gw_leviathan_revision revision)
{
    struct outcome outcome = { 0 };
    gw_leviathan_options options = { .revision = revision };
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    gw_leviathan_summary summary;
    uint8_t *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    gw_leviathan_init(&reader, copy, length, &options);
    while ((outcome.last = gw_leviathan_next(&reader, &event)) == GW_NEXT_EVENT) {
        assert_within(&event, length);
        count_event(&outcome, &event);
        /* Each item opens, closes or reads a byte: three events per byte are more than enough. */
        assert_true(outcome.events <= 3 * length + 3);
    }
    outcome.fault = reader.fault;
    outcome.offset = reader.offset;
    bool whole = gw_leviathan_validate(copy, length, &options, &summary);
    assert_int_equal(whole, outcome.last == GW_NEXT_END);
    assert_memory_equal(&summary.fault, &outcome.fault, sizeof summary.fault);
    if (whole) {
        assert_int_equal(summary.messages, outcome.messages);
        assert_int_equal(summary.blocks, outcome.blocks);
        assert_int_equal(summary.trailing, outcome.trailing);
    }
    free(copy);
    return outcome;
}

static gw_leviathan_revision revision_of(const char *name)
{
    return strstr(name, "old-numbering") ? GW_LEVIATHAN_SINCE_2017_04_05 : GW_LEVIATHAN_SINCE_2018_12_09;
}

static void assert_is_read_to_its_end(const capture_payload *payload, void *context)
{
    struct outcome outcome = read_all(payload->bytes, payload->length, revision_of(payload->file));
    (void)context;
    assert_int_equal(outcome.last, GW_NEXT_END);
    assert_int_equal(outcome.offset, payload->length);
    assert_int_equal(outcome.trailing, 0);
}

static uint32_t bits_of(const capture_payload *payload)
{
    gw_leviathan_options options = { .revision = revision_of(payload->file) };
    gw_recognition recognition;
    assert_true(gw_leviathan_recognize(payload->bytes, payload->length, payload->length, &options, &recognition));
    return recognition.bits;
}

static void assert_is_evidence(const capture_payload *payload, void *context)
{
    (void)context;
    assert_true(bits_of(payload) > 0);
}

static void count_alone(const capture_payload *payload, void *context)
{
    uint32_t *alone = context;
    *alone += bits_of(payload) >= GW_RECOGNIZED_ALONE;
}

/* The packets that the engine can send: all can be read to the end. */
static const char *const genuine[] = {
    "leviathan/session*.pcap",         "leviathan/ipv6.pcap",          "leviathan/two-clients.pcap",
    "leviathan/mid-conversation.pcap", "leviathan/old-numbering.pcap",
};

TEST(captured_packets_are_recognized_and_read_completely)
{
    for (size_t i = 0; i < sizeof genuine / sizeof *genuine; i++) {
        assert_true(visit_captures(genuine[i], assert_is_read_to_its_end, NULL) > 5);
        visit_captures(genuine[i], assert_is_evidence, NULL);
        uint32_t alone = 0;
        visit_captures(genuine[i], count_alone, &alone);
        assert_true(alone >= 5);
    }
}

/* After the item at which `before` ended, or after the length word at its beginning. */
static bool is_further(const struct outcome *after, const struct outcome *before)
{
    return after->last == GW_NEXT_END || after->fault.offset > before->fault.offset || after->events > before->events ||
           (before->fault.code == GW_LEVIATHAN_FAULT_FIELD_TRUNCATED && after->fault.code != before->fault.code);
}

/* The first `length` bytes of a packet that can be read to the end. */
static void assert_prefix(const capture_payload *payload, uint32_t length)
{
    gw_leviathan_revision revision = revision_of(payload->file);
    struct outcome outcome = read_all(payload->bytes, length, revision);
    if (outcome.last == GW_NEXT_END)
        return;
    uint64_t needed = outcome.fault.needed;
    assert_int_equal(outcome.fault.fault_class, GW_FAULT_TRUNCATED);
    assert_true(needed > 0 && needed <= payload->length - length);
    struct outcome more = read_all(payload->bytes, length + (uint32_t)needed, revision);
    assert_true(is_further(&more, &outcome));
    if (needed == 1)
        return;
    struct outcome less = read_all(payload->bytes, length + (uint32_t)needed - 1, revision);
    assert_int_equal(less.last, GW_NEXT_FAULT);
    assert_int_equal(less.fault.needed, 1);
    /* In a list of ids, complete ids are no longer part of the fault. */
    assert_true(less.fault.offset >= outcome.fault.offset);
}

static void assert_prefixes(const capture_payload *payload, void *context)
{
    (void)context;
    if (read_all(payload->bytes, payload->length, revision_of(payload->file)).last != GW_NEXT_END)
        return;
    for (uint32_t length = 0; length < payload->length; length++)
        assert_prefix(payload, length);
}

TEST(every_prefix_reports_its_missing_bytes)
{
    visit_captures("leviathan/*.pcap", assert_prefixes, NULL);
}

static void change_every_byte(const capture_payload *payload, void *context)
{
    static uint8_t changed[65536];
    const unsigned *step = context;
    memcpy(changed, payload->bytes, payload->length);
    for (uint32_t at = 0; at < payload->length; at++) {
        for (unsigned value = 0; value < 256; value += *step) {
            changed[at] = (uint8_t)value;
            read_all(changed, payload->length, revision_of(payload->file));
        }
        changed[at] = payload->bytes[at];
    }
}

TEST(reader_and_validator_agree_after_each_change_of_one_byte)
{
    unsigned step = 256 / (unsigned)number_from_environment("GAMEWIRE_CHANGES", 256);
    visit_captures("leviathan/*.pcap", change_every_byte, &step);
}

struct seen {
    bool requests[GW_LEVIATHAN_REQUEST_TYPES];
    bool responses[GW_LEVIATHAN_NEWEST_RESPONSE_TYPES];
};

static void note_types(const capture_payload *payload, void *context)
{
    struct seen *seen = context;
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    const gw_leviathan_message *message = &reader.message;
    gw_leviathan_init(&reader, payload->bytes, payload->length, NULL);
    while (gw_leviathan_next(&reader, &event) == GW_NEXT_EVENT)
        if (event.kind == GW_CLOSE && event.role == GW_LEVIATHAN_ROLE_MESSAGE)
            (message->kind == GW_LEVIATHAN_REQUEST ? seen->requests : seen->responses)[message->type->id] = true;
}

TEST(every_type_of_message_is_in_the_captures)
{
    struct seen seen = { { false }, { false } };
    visit_captures("leviathan/every-message.pcap", note_types, &seen);
    for (size_t i = 0; i < GW_LEVIATHAN_REQUEST_TYPES; i++)
        assert_true(seen.requests[i]);
    for (size_t i = 0; i < GW_LEVIATHAN_NEWEST_RESPONSE_TYPES; i++)
        assert_true(seen.responses[i]);
}
