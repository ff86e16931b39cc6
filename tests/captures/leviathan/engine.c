// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#define _POSIX_C_SOURCE 200809L

#include "engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NORMAL_PACKET = 0x4c6e, ACK_ONLY_PACKET = 0x4c61 };

void endpoint_start(struct endpoint *endpoint, struct dialect dialect, uint32_t packet, uint32_t message)
{
    *endpoint = (struct endpoint){
        .dialect = dialect,
        .first_packet = packet,
        .next_packet = packet,
        .first_message = message,
        .next_message = message,
    };
}

static void release(struct datagram *datagram)
{
    if (datagram->packet != NULL)
        sfPacket_destroy(datagram->packet);
    free(datagram->record);
    *datagram = (struct datagram){ 0 };
}

void endpoint_free(struct endpoint *endpoint)
{
    for (size_t i = 0; i < MOST_PACKETS; i++)
        release(&endpoint->sent[i]);
    release(&endpoint->tailed);
}

struct datagram *endpoint_find(struct endpoint *endpoint, uint32_t packet_id)
{
    assert(packet_id - endpoint->first_packet < MOST_PACKETS);
    return &endpoint->sent[packet_id - endpoint->first_packet];
}

struct sent_message *endpoint_find_message(struct endpoint *endpoint, uint32_t number)
{
    assert(number - endpoint->first_message < MOST_PACKETS);
    return &endpoint->sent_messages[number - endpoint->first_message];
}

void endpoint_has_received(struct endpoint *endpoint, uint32_t packet_id)
{
    for (size_t i = 0; i < endpoint->received_count; i++) {
        if (endpoint->received[i].id == packet_id)
            return;
    }
    assert(endpoint->received_count < MOST_PACKETS);
    endpoint->received[endpoint->received_count++].id = packet_id;
}

/* The peer has our packet, and so it knows what that one acknowledged. */
static void confirm(struct endpoint *endpoint, const struct id_list *acks)
{
    for (size_t i = 0; i < acks->count; i++) {
        for (size_t k = 0; k < endpoint->received_count; k++) {
            if (endpoint->received[k].id == acks->ids[i])
                endpoint->received[k].confirmed = true;
        }
    }
}

void endpoint_receive(struct endpoint *endpoint, const struct datagram *datagram)
{
    if (datagram->packet_id != 0)
        endpoint_has_received(endpoint, datagram->packet_id);
    for (size_t i = 0; i < datagram->acks.count; i++) {
        uint32_t index = datagram->acks.ids[i] - endpoint->first_packet;

        if (index < MOST_PACKETS)
            confirm(endpoint, &endpoint->sent[index].acks);
    }
}

static bool waits(const struct endpoint *endpoint, uint32_t id)
{
    for (size_t i = 0; i < endpoint->received_count; i++) {
        if (endpoint->received[i].id == id)
            return !endpoint->received[i].confirmed;
    }
    return false;
}

/* The range of ids whose acknowledgement the peer has not confirmed; false when there is none. */
static bool waiting_range(const struct endpoint *endpoint, uint32_t *oldest, uint32_t *newest)
{
    bool any = false;

    for (size_t i = 0; i < endpoint->received_count; i++) {
        uint32_t id = endpoint->received[i].id;

        if (endpoint->received[i].confirmed)
            continue;
        *oldest = !any || id < *oldest ? id : *oldest;
        *newest = !any || id > *newest ? id : *newest;
        any = true;
    }
    return any;
}

/* The engine begins with the oldest id that waits and with one among the newest 32 in turn. */
static struct id_list choose_acks(struct endpoint *endpoint)
{
    struct id_list acks = { .count = 0 };
    uint32_t oldest = 0, newest = 0;
    bool at_newest = endpoint->start_at_newest;

    endpoint->start_at_newest = !at_newest;
    if (!waiting_range(endpoint, &oldest, &newest))
        return acks;
    if (at_newest && newest - oldest >= MOST_ACKS)
        oldest = newest - MOST_ACKS + 1;
    while (!waits(endpoint, oldest))
        oldest++;
    for (uint32_t id = oldest; id - oldest < MOST_ACKS && id <= newest; id++) {
        if (waits(endpoint, id))
            acks.ids[acks.count++] = id;
    }
    return acks;
}

/* The documented numbering cannot say "1": its start would be 0, which means no acks. */
static struct ack_field pack_acks(const struct id_list *acks, uint32_t offset)
{
    struct ack_field field = { .start = 0 };

    for (size_t i = 0; i < acks->count; i++) {
        uint32_t id = acks->ids[i] - offset;

        if (id == 0)
            continue;
        if (field.start == 0)
            field.start = id;
        id -= field.start;
        field.bytes[id / 8] = (uint8_t)(field.bytes[id / 8] | 1U << id % 8);
        field.size = id / 8 + 1;
    }
    return field;
}

static struct id_list unpack_acks(const struct ack_field *field, uint32_t offset)
{
    struct id_list acks = { .count = 0 };

