/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of Godot's multiplayer.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_FIELDS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_FIELDS_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/godot_mp.h>

typedef struct godot_mp_fields {
    /* of every message */
    int stream;
    int length;
    int form;
    int generation;
    int command;
    int command_byte;
    int from;
    int to;
    int source;
    int target;
    int message_type;
    int peer_message;
    int peer;
    int assigned_peer;
    int peer_known_from;
    int system;
    int relay_peer;
    int relayed_in;
    int relay_of;
    int relay_time;
    int data;
    int variant;
    int trailing;
    int undecoded;
    int not_shown;
    int data_channel_stream;
    int data_channel_label;
    int data_channel_reliability;
    int data_channel_opened_in;
    /* the header of exported messages */
    int exported_version;
    int exported_transport;
    int exported_generation;
    int exported_client_known;
    int exported_from_client;
    int exported_has_connect_data;
    int exported_repeated;
    int exported_connection;
    int exported_connect_data;
    int exported_channel;
    /* calls */
    int rpc_node_id;
    int rpc_path;
    int rpc_path_offset;
    int rpc_path_defined_in;
    int rpc_differs_in;
    int rpc_method_id;
    int rpc_method;
    int rpc_method_from;
    int rpc_property;
    int rpc_caller;
    int rpc_callee;
    int rpc_argument_count;
    int rpc_argument;
    int rpc_bytes;
    /* paths */
    int path_id;
    int path_path;
    int path_checksum;
    int path_script;
    int path_confirmed;
    int path_defined_in;
    int path_confirmed_in;
    int path_confirm_time;
    int path_acknowledged_in;
    /* spawns */
    int spawn_scene;
    int spawn_scene_name;
    int spawn_spawner;
    int spawn_spawner_path;
    int spawn_net_id;
    int spawn_sync_count;
    int spawn_sync_id;
    int spawn_name_length;
    int spawn_name;
    int spawn_custom_size;
    int spawn_custom;
    int spawn_state;
    int spawn_spawned_in;
    int spawn_despawned_in;
    int spawn_lifetime;
    /* synchronized properties */
    int sync_time;
    int sync_ahead;
    int sync_interval;
    int sync_previous;
    int sync_update_interval;
    int sync_update_previous;
    int sync_net_id;
    int sync_path;
    int sync_node;
    int sync_defined_in;
    int sync_indexes;
    int sync_size;
    int sync_property;
    int sync_value;
    int halves; /* also of a spawn */
} godot_mp_fields;

extern int proto_godot_mp;
extern godot_mp_fields godot_mp_hf;

#define GODOT_MP_ODDS 17

typedef struct godot_mp_experts {
    expert_field cut_short;
    expert_field not_shown;
    expert_field path_unknown;
    expert_field path_defined_later;
    expert_field path_redefined;
    expert_field generations_differ;
    expert_field path_refused;
    expert_field call_refused;
    expert_field spawn_refused;
    expert_field path_unconfirmed;
    expert_field path_by_name;
    expert_field checksum_differs;
    expert_field methods_differ;
    expert_field confirmation_unasked;
    expert_field method_unknown;
    expert_field spawn_unknown;
    expert_field spawn_again;
    expert_field despawn_unknown;
    expert_field spawned_later;
    expert_field sync_unknown;
    expert_field owners_differ;
    expert_field authentication_missing;
    expert_field sync_out_of_order;
    expert_field sync_update_late;
    expert_field spawn_by_client;
    expert_field unreliable_too_long;
    expert_field reliable_too_many;
    expert_field confirmation_missing;
    expert_field faults[GW_GODOT_MP_FAULTS]; /* by code */
    expert_field odd[GODOT_MP_ODDS];         /* by the number of the bit */
} godot_mp_experts;

extern godot_mp_experts godot_mp_ei;

extern int godot_mp_ett_protocol;
extern int godot_mp_ett_packet;
extern int godot_mp_ett_item;

void godot_mp_register_fields(int protocol);

#endif
