# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# The autoload "Gamewire": records the messages of the game's multiplayer peer (plugin/docs/recording.md).
#
#     multiplayer.multiplayer_peer = Gamewire.record(peer)
#
# returns the peer itself where nothing is recorded: in release builds, unless they are asked to record. A game without this line is
# recorded if it was started with --gamewire-record or --gamewire-live, or by Project > Tools > Gamewire > Record This Game.
#
#     --gamewire-record                       into a file in user://gamewire
#     --gamewire-live[=[ADDRESS:]PORT]        for Wireshark, which reads TCP@127.0.0.1:19123
#
# The environment variables GAMEWIRE_RECORD=1 and GAMEWIRE_LIVE=[ADDRESS:]PORT are the same.

const Recorder := preload("recorder.gd")
const Recording := preload("recording.gd")
const Live := preload("live.gd")
const NodeNames := preload("node_names.gd")

# Whether record() records.
var enabled := OS.is_debug_build()
# Whether peers of games that do not call record() are recorded.
var replaces_peers := false
var to_file := false
var live: Live
var names: NodeNames
# Multiplayer APIs, of the tree and of branches of it: the peer that was looked at last. As instance ids, which keep neither from ending.
var apis := {}
var nodes: Array = [] # that have entered the tree in this frame


func _init() -> void:
	var address := Live.ADDRESS
	var port := 0
	for argument in OS.get_cmdline_args() + OS.get_cmdline_user_args() + from_environment():
		if argument == "--gamewire-record":
			to_file = true
		elif argument == "--gamewire-live" or argument.begins_with("--gamewire-live="):
			var value := argument.trim_prefix("--gamewire-live").trim_prefix("=")
			port = value.get_slice(":", value.get_slice_count(":") - 1).to_int()
			port = port if port > 0 and port < 65536 else Live.PORT
			address = value.left(value.rfind(":")) if ":" in value else address
	replaces_peers = to_file or port > 0
	enabled = enabled or replaces_peers
	# After all others: it sees what they have set in this frame.
	process_priority = 1 << 30
	process_mode = PROCESS_MODE_ALWAYS
	if port > 0:
		live = Live.new()
		if not live.listen(address, port):
			live = null
	if not replaces_peers:
		set_process(false)


func from_environment() -> PackedStringArray:
	var arguments: PackedStringArray = []
	if OS.get_environment("GAMEWIRE_RECORD") not in ["", "0"]:
		arguments.append("--gamewire-record")
	if OS.get_environment("GAMEWIRE_LIVE") != "":
		arguments.append("--gamewire-live=" + OS.get_environment("GAMEWIRE_LIVE"))
	return arguments


func _ready() -> void:
	if replaces_peers:
		nodes = get_tree().root.find_children("*", "", true, false)
		get_tree().node_added.connect(func(node): nodes.append(node))
		get_tree().process_frame.connect(replace_all)
		get_tree().physics_frame.connect(replace_all)


func _process(_delta: float) -> void:
	replace_all()
	if live != null:
		live.pump()


# The peer to use in place of this one.
func record(peer: MultiplayerPeer) -> MultiplayerPeer:
	if not enabled or peer == null or peer is OfflineMultiplayerPeer or peer is Recorder:
		return peer
	if names == null:
		names = NodeNames.new()
		names.watch(get_tree())
	var outputs := []
	if to_file or live == null:
		outputs.append(Recording.new())
	if live != null:
		outputs.append(live)
	return Recorder.new(peer, outputs, names)


# The name of a peer's player, for Wireshark.
func name_player(id: int, player: String) -> void:
	if names != null:
		names.add_player(id, player)


# A branch has an API of its own from _enter_tree or _ready of a node on: SceneTree.set_multiplayer.
func replace_all() -> void:
	for node in nodes:
		if is_instance_valid(node) and node.is_inside_tree():
			apis.get_or_add(node.multiplayer.get_instance_id(), 0)
	nodes.clear()
	for id in apis.keys():
		if is_instance_id_valid(id):
			replace_peer(instance_from_id(id))
		else:
			apis.erase(id)


func replace_peer(api: MultiplayerAPI) -> void:
	var peer := api.multiplayer_peer
	var peer_id := peer.get_instance_id() if peer != null else 0
	if apis[api.get_instance_id()] == peer_id:
		return
	apis[api.get_instance_id()] = peer_id
	if peer != null and not peer is Recorder and not api.get_peers().is_empty():
		push_warning("Gamewire: a peer that is connected already is not recorded; Gamewire.record() does it before")
		return
	var recorder := record(peer)
	if recorder != peer:
		apis[api.get_instance_id()] = recorder.get_instance_id()
		api.multiplayer_peer = recorder
