# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Godot 3 reads every document of the file named by CORPUS, ROUNDS times over, with its own bytes2var.
extends SceneTree

func _init():
	var documents = load_corpus(OS.get_environment("CORPUS"))
	var same = 0
	for document in documents:
		if var2bytes(bytes2var(document)) == document:
			same += 1
	print("%d documents, %d encoded back to the same bytes" % [documents.size(), same])
	for _round in range(int(OS.get_environment("ROUNDS"))):
		for document in documents:
			bytes2var(document)
	quit()

func load_corpus(path):
	var documents = []
	var file = File.new()
	if file.open(path, File.READ) == OK:
		while file.get_position() < file.get_len():
			documents.append(file.get_buffer(file.get_32()))
	return documents
