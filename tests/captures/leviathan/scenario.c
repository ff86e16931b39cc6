// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#define _POSIX_C_SOURCE 200809L

#include "scenario.h"

#include <string.h>
#include <time.h>

#include "transport.h"

struct conversation {
    struct endpoint ends[2]; /* by side */
    struct station client;
    bool used;
};

struct play {
    const struct scenario *scenario;
    FILE *out;
    struct station server;
    struct conversation conversations[MOST_CONVERSATIONS];
    unsigned frame;
};

static void pause_ms(unsigned milliseconds)
{
    struct timespec time = { .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L };

    nanosleep(&time, NULL);
}

static void start_end(struct endpoint *end, const struct scenario *scenario, const struct standing *standing)
{
    endpoint_start(end, scenario->dialect, standing->next_packet ? standing->next_packet : FIRST_PACKET,
                   standing->next_message ? standing->next_message : 1);
    for (uint32_t id = standing->received_from; id != 0 && id <= standing->received_to; id++)
        endpoint_has_received(end, id);
}

static void start_conversation(struct play *play, unsigned index)
{
    struct conversation *conversation = &play->conversations[index];
    const struct scenario *scenario = play->scenario;

    if (conversation->used)
        return;
    conversation->used = true;
    station_open(&conversation->client, scenario->ipv6, (uint16_t)(FIRST_CLIENT_PORT + index));
    for (int side = CLIENT; side <= SERVER; side++)
        start_end(&conversation->ends[side], scenario, &scenario->standing[index][side]);
}

static void record_text(struct json *record, const char *key, const char *text)
{
    if (text != NULL)
        json_text(record, key, text, strlen(text));
}

static void record_label(struct json *record, const struct step *step)
{
    char label[200] = "";

    if (step->label != NULL || step->fault != NULL) {
        record_text(record, "label", step->label != NULL ? step->label : step->fault);
        return;
    }
    for (size_t i = 0; i < MOST_MESSAGES && step->messages[i].type != NO_MESSAGE; i++) {
        size_t used = strlen(label);
        enum message_type type = step->messages[i].type;

        snprintf(label + used, sizeof(label) - used, "%s%s %s", i > 0 ? ", " : "",
                 message_is_request(type) ? "request" : "response", message_name(type));
    }
    record_text(record, "label", label);
}

/* Which captured frame this one repeats, as a resend of its message or as the same packet again. */
static void record_relations(struct json *record, struct endpoint *sender, struct datagram *datagram, unsigned frame)
{
    struct datagram *first = datagram;

    if (datagram->packet_id != 0)
        first = endpoint_find(sender, datagram->packet_id);
    if (first->first_frame != 0)
        json_unsigned(record, "duplicate_of", first->first_frame);
    else
        first->first_frame = frame;
    if (datagram->resend != 0 && endpoint_find_message(sender, datagram->resend)->first_frame != 0)
        json_unsigned(record, "resend_of", endpoint_find_message(sender, datagram->resend)->first_frame);
    for (uint32_t i = 0; i < datagram->message_count; i++) {
        struct sent_message *message = endpoint_find_message(sender, datagram->first_number + i);

        if (message->first_frame == 0)
            message->first_frame = frame;
    }
}

static void record_datagram(struct play *play, const struct step *step, struct station *from, struct station *to,
                            struct datagram *datagram)
{
    struct json record = { .out = play->out };
    struct endpoint *sender = &play->conversations[step->conversation].ends[step->sender];

    json_open(&record, NULL, '{');
    json_unsigned(&record, "n", play->frame);
    record_text(&record, "from", from->name);
    record_text(&record, "to", to->name);
    record_label(&record, step);
    record_text(&record, "fault", step->fault);
    record_text(&record, "note", step->note);
    json_bool(&record, "received", (step->flags & LOST) == 0);
    json_unsigned(&record, "length", sfPacket_getDataSize(datagram->packet));
    record_relations(&record, sender, datagram, play->frame);
    fprintf(play->out, ", %s}\n", datagram->record);
}

/* The one place where anything reaches the network. */
static void transmit(struct play *play, const struct step *step, struct datagram *datagram)
{
    struct conversation *conversation = &play->conversations[step->conversation];
    struct station *client = &conversation->client;
    struct station *from = step->sender == CLIENT ? client : &play->server;
    struct station *to = step->sender == CLIENT ? &play->server : client;

    if (step->flags & VANISH)
        return;
    play->frame++;
    record_datagram(play, step, from, to, datagram);
    station_deliver(from, to, datagram->packet);
    if ((step->flags & LOST) == 0)
        endpoint_receive(&conversation->ends[step->sender == CLIENT ? SERVER : CLIENT], datagram);
}

static struct order order_of(const struct step *step)
{
    return (struct order){
        .messages = step->messages,
        .resend = step->action == ACTION_RESEND ? step->number : 0,
        .without_acks = (step->flags & NO_ACKS) != 0,
        .zero_packet_id = (step->flags & ZERO_PACKET) != 0,
        .zero_message_number = (step->flags & ZERO_MESSAGE) != 0,
        .message_count = step->message_count,
        .ack_bytes = step->ack_bytes,
        .ack_start = step->ack_start,
        .edit = step->edit,
    };
}

static void send_normal(struct play *play, const struct step *step)
{
    struct conversation *conversation = &play->conversations[step->conversation];
    struct order order = order_of(step);
    struct datagram *datagram =
        endpoint_compose(&conversation->ends[step->sender], &conversation->ends[1 - step->sender], &order);

    if ((step->flags & HOLD) == 0)
        transmit(play, step, datagram);
}

static void send_ack_only(struct play *play, const struct step *step)
{
    struct endpoint *sender = &play->conversations[step->conversation].ends[step->sender];
    struct datagram *datagram = endpoint_compose_ack_only(sender, step->flags & OWN_IDS ? &step->ids : NULL,
                                                          (step->flags & CLEAN) != 0, &step->edit);

    transmit(play, step, datagram);
    if ((step->flags & ONCE) == 0)
        transmit(play, step, datagram);
}

static void play_step(struct play *play, const struct step *step)
{
    struct endpoint *sender = &play->conversations[step->conversation].ends[step->sender];

    start_conversation(play, step->conversation);
    pause_ms(step->delay_ms);
    switch (step->action) {
    case ACTION_SEND:
    case ACTION_RESEND:
        send_normal(play, step);
        break;
    case ACTION_REPEAT:
    case ACTION_RELEASE:
        transmit(play, step, endpoint_find(sender, step->number));
        break;
    case ACTION_ACK_ONLY:
        send_ack_only(play, step);
        break;
    case ACTION_SKIP:
        sender->next_packet += step->number;
        break;
    }
}

static void stop(struct play *play)
{
    for (size_t i = 0; i < MOST_CONVERSATIONS; i++) {
        struct conversation *conversation = &play->conversations[i];

        if (!conversation->used)
            continue;
        endpoint_free(&conversation->ends[CLIENT]);
        endpoint_free(&conversation->ends[SERVER]);
        station_close(&conversation->client);
    }
    station_close(&play->server);
}

void scenario_play(const struct scenario *scenario, FILE *out)
{
    static struct play play;

    play = (struct play){ .scenario = scenario, .out = out };
    station_open(&play.server, scenario->ipv6, SERVER_PORT);
    for (size_t i = 0; i < scenario->step_count; i++)
        play_step(&play, &scenario->steps[i]);
    stop(&play);
}
