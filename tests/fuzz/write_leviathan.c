/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the reader reads from a datagram, written again, gives the same bytes.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <gamewire/leviathan.h>

#define MOST_FIELDS 9
#define MOST_BITS   (255 * 8)

/* Acks that do not start at their first bit, or end with empty bytes, are written shorter. */
#define NOT_KEPT GW_LEVIATHAN_ODD_ACK_BITS

/* The values of one item that is open, until it is written at its end. */
struct item {
    gw_leviathan_value values[MOST_FIELDS];
    unsigned count;
};

struct copy {
    gw_output output;
    const uint8_t *bytes;
    const gw_leviathan_reader *reader;
    uint32_t packet_id;
    uint32_t start_ack;
    uint32_t acked[MOST_BITS];
    size_t acked_count;
    struct item message;
    struct item component;
    uint16_t component_type;
    bool component_is_typed; /* its type was there */
    bool kept;
};

static void add_value(struct copy *copy, struct item *item, const gw_leviathan_event *event)
{
    CHECK(item->count < MOST_FIELDS);
    gw_leviathan_value *value = &item->values[item->count++];
    *value = (gw_leviathan_value){ .number = event->number };
    value->bytes = copy->bytes + event->payload.offset;
    value->length = event->payload.length;
    if (event->type == GW_LEVIATHAN_FLOAT3 || event->type == GW_LEVIATHAN_FLOAT4)
        for (uint32_t i = 0; i < event->payload.length / 4; i++)
            value->floats[i] = gw_leviathan_float_at(copy->bytes, event, i);
}

static void take_acks(struct copy *copy, const gw_leviathan_event *event)
{
    gw_leviathan_acks acks;
    gw_leviathan_acks_init(&acks, copy->start_ack, copy->bytes + event->payload.offset, event->payload.length,
                           GW_LEVIATHAN_ACKS_AS_ENGINE);
    while (gw_leviathan_acks_next(&acks, &copy->acked[copy->acked_count]))
        copy->acked_count++;
}

static void write_ids(struct copy *copy, const gw_leviathan_event *event)
{
    uint32_t ids[UINT8_MAX];
    uint32_t count = event->payload.length / 4;
    for (uint32_t i = 0; i < count; i++)
        ids[i] = gw_be32(copy->bytes + event->payload.offset + 4 * (size_t)i);
    gw_leviathan_write_ack_only(&copy->output, ids, (uint8_t)count);
}

static void copy_header(struct copy *copy, const gw_leviathan_event *event)
{
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_PACKET_ID:
        copy->packet_id = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_ROLE_START_ACK:
        copy->start_ack = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_ROLE_PACKED_ACKS:
        take_acks(copy, event);
        /* A start without any bits cannot be written. */
        copy->kept = copy->kept && copy->acked_count;
        break;
    case GW_LEVIATHAN_ROLE_MESSAGE_COUNT:
        gw_leviathan_write_packet(&copy->output, copy->packet_id, copy->acked, copy->acked_count,
                                  GW_LEVIATHAN_ACKS_AS_ENGINE, (uint8_t)event->number);
        break;
    case GW_LEVIATHAN_ROLE_ACK_ONLY_IDS:
        write_ids(copy, event);
        break;
    case GW_LEVIATHAN_ROLE_TRAILING:
        gw_put_bytes(&copy->output, copy->bytes + event->payload.offset, event->payload.length);
        break;
    default:
        break;
    }
}

/* Parts of a message's fields lie one level below the message, those of a component two below that. */
enum { HEADER_DEPTH = 1, FIELD_DEPTH = 2, COMPONENT_FIELD_DEPTH = 4 };

static bool is_message_header(uint8_t field)
{
    return field >= GW_LEVIATHAN_ROLE_MESSAGE_KIND && field <= GW_LEVIATHAN_ROLE_RESPONSE_TO;
}

