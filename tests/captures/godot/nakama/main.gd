# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# A player of a match whose multiplayer goes through Nakama's bridge (tests/captures/godot/nakama.sh). Prints a line "RECORD {…}"
# for each call that it receives, and for its own id. Environment: PLAYER, its name; SECONDS of play.

const MATCH := "arena"
const PORT := 46150

var player := OS.get_environment("PLAYER")
var seconds := OS.get_environment("SECONDS").to_float()
var bridge: NakamaMultiplayerBridge
var count := 0

func _ready() -> void:
	var content := JSON.stringify({"usn": player, "uid": player, "exp": int(Time.get_unix_time_from_system()) + 3600})
	var part := Marshalls.utf8_to_base64(content).replace("+", "-").replace("/", "_").replace("=", "")
	var session := NakamaSession.new("e30.%s.e30" % part)
	var socket := Nakama.create_socket("127.0.0.1", PORT, "ws")
	await socket.connect_async(session)
	bridge = NakamaMultiplayerBridge.new(socket)
	bridge.match_joined.connect(_on_joined)
	multiplayer.multiplayer_peer = bridge.multiplayer_peer
	bridge.join_named_match(MATCH)
	get_tree().create_timer(seconds).timeout.connect(_end)

func _on_joined() -> void:
	_record("joined", multiplayer.get_unique_id(), [player])
	var timer := Timer.new()
	timer.timeout.connect(_play)
	add_child(timer)
	timer.start(0.2)

func _play() -> void:
	count += 1
	match count % 4:
		0:
			move.rpc(Vector2(count, -0.5 * count), count)
		1:
			for peer in multiplayer.get_peers():
				say.rpc_id(peer, "hello %d from %s" % [count, player])
		2:
			fire.rpc_id(1, {"count": count, "by": player}) if not multiplayer.is_server() else say.rpc("round %d" % count)
		3:
			(multiplayer as SceneMultiplayer).send_bytes(PackedByteArray([0x53, count, 1, 2, 3]))

@rpc("any_peer", "call_remote", "reliable")
func say(text: String) -> void:
	_record("say", multiplayer.get_remote_sender_id(), [text])

@rpc("any_peer", "call_remote", "unreliable")
func move(to: Vector2, step: int) -> void:
	_record("move", multiplayer.get_remote_sender_id(), [var_to_str(to), step])

@rpc("any_peer", "call_remote", "reliable")
func fire(shot: Dictionary) -> void:
	_record("fire", multiplayer.get_remote_sender_id(), [var_to_str(shot).replace("\n", " ")])

func _record(method: String, sender: int, arguments: Array) -> void:
	print("RECORD ", JSON.stringify({
		"receiver": multiplayer.get_unique_id(), "sender": sender, "method": method, "arguments": arguments,
	}))

func _end() -> void:
	await bridge.leave()
	get_tree().quit()
