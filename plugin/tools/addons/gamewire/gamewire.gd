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
var seen: MultiplayerPeer # the multiplayer peer that was looked at last


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
		get_tree().process_frame.connect(replace_peer)
		get_tree().physics_frame.connect(replace_peer)


func _process(_delta: float) -> void:
	replace_peer()
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


func replace_peer() -> void:
	var peer := multiplayer.multiplayer_peer
	if peer == seen:
		return
	seen = peer
	if not multiplayer.get_peers().is_empty() and not peer is Recorder:
		push_warning("Gamewire: a peer that is connected already is not recorded; Gamewire.record() does it before")
		return
	var recorder := record(peer)
	if recorder != peer:
		seen = recorder
		multiplayer.multiplayer_peer = recorder
