/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Datagrams for File > Export PDUs to File and tshark -U ENet.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_EXPORT_H
#define GAMEWIRE_PLUGIN_ENET_EXPORT_H

#include "facts.h"

void enet_register_export(void);

/* Exports a datagram as it was before compression, and without its checksum; unchanged if it could not be decompressed.
 */
void enet_export(packet_info *pinfo, tvbuff_t *datagram, const enet_facts *facts, const enet_raw *raw);

#endif
