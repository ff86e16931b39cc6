/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PDUs for File > Export PDUs to File and tshark -U: the input of a dissector after decryption, decompression or
 * reassembly, in a new capture that the same dissectors can read.
 *
 * The capture has no address of the original: hosts are 2001:db8::1, 2001:db8::2 and so on, in the order in which they
 * appear. Ports, times and frame numbers do not change.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_EXPORT_H
#define GAMEWIRE_PLUGIN_COMMON_EXPORT_H

#include "common/compat.h"

/* Registers a list of PDUs under the name that the window and tshark -U use. Returns the tap. */
int gw_export_register(const char *name);

/* True if the PDUs of this tap are being exported. */
bool gw_export_is_wanted(int tap);

/* Exports `tvb`, to be read by `dissector`, which is a registered name. Only while gw_export_is_wanted(). */
void gw_export(int tap, packet_info *pinfo, const char *dissector, tvbuff_t *tvb);

#endif
