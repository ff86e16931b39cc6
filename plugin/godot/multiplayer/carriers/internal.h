/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the files of the carriers: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_CARRIERS_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_CARRIERS_INTERNAL_H

#include "common/compat.h"

#include <gamewire/godot_mp.h>

#include "godot/multiplayer/internal.h"

/* ==== data_channels.c =================================================================================== */

/* WebRTC's data channels: streams of SCTP in DTLS (RFC 8831).
 *
 * Wireshark's DTLS dissector passes decrypted data to SCTP on one port only, which WebRTC does not use. Therefore these
 * functions detect SCTP by its chunks and its checksum, and call Wireshark's SCTP dissector. The SCTP dissector offers
 * messages to the heuristic list "sctp" with their payload protocol identifier, but without the number of their stream,
 * which these functions find. */

/* Payload protocol identifiers (RFC 8831, section 8). Text and empty messages have others. */
#define GODOT_MP_PPID_DCEP   50U
#define GODOT_MP_PPID_BINARY 53U

/* Registers the heuristic that dissects decrypted data of DTLS. Call at handoff. */
void godot_mp_register_data_channels(void);

/* Finds the channel of a message that SCTP's dissector offers. */
godot_mp_channel godot_mp_find_channel(packet_info *pinfo, tvbuff_t *message);

/* Exchanges the ports of SCTP, which are the same for all connections of WebRTC, and those of the datagram, which
 * identify the connection. Call it again to restore them. */
void godot_mp_exchange_ports(packet_info *pinfo);

#endif
