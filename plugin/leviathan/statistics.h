/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Leviathan's statistics: -z leviathan,tree, -z leviathan,srt, -z flow,leviathan,network.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_STATISTICS_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_STATISTICS_H

#include "analysis.h"

/* Data of the tap "leviathan" for each message. */
typedef struct leviathan_tap_message {
    const char *name; /* "Unknown" for unknown types */
    bool is_request;
    bool is_resend;
    uint32_t number;        /* of the message */
    uint32_t length;        /* bytes */
    bool has_response_time; /* the first response to a captured request */
    uint8_t request_id;     /* with has_response_time: the id of the request's type */
    nstime_t request_time;  /* with has_response_time: when the request was first sent */
} leviathan_tap_message;

/* Data of the tap "leviathan" for each datagram. */
typedef struct leviathan_tap_packet {
    bool is_packet; /* its packet type is known */
    bool is_ack_only;
    bool is_duplicate;
    uint32_t message_count;
    leviathan_tap_message *messages;
} leviathan_tap_packet;

/* Call at registration of the protocol. */
void leviathan_register_statistics(int protocol);
/* Call at handoff: sharkd does not call a plugin's function for tap listeners. */
void leviathan_register_statistics_tree(void);
/* Call it for each datagram that was dissected. `findings` may be NULL. */
void leviathan_tap(packet_info *pinfo, const leviathan_facts *facts, const leviathan_findings *findings);

#endif
