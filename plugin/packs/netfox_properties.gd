# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
extends Node

# Writes what netfox 1.48 does not send: names and serializers of the synchronized properties, for Gamewire's pack netfox.lua.
#
# Add this script to the project's autoloads, after those of netfox, and run the game. The file user://netfox_properties is
# written whenever a node is new; Godot prints its path. Copy it into Wireshark's personal configuration folder (Help > About
# Wireshark > Folders), or name it in the preference of netfox. A line for each property, in the order of netfox:
#
#     state "/root/Main/Players/Player #*" "position" vec3(float32)
#
# The kind is state, input or sync (StateSynchronizer). A star is any part of one name: digits are written as stars, if the nodes
# that then have the same path have the same properties. A serializer of the game's own is "custom".

const FILE := "user://netfox_properties"
const WAIT := 1.0 # seconds between two looks

const BY_CLASS := {
	"_VariantSerializer": "variant", "_StringSerializer": "string", "_CStringSerializer": "c_string", "_BoolSerializer": "bool8",
	"_Uint8Serializer": "uint8", "_Uint16Serializer": "uint16", "_Uint32Serializer": "uint32", "_Uint64Serializer": "uint64",
	"_Int8Serializer": "int8", "_Int16Serializer": "int16", "_Int32Serializer": "int32", "_Int64Serializer": "int64",
	"_VaruintSerializer": "varuint", "_Float16Serializer": "float16", "_Float32Serializer": "float32",
	"_Float64Serializer": "float64", "_GenericVec2Serializer": "vec2", "_GenericVec3Serializer": "vec3",
	"_GenericVec4Serializer": "vec4", "_Normal2Serializer": "normal2", "_Normal3Serializer": "normal3",
	"_GenericQuaternionSerializer": "quat", "_GenericTransform2DSerializer": "transform2",
	"_GenericTransform3DSerializer": "transform3", "_ArraySerializer": "array", "_DictionarySerializer": "dictionary",
}

var _known := {} # "kind path": the lines of the node, without kind and path
var _classes := {} # script of a serializer: name of its class

func _ready() -> void:
	var constants: Dictionary = NetworkSchemas.new().get_script().get_script_constant_map()
	for key in constants:
		_classes[constants[key]] = key
	var timer := Timer.new()
	timer.timeout.connect(_look)
	add_child(timer)
	timer.start(WAIT)
	print("Properties of netfox: ", ProjectSettings.globalize_path(FILE))

func _look() -> void:
	var server := NetworkSynchronizationServer
	var pools := {
		"state": server._rb_state_properties, "input": server._rb_input_properties, "sync": server._sync_state_properties,
	}
	var count := _known.size()
	for kind in pools:
		for subject in pools[kind].get_subjects():
			var key := "%s %s" % [kind, (subject as Node).get_path()]
			if not _known.has(key):
				var lines := PackedStringArray()
				for property in pools[kind].get_properties_of(subject):
					var serializer: Object = server._schemas._get_serializer(subject, property)
					lines.append('"%s" %s' % [str(property).trim_prefix(":"), _name_of(serializer)])
				_known[key] = lines
	if _known.size() != count:
		_write()

func _name_of(serializer: Object) -> String:
	var name: String = _classes.get(serializer.get_script(), "")
	match name:
		"_QuantizingSerializer":
			var bits: String = _name_of(serializer.component).trim_prefix("uint")
			if serializer.to_min == 0 and serializer.from_max == 1.0 and serializer.from_min in [0.0, -1.0] and bits.is_valid_int():
				return ("ufrac" if serializer.from_min == 0.0 else "sfrac") + bits
			return "custom"
		"_ModuloSerializer":
			var bits: String = _name_of(serializer.component).trim_prefix("uint")
			return ("degrees" if serializer.value_max == 360.0 else "radians") + bits
		"_ArraySerializer":
			return "array(%s,%s)" % [_name_of(serializer.component), _name_of(serializer.size)]
		"_DictionarySerializer":
			return "dictionary(%s,%s,%s)" % [_name_of(serializer.key_serializer), _name_of(serializer.value_serializer),
				_name_of(serializer.size_serializer)]
		"_Float16Serializer":
			return "float16" if Engine.get_version_info().hex >= 0x040400 else "float32"
	var plain: String = BY_CLASS.get(name, "custom")
	var component: Object = serializer.get("component")
	return "%s(%s)" % [plain, _name_of(component)] if component != null and plain != "custom" else plain

func _write() -> void:
	var digits := RegEx.create_from_string("[0-9]+")
	var by_pattern := {} # pattern: the lines, null if nodes of this pattern differ
	for key in _known:
		var pattern := digits.sub(key, "*", true)
		by_pattern[pattern] = _known[key] if by_pattern.get(pattern, _known[key]) == _known[key] else null
	var written := {}
	var file := FileAccess.open(FILE, FileAccess.WRITE)
	for key in _known:
		var pattern := digits.sub(key, "*", true)
		var name: String = pattern if by_pattern[pattern] != null else key
		if not written.has(name):
			written[name] = true
			for line in _known[key]:
				file.store_line('%s "%s" %s' % [name.get_slice(" ", 0), name.substr(name.find(" ") + 1), line])
	file.close()
