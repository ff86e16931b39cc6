# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# The engine's own WebRTCMultiplayerPeer in a browser. Its offer is posted to serve.py, from which webrtc.py takes it, and the answer
# is a file of the site. All candidates are in them.

const SERVER := 1
const EXTRA_CHANNELS := 3 # as in webrtc.py

var id := randi_range(2, 0x7fffffff)
var connection := WebRTCPeerConnection.new()
var sdp := ""


func open(role: String) -> MultiplayerPeer:
	var peer := WebRTCMultiplayerPeer.new()
	var channels := []
	channels.resize(EXTRA_CHANNELS)
	channels.fill(MultiplayerPeer.TRANSFER_MODE_RELIABLE)
	peer.create_client(id, channels)
	connection.initialize({"iceServers": []})
	connection.session_description_created.connect(describe)
	connection.ice_candidate_created.connect(func(_media, _index, candidate): sdp += "a=%s\r\n" % candidate)
	peer.add_peer(connection, SERVER)
	connection.create_offer()
	signal_to(role)
	return peer


func describe(type: String, text: String) -> void:
	sdp = text
	connection.set_local_description(type, text)


func signal_to(role: String) -> void:
	while connection.get_gathering_state() != WebRTCPeerConnection.GATHERING_STATE_COMPLETE:
		await get_tree().process_frame
	await request("/%s.offer" % role, HTTPClient.METHOD_POST, JSON.stringify({"id": id, "sdp": sdp}))
	var answer := ""
	while not answer:
		await get_tree().create_timer(0.1).timeout
		answer = await request("/%s.answer" % role, HTTPClient.METHOD_GET)
	connection.set_remote_description("answer", answer)


# The body of the answer, or nothing where there is no such file.
func request(path: String, method: HTTPClient.Method, body := "") -> String:
	var http := HTTPRequest.new()
	add_child(http)
	http.request("http://127.0.0.1:40680" + path, [], method, body)
	var result: Array = await http.request_completed
	http.queue_free()
	return result[3].get_string_from_utf8() if result[1] == 200 else ""
