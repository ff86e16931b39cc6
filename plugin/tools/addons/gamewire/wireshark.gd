# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
@tool
extends RefCounted

# Where Wireshark has its profiles and its program, and how it is started.

const PROFILE := "Gamewire"
# The environment may name another program, or the folder of the profile where no dialog can ask.
const PROGRAM_VARIABLE := "GAMEWIRE_WIRESHARK"
const PROFILE_VARIABLE := "GAMEWIRE_PROFILE"


# The folder of the user's profiles: "Personal configuration" of Help > About Wireshark > Folders, with "profiles".
static func profiles_folder() -> String:
	if OS.has_feature("windows"):
		return OS.get_environment("APPDATA").replace("\\", "/").path_join("Wireshark/profiles")
	var config := OS.get_environment("XDG_CONFIG_HOME")
	if config == "":
		config = OS.get_environment("HOME").path_join(".config")
	return config.path_join("wireshark/profiles")


# The names of the profiles that are there, and Gamewire's.
static func profiles() -> PackedStringArray:
	var names := DirAccess.get_directories_at(profiles_folder()) if DirAccess.dir_exists_absolute(profiles_folder()) else PackedStringArray()
	if PROFILE not in names:
		names.insert(0, PROFILE)
	return names


# The folder of a profile that is installed for all users; "" if there is none.
static func installed_profile(name: String) -> String:
	for above in ["/usr/share/wireshark", "/usr/local/share/wireshark", "/Applications/Wireshark.app/Contents/Resources/share/wireshark",
			OS.get_environment("PROGRAMFILES").path_join("Wireshark")]:
		var folder: String = above.path_join("profiles").path_join(name)
		if DirAccess.dir_exists_absolute(folder):
			return folder
	return ""


# The options that choose a profile, by its folder, or Gamewire's for "". Wireshark ends at once if it does not have the profile: then there are none.
static func profile_arguments(folder: String) -> PackedStringArray:
	if folder != "":
		return ["-C", folder.get_file()] if make_profile(folder) else []
	var is_there := installed_profile(PROFILE) != "" or DirAccess.dir_exists_absolute(profiles_folder().path_join(PROFILE))
	return ["-C", PROFILE] if is_there else []


# Makes the folder of a profile. Gamewire's begins as a copy of the one that is installed for all users, as it does when it is
# selected in Wireshark. Returns false if the folder cannot be made.
static func make_profile(folder: String) -> bool:
	if DirAccess.dir_exists_absolute(folder):
		return true
	if DirAccess.make_dir_recursive_absolute(folder) != OK:
		return false
	var installed := installed_profile(PROFILE) if folder.get_file() == PROFILE else ""
	if installed != "":
		for file in DirAccess.get_files_at(installed):
			DirAccess.copy_absolute(installed.path_join(file), folder.path_join(file))
	return true


static func program() -> String:
	var chosen := OS.get_environment(PROGRAM_VARIABLE)
	if chosen != "":
		return chosen
	for path in [OS.get_environment("PROGRAMFILES").path_join("Wireshark/Wireshark.exe"), "/Applications/Wireshark.app/Contents/MacOS/Wireshark"]:
		if FileAccess.file_exists(path):
			return path
	return "wireshark"


static func loopback() -> String:
	if OS.has_feature("windows"):
		return "\\Device\\NPF_Loopback"
	return "lo0" if OS.has_feature("macos") else "lo"


# The interfaces whose addresses other machines can send to.
static func network_interfaces() -> PackedStringArray:
	var names: PackedStringArray = []
	for interface in IP.get_local_interfaces():
		var is_reached := func(address: String) -> bool:
			return not (address.begins_with("127.") or address == "::1" or address == "0:0:0:0:0:0:0:1" or address.begins_with("fe80")
				or address.begins_with("169.254."))
		if Array(interface.addresses).any(is_reached):
			names.append(interface.friendly if OS.has_feature("windows") else interface.name)
	return names


# The capture filter for these ports; "" captures all.
static func capture_filter(udp: Array[int], tcp: Array[int]) -> String:
	var parts := udp.map(func(port): return "udp port %d" % port) + tcp.map(func(port): return "tcp port %d" % port)
	return " or ".join(parts)


# The arguments that start a capture into `file` at once.
static func arguments(profile: PackedStringArray, interfaces: PackedStringArray, filter: String, file: String, keys: String) -> PackedStringArray:
	var result := profile + PackedStringArray(["-k"])
	# An -f in front of the interfaces is for all of them.
	if filter != "":
		result.append_array(["-f", filter])
	for interface in interfaces:
		result.append_array(["-i", interface])
	result.append_array(["-w", file])
	if keys != "":
		result.append_array(["-o", "tls.keylog_file:" + keys])
	return result
