/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of JSON that tshark prints while it reads the packets (plugin/docs/messages.md):
 *
 *   -z gamewire,messages[,filter]        a line for each message
 *   -z gamewire,frames,fields[,filter]   a line for each frame, with its findings, its messages and the values of the
 *                                        fields, whose names are separated by spaces
 *
 * Unlike -T fields, these statistics need no visible tree, which Wireshark 4.0 makes for each packet.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_JSON_LINES_H
#define GAMEWIRE_PLUGIN_COMMON_JSON_LINES_H

/* Call once. */
void gw_register_json_lines(void);

#endif