    for (uint32_t bit = 0; bit < field->size * 8; bit++) {
        if (field->bytes[bit / 8] >> bit % 8 & 1)
            acks.ids[acks.count++] = field->start + bit + offset;
    }
    return acks;
}

static size_t read_hex(const char *hex, uint8_t *bytes, size_t room)
{
    size_t size = 0;

    for (; *hex != '\0'; hex += 2) {
        char pair[3] = { 0 };

        while (*hex == ' ')
            hex++;
        assert(size < room);
        memcpy(pair, hex, 2);
        bytes[size++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return size;
}

static struct ack_field decide_acks(struct endpoint *endpoint, const struct order *order)
{
    struct ack_field field = { .start = order->ack_start };

    if (order->ack_bytes != NULL) {
        field.size = read_hex(order->ack_bytes, field.bytes, sizeof(field.bytes));
    } else if (!order->without_acks) {
        struct id_list acks = choose_acks(endpoint);

        field = pack_acks(&acks, endpoint->dialect.ack_offset);
    }
    return field;
}

static void record_ids(struct json *record, const char *key, const struct id_list *list)
{
    json_open(record, key, '[');
    for (size_t i = 0; i < list->count; i++)
        json_unsigned(record, NULL, list->ids[i]);
    json_close(record, ']');
}

static void write_acks(struct composition *to, const struct ack_field *field, const struct id_list *acks)
{
    sfPacket_writeUint32(to->packet, field->start);
    if (composition_is_sound(to))
        json_unsigned(&to->record, "start_ack", field->start);
    if (field->start != 0) {
        sfPacket_writeUint8(to->packet, (uint8_t)field->size);
        sfPacket_append(to->packet, field->bytes, field->size);
    }
    if (composition_is_sound(to)) {
        json_hex(&to->record, "ack_bytes", field->bytes, field->size);
        record_ids(&to->record, "acks", acks);
    }
}

/* Gives a message its number, or finds the one it had. */
static uint32_t number_message(struct endpoint *endpoint, const struct endpoint *peer, const struct message *message,
                               const struct order *order)
{
    uint32_t number = order->resend;

    if (order->zero_message_number)
        return 0;
    if (number != 0)
        return number;
    number = endpoint->next_message++;
    *endpoint_find_message(endpoint, number) = (struct sent_message){
        .message = message,
        .response_to = message->answers ? peer->latest_request[message->answers] : message->response_to,
    };
    if (message_is_request(message->type))
        endpoint->latest_request[message->type] = number;
    return number;
}

static uint8_t count_messages(const struct order *order)
{
    uint8_t count = 0;

    if (order->resend != 0)
        return 1;
    while (count < MOST_MESSAGES && order->messages[count].type != NO_MESSAGE)
        count++;
    return count;
}

static void write_messages(struct endpoint *endpoint, const struct endpoint *peer, struct composition *to,
                           const struct order *order)
{
    const struct message *messages = order->messages;
    uint8_t count = count_messages(order);

    if (order->resend != 0)
        messages = endpoint_find_message(endpoint, order->resend)->message;
    sfPacket_writeUint8(to->packet, order->message_count ? order->message_count : count);
    json_open(&to->record, "messages", '[');
    for (uint8_t i = 0; i < count; i++) {
        uint32_t number = number_message(endpoint, peer, &messages[i], order);
        uint32_t response_to = number ? endpoint_find_message(endpoint, number)->response_to : 0;

        message_write(to, &messages[i], number, response_to);
    }
    json_close(&to->record, ']');
}

/* Cuts, overwrites and appends; what is overwritten may be after the end. */
static void apply_edit(sfPacket *packet, const struct edit *edit)
{
    uint8_t bytes[2048] = { 0 }, extra[256];
    size_t size = edit->keep ? edit->keep : sfPacket_getDataSize(packet);

    assert(size <= sfPacket_getDataSize(packet) && size + 2 * sizeof(extra) <= sizeof(bytes));
    memcpy(bytes, sfPacket_getData(packet), size);
    if (edit->overwrite != NULL) {
        size_t count = read_hex(edit->overwrite, extra, sizeof(extra));

        memcpy(bytes + edit->at, extra, count);
        size = edit->at + count > size ? edit->at + count : size;
    }
    if (edit->append != NULL)
        size += read_hex(edit->append, bytes + size, sizeof(extra));
    sfPacket_clear(packet);
    sfPacket_append(packet, bytes, size);
}

static size_t first_damage(const struct edit *edit)
{
    if (edit->overwrite != NULL)
        return edit->at;
    return edit->keep ? edit->keep : SIZE_MAX;
}

static struct composition begin_composition(struct datagram *datagram, const struct edit *edit, size_t *size,
                                            bool old_numbering)
{
    datagram->packet = sfPacket_create();
    return (struct composition){
        .packet = datagram->packet,
        .record = { .out = open_memstream(&datagram->record, size) },
        .sound_bytes = first_damage(edit),
        .old_numbering = old_numbering,
    };
}

static void record_damage(struct json *record, const struct edit *edit)
{
    uint8_t bytes[256];

    if (first_damage(edit) != SIZE_MAX)
        json_unsigned(record, "damaged_from", first_damage(edit));
    else if (edit->append != NULL)
        json_hex(record, "trailing", bytes, read_hex(edit->append, bytes, sizeof(bytes)));
}

static void write_normal(struct endpoint *endpoint, const struct endpoint *peer, struct composition *to,
                         const struct order *order, struct datagram *datagram)
{
    struct ack_field field = decide_acks(endpoint, order);

    datagram->acks = unpack_acks(&field, endpoint->dialect.ack_offset);
    sfPacket_writeUint16(to->packet, NORMAL_PACKET);
    if (composition_is_sound(to))
        json_text(&to->record, "packet", "normal", 6);
    sfPacket_writeUint32(to->packet, datagram->packet_id);
    if (composition_is_sound(to))
        json_unsigned(&to->record, "packet_id", datagram->packet_id);
    write_acks(to, &field, &datagram->acks);
    write_messages(endpoint, peer, to, order);
}

struct datagram *endpoint_compose(struct endpoint *endpoint, const struct endpoint *peer, const struct order *order)
{
    uint32_t id = endpoint->next_packet++;
    struct datagram *datagram = endpoint_find(endpoint, id);
    size_t record_size;
    struct composition to = begin_composition(datagram, &order->edit, &record_size, endpoint->dialect.old_numbering);

    datagram->packet_id = order->zero_packet_id ? 0 : id;
    datagram->resend = order->resend;
    datagram->first_number = order->resend ? order->resend : endpoint->next_message;
    datagram->message_count = count_messages(order);
    write_normal(endpoint, peer, &to, order, datagram);
    apply_edit(to.packet, &order->edit);
    record_damage(&to.record, &order->edit);
    fclose(to.record.out);
    release(&endpoint->tailed);
    endpoint->tailed.packet = sfPacket_copy(datagram->packet);
    endpoint->tailed.record = strdup(datagram->record);
    endpoint->tailed.packet_id = datagram->packet_id;
    return datagram;
}

static struct id_list all_waiting(const struct endpoint *endpoint)
{
    struct id_list list = { .count = 0 };
    uint32_t oldest = 0, newest = 0;

    if (!waiting_range(endpoint, &oldest, &newest))
        return list;
    for (uint32_t id = oldest; id <= newest && list.count < MOST_ACKS; id++) {
        if (waits(endpoint, id))
            list.ids[list.count++] = id;
    }
    return list;
}

static void write_block(sfPacket *packet, const struct id_list *ids)
{
    sfPacket_writeUint16(packet, ACK_ONLY_PACKET);
    sfPacket_writeUint8(packet, (uint8_t)ids->count);
    for (size_t i = 0; i < ids->count; i++)
        sfPacket_writeUint32(packet, ids->ids[i]);
}

/* The record so far ends with its list of blocks, if it has one: "ack_only": [[..]] */
static void record_block(struct json *record, const char *before, const struct id_list *ids)
{
    size_t length = before != NULL ? strlen(before) : 0;
    bool has_list = length > 2 && strcmp(before + length - 2, "]]") == 0;

    if (length > 0)
        fwrite(before, 1, has_list ? length - 1 : length, record->out);
    else
        json_text(record, "packet", "ack_only", 8);
    record->follows = true;
    if (!has_list)
        json_open(record, "ack_only", '[');
    record_ids(record, NULL, ids);
    json_close(record, ']');
}

/* The ids that are still there when the datagram was cut. */
static struct id_list readable_ids(struct id_list ids, size_t block_at, const struct edit *edit)
{
    size_t ids_at = block_at + 3;

    if (edit->keep != 0 && edit->keep < ids_at + 4 * ids.count)
        ids.count = edit->keep < ids_at ? 0 : (edit->keep - ids_at) / 4;
    return ids;
}

/*
 * The engine hands its ack-only writer the object that still holds the last normal packet, and the writer
 * does not clear it: each block lands after that packet and the blocks before, until a new normal packet.
 */
struct datagram *endpoint_compose_ack_only(struct endpoint *endpoint, const struct id_list *ids, bool clean,
                                           const struct edit *edit)
{
    struct datagram *datagram = &endpoint->tailed;
    struct id_list all = ids != NULL ? *ids : all_waiting(endpoint);
    struct json record = { 0 };
    char *before;
    size_t record_size, block_at;

    if (clean)
        release(datagram);
    if (datagram->packet == NULL) {
        datagram->packet = sfPacket_create();
        datagram->acks = all; /* only a clean one is ever read by the peer */
    }
    before = datagram->record;
    block_at = sfPacket_getDataSize(datagram->packet);
    write_block(datagram->packet, &all);
    apply_edit(datagram->packet, edit);
    all = readable_ids(all, block_at, edit);
    record.out = open_memstream(&datagram->record, &record_size);
    record_block(&record, before, &all);
    record_damage(&record, edit);
    fclose(record.out);
    free(before);
    return datagram;
}