/* A component that was read whole is written the same. */
static void write_component(struct copy *copy, const gw_leviathan_event *event, bool initial)
{
    const gw_leviathan_component_type *type = gw_leviathan_component_of(copy->component_type);
    const uint8_t *fields = !type ? NULL : initial ? type->initial : type->state;
    uint8_t bytes[4096];
    gw_output output;
    unsigned count = 0;
    while (fields && fields[count])
        count++;
    if (!fields || count != copy->component.count)
        return;
    gw_output_init(&output, bytes, sizeof bytes);
    gw_leviathan_write_component(&output, copy->component_type, fields, copy->component.values);
    CHECK(output.length == event->payload.length);
    if (gw_output_complete(&output))
        CHECK(!memcmp(bytes, copy->bytes + event->payload.offset, output.length));
}

static void copy_component(struct copy *copy, const gw_leviathan_event *event, bool initial)
{
    if (event->kind == GW_OPEN) {
        copy->component.count = 0;
        copy->component_is_typed = false;
    } else if (copy->component_is_typed) {
        write_component(copy, event, initial);
    }
}

static void take_component_type(struct copy *copy, const gw_leviathan_event *event)
{
    copy->component_type = (uint16_t)event->number;
    copy->component_is_typed = true;
}

static void copy_event(struct copy *copy, const gw_leviathan_event *event, bool *initial)
{
    if (event->odd & NOT_KEPT)
        copy->kept = false;
    if (event->role == GW_LEVIATHAN_ROLE_MESSAGE && event->kind == GW_OPEN)
        copy->message.count = 0;
    else if (event->role == GW_LEVIATHAN_ROLE_MESSAGE)
        gw_leviathan_write_message(&copy->output, &copy->reader->message, copy->message.values);
    else if (event->role == GW_LEVIATHAN_ROLE_COMPONENT)
        copy_component(copy, event, *initial);
    else if (event->role == GW_LEVIATHAN_ROLE_COMPONENT_TYPE)
        take_component_type(copy, event);
    else if (event->depth <= HEADER_DEPTH)
        copy_header(copy, event);
    else if (event->depth == COMPONENT_FIELD_DEPTH && (event->kind == GW_VALUE || event->kind == GW_PACKED))
        add_value(copy, &copy->component, event);
    else if (event->depth == FIELD_DEPTH && event->kind != GW_CLOSE && !is_message_header(event->role))
        add_value(copy, &copy->message, event);
    if (event->kind == GW_OPEN && event->depth == FIELD_DEPTH)
        *initial = event->role == GW_LEVIATHAN_ROLE_INITIAL_COMPONENTS;
}

/* Writes all of a valid datagram into `size` bytes; returns what it takes. `kept` says whether it must be equal. */
static size_t write_again(const uint8_t *bytes, size_t length, const gw_leviathan_options *options, uint8_t *to,
                          size_t size, bool *kept)
{
    static struct copy copy;
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    bool initial = false;
    memset(&copy, 0, sizeof copy);
    copy.bytes = bytes;
    copy.reader = &reader;
    copy.kept = true;
    gw_output_init(&copy.output, to, size);
    gw_leviathan_init(&reader, bytes, length, options);
    while (gw_leviathan_next(&reader, &event) == GW_NEXT_EVENT)
        copy_event(&copy, &event, &initial);
    *kept = copy.kept;
    return copy.output.length;
}

static void go_round(const uint8_t *bytes, size_t length, const gw_leviathan_options *options)
{
    bool kept;
    uint8_t *again = allocate(length);
    uint8_t *half = allocate(length / 2);
    size_t size = write_again(bytes, length, options, again, length, &kept);
    if (kept)
        CHECK(size == length && !memcmp(again, bytes, length));
    CHECK(write_again(bytes, length, options, half, length / 2, &kept) == size);
    free(again);
    free(half);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    for (unsigned revision = 0; revision < GW_LEVIATHAN_REVISIONS; revision++) {
        const gw_leviathan_options options = { .revision = (gw_leviathan_revision)revision };
        gw_leviathan_summary summary;
        if (gw_leviathan_validate(bytes, length, &options, &summary))
            go_round(bytes, length, &options);
    }
    return 0;
}
