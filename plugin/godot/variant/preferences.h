/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All preferences of the Godot protocols are in the module of "godot", with names like "stream.byte_order": of
 * "godot.stream.byte_order", Wireshark takes the first part that is a module's name for the module, when it reads a
 * file of preferences or -o. A module "godot.stream" of its own would never be found.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_PREFERENCES_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_PREFERENCES_H

#include "common/compat.h"

#include <epan/prefs.h>

/* When "godot" is registered, before all others. */
module_t *godot_preferences_register(int proto_godot);
/* The same later. */
module_t *godot_preferences(void);

/* TCP ports on which a dissector is asked without recognition. `name` is the preference's, as "stream.tcp.port";
 * `ports` those by default ("" for none). Call when the protocol is registered, after the dissector. */
void godot_preferences_add_ports(const char *name, const char *title, const char *description, const char *ports,
                                 dissector_handle_t handle);
/* At handoff, when the table of ports is there: asks the dissectors from now on, and offers them in Decode As. */
void godot_preferences_apply(void);

#endif
