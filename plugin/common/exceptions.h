/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls to dissectors of payloads that this plugin does not know.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_EXCEPTIONS_H
#define GAMEWIRE_PLUGIN_COMMON_EXCEPTIONS_H

#include "common/compat.h"

/* Calls dissectors; true when one has accepted the payload. */
typedef bool (*gw_dissectors)(packet_info *pinfo, proto_tree *tree, void *closure);

/* Calls `dissectors`. An exception of one, such as a payload that is too short for it, is displayed in `tree` as
 * Malformed Packet and counts as accepted: the caller continues with what follows the payload. `tree` may be NULL. */
bool gw_call_guarded(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, gw_dissectors dissectors, void *closure);

#endif
