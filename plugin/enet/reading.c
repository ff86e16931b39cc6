/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loop over a datagram's events.
 */
#include "internal.h"

#define LABEL_SIZE   160
#define FIRST_EVENTS 32U

/* ---- events that are shown ------------------------------------------------------------------------------ */

/* Of the commands that are not shown, the OPEN of the first one becomes the item for all of them. */
static bool is_hidden(const enet_reading *reading, const gw_enet_event *event)
{
    bool is_of_command = event->depth || event->role == GW_ENET_ROLE_COMMAND;
    return is_of_command && reading->reader.commands > ENET_MOST_SHOWN &&
           !(event->kind == GW_OPEN && event->index == ENET_MOST_SHOWN);
}

static void keep_event(enet_reading *reading, packet_info *pinfo, const gw_enet_event *event)
{
    if (reading->event_count == reading->event_room) {
        reading->event_room = MAX(2 * reading->event_room, FIRST_EVENTS);
        reading->events =
            (gw_enet_event *)wmem_realloc(pinfo->pool, reading->events, reading->event_room * sizeof *reading->events);
    }
    reading->events[reading->event_count++] = *event;
}

/* ---- the commands' text --------------------------------------------------------------------------------- */

static const char *label_of(const enet_reading *reading, packet_info *pinfo)
{
    gw_text text;
    gw_text_init(&text, (char *)wmem_alloc(pinfo->pool, LABEL_SIZE), LABEL_SIZE);
    gw_enet_print_command(&text, &reading->reader.command);
    return text.buffer;
}

static void print_command(enet_reading *reading, const enet_source *source)
{
    enet_facts *facts = &reading->facts;
    if (source->demand->visible)
        facts->commands[facts->count - 1].label = label_of(reading, source->pinfo);
    if (!reading->line.buffer)
        return;
    gw_text_string(&reading->line, facts->count > 1 ? ", " : "");
    gw_enet_print_command(&reading->line, &reading->reader.command);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static enet_reading *begin_reading(const enet_source *source)
{
    enet_reading *reading = wmem_new0(source->pinfo->pool, enet_reading);
    if (source->demand->line)
        gw_text_init(&reading->line, (char *)wmem_alloc(source->pinfo->pool, ENET_LINE_SIZE), ENET_LINE_SIZE);
    return reading;
}

/* The numbers of a command count although the capture has not all of its payload. */
static void end_reading(enet_reading *reading, const enet_source *source)
{
    const gw_fault *fault = &reading->reader.fault;
    if (fault->code != GW_ENET_FAULT_PAYLOAD_TRUNCATED || !gw_fault_is_cut(source->pinfo, source->tvb, fault))
        return;
    enet_facts_add_cut(&reading->facts, source->pinfo, &reading->reader);
    print_command(reading, source);
    reading->is_cut = true;
}

enet_reading *enet_read(const enet_source *source, const uint8_t *bytes, uint32_t length,
                        const gw_enet_options *options)
{
    enet_reading *reading = begin_reading(source);
    gw_enet_reader *reader = &reading->reader;
    gw_enet_event event;
    gw_enet_init(reader, bytes, length, options);
    while (gw_enet_next(reader, &event) == GW_NEXT_EVENT) {
        gw_enet_weigh(&reading->evidence, reader, &event);
        enet_facts_add(&reading->facts, source->pinfo, reader, &event);
        if (event.kind == GW_CLOSE)
            print_command(reading, source);
        if ((source->demand->items || event.odd) && !is_hidden(reading, &event))
            keep_event(reading, source->pinfo, &event);
    }
    end_reading(reading, source);
    return reading;
}
