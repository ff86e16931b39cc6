/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds sides whose program was blocked. Such a side sends nothing for longer than usual, and then acknowledges what
 * arrived in the meantime. Three other causes look alike, and are excluded:
 *
 *   - It had nothing to send, and the other side's datagrams came late. Therefore only a side counts that sent more than
 *     acknowledgements, at short intervals, until the pause.
 *   - Its datagrams came late: the sent times after the pause are in it.
 *   - Its datagrams were lost: the transmissions that these acknowledged are not acknowledged a second time.
 */
#include "internal.h"

#include "common/archive.h"

#define MICROSECOND INT64_C(1000)
#define MILLISECOND (1000 * MICROSECOND)

#define SHORTEST_PAUSE (100 * MILLISECOND)
#define TIMES_USUAL    4 /* libenet sends again after intervals that double: the next one is no pause */

/* A command waited if it was sent so long before the end of the pause, and acknowledged so soon after it. */
#define SHORTEST_WAIT  (100 * MILLISECOND)
#define LONGEST_ANSWER (100 * MILLISECOND)

/* The clock is read in one of the first datagrams after the pause: later ones say nothing about these. */
#define MOST_DATAGRAMS 4
#define TOLERANCE      (25 * MILLISECOND)

static bool is_own(const enet_facts *facts)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->commands[i].number != GW_ENET_ACKNOWLEDGE)
            return true;
    return false;
}

/* Rises at most by its double, so that a pause is not usual, and falls slowly. */
static void keep_usual(enet_direction *sender, int64_t now)
{
    int64_t interval = (now - sender->own_time) / MICROSECOND;
    uint32_t usual = sender->own_usual;
    if (sender->own_time && interval >= 0) {
        if (interval > usual)
            usual = (uint32_t)MIN(interval, 2 * (int64_t)MIN(usual, UINT32_MAX / 4) + 1000);
        else
            usual -= (usual - (uint32_t)interval) / 16;
    }
    sender->own_usual = usual;
    sender->own_time = now;
    sender->own_count += sender->own_count < ENET_OWN_COUNT;
}

/* The pause before the sender's datagram, if it was longer than usual; NULL: none. */
static enet_pause *begin_pause(const packet_info *pinfo, const enet_clock *clock, const enet_direction *sender)
{
    const int64_t now = gw_nanoseconds(&pinfo->abs_ts), last = gw_nanoseconds(&sender->last_time);
    const int64_t usual = sender->own_usual * MICROSECOND;
    if (sender->own_count < ENET_OWN_COUNT || now - last < SHORTEST_PAUSE || now - last < TIMES_USUAL * usual ||
        last - sender->own_time > 2 * usual || now - last >= ENET_SHORTEST_TIMEOUT_S * GW_NANOSECONDS)
        return NULL;
    enet_pause *pause = gw_archive_alloc(sizeof *pause);
    *pause = (enet_pause){ .begin = last,
                           .end = now,
                           .frame = pinfo->num,
                           .sent_time = clock->sent_time,
                           .time = clock->known ? gw_nanoseconds(&clock->time) : 0 };
    return pause;
}

/* Compares the sender's clock with the capture's. */
static void read_clock(const packet_info *pinfo, const gw_enet_header *header, enet_pause *pause)
{
    pause->is_over = header->has_sent_time || !pause->time || ++pause->datagrams >= MOST_DATAGRAMS;
    if (!header->has_sent_time || !pause->time)
        return;
    int64_t elapsed = gw_nanoseconds(&pinfo->abs_ts) - pause->time;
    uint16_t expected = (uint16_t)(pause->sent_time + elapsed / MILLISECOND);
    int64_t late = (int16_t)(expected - header->sent_time) * MILLISECOND;
    pause->in_time = late < TOLERANCE && late > -TOLERANCE;
}

void enet_keep_pause(const packet_info *pinfo, const enet_pair *pair, const enet_facts *executed,
                     enet_direction *sender, enet_findings *findings)
{
    enet_pause *pause = sender->any ? begin_pause(pinfo, &pair->clocks[findings->summary.side], sender) : NULL;
    if (pause)
        sender->pause = pause;
    findings->pause = pause;
    if (sender->pause && !sender->pause->is_over)
        read_clock(pinfo, &executed->header, sender->pause);
    if (is_own(executed))
        keep_usual(sender, gw_nanoseconds(&pinfo->abs_ts));
}

void enet_keep_late_ack(const packet_info *pinfo, enet_direction *acknowledger, const enet_send *send)
{
    enet_pause *pause = acknowledger->pause;
    const int64_t now = gw_nanoseconds(&pinfo->abs_ts);
    const uint32_t answer = (uint32_t)CLAMP((now - send->time) / MICROSECOND, 1, UINT32_MAX);
    if (pause && send->time >= pause->begin && pause->end - send->time >= SHORTEST_WAIT && acknowledger->answer &&
        answer / TIMES_USUAL >= acknowledger->answer && now - pause->end <= LONGEST_ANSWER)
        pause->waited += pause->waited < UINT16_MAX;
    if (!acknowledger->answer || answer < acknowledger->answer)
        acknowledger->answer = answer;
}
