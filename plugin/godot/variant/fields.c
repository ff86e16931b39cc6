/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of the Godot dissector. The fields of Variant types (godot.<type> and
 * godot.<type>.<component>) are created from the codec's table, so that each name is written once.
 */
#include "common/display/json_message.h"
#include "common/registration.h"
#include "internal.h"

int proto_godot = -1;
godot_fields godot_hf;
godot_experts godot_ei;
int godot_ett_protocol = -1;
int godot_ett_value = -1;

/* ---- fields of all types ------------------------------------------------------------------------------- */

static hf_register_info fixed_fields[] = {
    { &godot_hf.generation,
      { "Generation", "godot.generation", FT_UINT8, BASE_DEC, NULL, 0,
        "Godot generation whose type numbers are used to decode this payload", HFILL } },
    { &godot_hf.generation_reason,
      { "Reason", "godot.generation.reason", FT_STRING, BASE_NONE, NULL, 0, "Reason why this generation was chosen",
        HFILL } },
    { &godot_hf.generation_decided_in,
      { "Decided in", "godot.generation.decided_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet that is valid in one generation only, which decides for the conversation, is in this frame",
        HFILL } },
    { &godot_hf.type,
      { "Type", "godot.type", FT_STRING, BASE_NONE, NULL, 0,
        "Name of the Variant's type: a text, since its number differs between generations", HFILL } },
    { &godot_hf.flags,
      { "Flags", "godot.flags", FT_UINT8, BASE_DEC_HEX, NULL, 0,
        "Bits 16 to 23 of the header, such as the one for 64-bit values", HFILL } },
    { &godot_hf.count,
      { "Count", "godot.count", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of members of a container, or of elements of a packed array", HFILL } },
    { &godot_hf.shared,
      { "Shared", "godot.shared", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the container is shared (top bit of the count, used by Godot 2)", HFILL } },
    { &godot_hf.length,
      { "Length", "godot.length", FT_UINT32, BASE_DEC, NULL, 0, "Length of a text in bytes, without padding", HFILL } },
    { &godot_hf.padding,
      { "Padding", "godot.padding", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes after a text or byte array, up to a multiple of four", HFILL } },
    { &godot_hf.key,
      { "Key", "godot.key", FT_STRING, BASE_NONE, NULL, 0,
        "Dictionary key: the text of a String or StringName, without quotes; all others as a Godot literal", HFILL } },
    { &godot_hf.path,
      { "Path", "godot.path", FT_STRING, BASE_NONE, NULL, 0,
        "Location of the value in the document: indexes and keys in brackets; a period for the document itself",
        HFILL } },
    { &godot_hf.short_path,
      { "Short path", "godot.short_path", FT_STRING, BASE_NONE, NULL, 0,
        "Location of the value as in source code, such as players[0].name; for components too, such as "
        "players[0].pos.x",
        HFILL } },
    { &godot_hf.path_with_value,
      { "Path with value", "godot.path_with_value", FT_STRING, BASE_NONE, NULL, 0,
        "Short path, a colon and the value as a Godot literal, for each value without members, such as "
        "slots[1].item:\"rope\"",
        HFILL } },
    { &godot_hf.value,
      { "Value", "godot.value", FT_STRING, BASE_NONE, NULL, 0,
        "Value as a Godot literal, one for each path; see the preference show_values", HFILL } },
    { &godot_hf.element_type,
      { "Element type", "godot.array.element_type", FT_STRING, BASE_NONE, NULL, 0,
        "Declared type of the elements of a typed array", HFILL } },
    { &godot_hf.key_type,
      { "Key type", "godot.dictionary.key_type", FT_STRING, BASE_NONE, NULL, 0,
        "Declared type of the keys of a typed dictionary", HFILL } },
    { &godot_hf.value_type,
      { "Value type", "godot.dictionary.value_type", FT_STRING, BASE_NONE, NULL, 0,
        "Declared type of the values of a typed dictionary", HFILL } },
    { &godot_hf.packed_rest,
      { "Further elements", "godot.packed.rest", FT_BYTES, BASE_NONE, NULL, 0,
        "Elements of a packed array beyond those shown one by one", HFILL } },
    { &godot_hf.node_path_names,
      { "Names", "godot.node_path.names", FT_UINT32, BASE_DEC, NULL, 0, "Number of node names in the NodePath",
        HFILL } },
    { &godot_hf.node_path_subnames,
      { "Subnames", "godot.node_path.subnames", FT_UINT32, BASE_DEC, NULL, 0, "Number of subnames in the NodePath",
        HFILL } },
    { &godot_hf.node_path_flags,
      { "NodePath flags", "godot.node_path.flags", FT_UINT32, BASE_DEC_HEX, NULL, 0,
        "Flags of the NodePath: bit 0 is absolute, bit 1 a property at the end", HFILL } },
    { &godot_hf.node_path_absolute,
      { "Absolute", "godot.node_path.absolute", FT_BOOLEAN, 32, NULL, GW_GODOT_NODE_PATH_ABSOLUTE,
        "True if the NodePath begins at the root of the scene tree", HFILL } },
    { &godot_hf.node_path_has_property,
      { "Property follows", "godot.node_path.has_property", FT_BOOLEAN, 32, NULL, GW_GODOT_NODE_PATH_PROPERTY,
        "True if a property follows the names and subnames", HFILL } },
    { &godot_hf.node_path_name,
      { "Name", "godot.node_path.name", FT_STRING, BASE_NONE, NULL, 0, "Name of a node in the NodePath", HFILL } },
    { &godot_hf.node_path_subname,
      { "Subname", "godot.node_path.subname", FT_STRING, BASE_NONE, NULL, 0,
        "Subname of the NodePath, which names a property or resource", HFILL } },
    { &godot_hf.node_path_property,
      { "Property", "godot.node_path.property", FT_STRING, BASE_NONE, NULL, 0, "Property at the end of the NodePath",
        HFILL } },
    { &godot_hf.object_id,
      { "Instance id", "godot.object.id", FT_UINT64, BASE_DEC, NULL, 0,
        "Instance ID of the object, which is sent instead of its content", HFILL } },
    { &godot_hf.object_class,
      { "Class", "godot.object.class", FT_STRING, BASE_NONE, NULL, 0,
        "Class of an object that is sent with its properties", HFILL } },
    { &godot_hf.object_property,
      { "Property name", "godot.object.property", FT_STRING, BASE_NONE, NULL, 0, "Name of a property of the object",
        HFILL } },
    { &godot_hf.signal_object,
      { "Object id", "godot.signal.object", FT_UINT64, BASE_DEC, NULL, 0,
        "Instance ID of the object that emits the signal", HFILL } },
    { &godot_hf.image_format,
      { "Format", "godot.image.format", FT_UINT32, BASE_DEC, NULL, 0, "Pixel format of the image", HFILL } },
    { &godot_hf.image_mipmaps,
      { "Mipmaps", "godot.image.mipmaps", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of smaller copies of the image (mipmaps)", HFILL } },
    { &godot_hf.image_width,
      { "Width", "godot.image.width", FT_UINT32, BASE_DEC, NULL, 0, "Width of the image in pixels", HFILL } },
    { &godot_hf.image_height,
      { "Height", "godot.image.height", FT_UINT32, BASE_DEC, NULL, 0, "Height of the image in pixels", HFILL } },
    { &godot_hf.image_data,
      { "Pixels", "godot.image.data", FT_BYTES, BASE_NONE, NULL, 0, "Pixels of the image in its format", HFILL } },
    { &godot_hf.event_type,
      { "Event type", "godot.input_event.type", FT_UINT32, BASE_DEC, NULL, 0,
        "Kind of input event, which defines its details", HFILL } },
    { &godot_hf.event_device,
      { "Device", "godot.input_event.device", FT_UINT32, BASE_DEC, NULL, 0, "Number of the input device", HFILL } },
    { &godot_hf.event_details,
      { "Details", "godot.input_event.details", FT_BYTES, BASE_NONE, NULL, 0,
        "Data of the input event that its type defines, such as scancode, button index or axis", HFILL } },
    { &godot_hf.trailing,
      { "Trailing bytes", "godot.trailing", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes after the value, which the engine ignores", HFILL } },
    { &godot_hf.undecoded,
      { "Undecoded bytes", "godot.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes from the place where decoding stopped to the end of the payload", HFILL } },
    { &godot_hf.not_shown,
      { "Bytes not shown", "godot.not_shown", FT_BYTES, BASE_NONE, NULL, 0,
        "Decoded bytes that are left out of the tree because it is full", HFILL } },
    { &godot_hf.json, GW_JSON_FIELD("godot.json") },
};

/* ---- fields of single types ---------------------------------------------------------------------------- */

/* The names are Godot's in snake case; the elements of a packed array have a separate field. */
static const struct {
    gw_godot_type type;
    const char *name;
    enum ftenum value;
    enum ftenum element; /* FT_NONE if elements consist of components, or if there are none */
    const char *blurb;   /* of a value that has a type */
} type_fields[] = {
    { GW_GODOT_NIL, "nil", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_BOOL, "bool", FT_BOOLEAN, FT_NONE, "True or false, sent as 1 or 0" },
    { GW_GODOT_INT, "int", FT_INT64, FT_NONE, "Integer, sent in 32 or 64 bits" },
    { GW_GODOT_FLOAT, "float", FT_DOUBLE, FT_NONE, "Floating-point number, sent in 32 or 64 bits" },
    { GW_GODOT_STRING, "string", FT_STRING, FT_NONE, "Text of a String, without its length and padding" },
    { GW_GODOT_VECTOR2, "vector2", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_VECTOR2I, "vector2i", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_RECT2, "rect2", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_RECT2I, "rect2i", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_VECTOR3, "vector3", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_VECTOR3I, "vector3i", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_TRANSFORM2D, "transform2d", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_VECTOR4, "vector4", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_VECTOR4I, "vector4i", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_PLANE, "plane", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_QUATERNION, "quaternion", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_AABB, "aabb", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_BASIS, "basis", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_TRANSFORM3D, "transform3d", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_PROJECTION, "projection", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_COLOR, "color", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_STRING_NAME, "string_name", FT_STRING, FT_NONE, "Text of a StringName, without its length and padding" },
    { GW_GODOT_NODE_PATH, "node_path", FT_STRING, FT_NONE, "NodePath as text, such as Main/Player:position" },
    { GW_GODOT_RID, "rid", FT_UINT64, FT_NONE, "Number of a resource in one of the engine's servers" },
    { GW_GODOT_OBJECT, "object", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_CALLABLE, "callable", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_SIGNAL, "signal", FT_STRING, FT_NONE, "Name of a signal, without the object that emits it" },
    { GW_GODOT_DICTIONARY, "dictionary", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_ARRAY, "array", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_BYTE_ARRAY, "packed_byte_array", FT_BYTES, FT_NONE,
      "Bytes of a PackedByteArray, without its count and padding" },
    { GW_GODOT_INT32_ARRAY, "packed_int32_array", FT_NONE, FT_INT32, NULL },
    { GW_GODOT_INT64_ARRAY, "packed_int64_array", FT_NONE, FT_INT64, NULL },
    { GW_GODOT_FLOAT32_ARRAY, "packed_float32_array", FT_NONE, FT_DOUBLE, NULL },
    { GW_GODOT_FLOAT64_ARRAY, "packed_float64_array", FT_NONE, FT_DOUBLE, NULL },
    { GW_GODOT_STRING_ARRAY, "packed_string_array", FT_NONE, FT_STRING, NULL },
    { GW_GODOT_VECTOR2_ARRAY, "packed_vector2_array", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_VECTOR3_ARRAY, "packed_vector3_array", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_COLOR_ARRAY, "packed_color_array", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_VECTOR4_ARRAY, "packed_vector4_array", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_IMAGE, "image", FT_NONE, FT_NONE, NULL },
    { GW_GODOT_INPUT_EVENT, "input_event", FT_NONE, FT_NONE, NULL },
};

/* At most a value, an element and sixteen components each. Wireshark keeps the pointers. */
static hf_register_info made_fields[array_length(type_fields) * (2 + GODOT_COMPONENTS)];
static unsigned made_count;

/* Appends the registration of one field to made_fields, with the values that HFILL has. `hf`: where Wireshark stores
 * the field's number. Wireshark keeps the pointers to the texts. */
static void make_field(int *hf, const char *name, const char *filter, enum ftenum type, const char *blurb)
{
    bool is_decimal = type == FT_INT32 || type == FT_INT64 || type == FT_UINT64;
    hf_register_info *info = &made_fields[made_count++];
    *hf = -1;
    info->p_id = hf;
    info->hfinfo = (header_field_info){ .name = name,
                                        .abbrev = filter,
                                        .type = type,
                                        .display = is_decimal ? BASE_DEC : BASE_NONE,
                                        .blurb = blurb,
                                        .id = -1,
                                        .same_name_prev_id = -1 };
}

/* ---- expert infos -------------------------------------------------------------------------------------- */

/* Names and severities; the summaries are the codec's texts. GW_GODOT_ODD_BARE_OBJECT has no expert info: such nulls
 * are arguments of calls, and are read only if the caller requests it. */
static const gw_expert_row odd_experts[] = {
    { GW_GODOT_ODD_HEADER_BITS, "godot.header.unusual", PI_PROTOCOL, PI_WARN, "Unknown header bits", NULL },
    { GW_GODOT_ODD_BYTE_ORDER, "godot.byte_order.unusual", PI_PROTOCOL, PI_WARN, "Big-endian",
      "Write Variants in little-endian order: big_endian of StreamPeer is for its own numbers only" },
    { GW_GODOT_ODD_FLAGS, "godot.flags.unknown", PI_PROTOCOL, PI_WARN, "Unknown flags", NULL },
    { GW_GODOT_ODD_BOOL, "godot.bool.unusual", PI_PROTOCOL, PI_WARN, "Bool not 0 or 1", NULL },
    { GW_GODOT_ODD_UTF8, "godot.utf8.invalid", PI_PROTOCOL, PI_ERROR, "Not UTF-8", NULL },
    { GW_GODOT_ODD_NUL, "godot.nul.unusual", PI_PROTOCOL, PI_WARN, "NUL in text", NULL },
    { GW_GODOT_ODD_PADDING, "godot.padding.not_zero", PI_PROTOCOL, PI_WARN, "Padding not zero", NULL },
    { GW_GODOT_ODD_STALE_PADDING, "godot.padding.stale", PI_SECURITY, PI_CHAT, NULL, NULL },
    { GW_GODOT_ODD_NO_PADDING, "godot.padding.missing", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_GODOT_ODD_WIDE, "godot.number.unusual", PI_PROTOCOL, PI_CHAT, NULL, NULL },
    { GW_GODOT_ODD_SHARED, "godot.shared.unknown", PI_PROTOCOL, PI_WARN, "Shared bit set", NULL },
    { GW_GODOT_ODD_COUNT, "godot.count.truncated", PI_MALFORMED, PI_ERROR, "Members missing", NULL },
    { GW_GODOT_ODD_UNTERMINATED, "godot.string.unterminated", PI_PROTOCOL, PI_WARN, "No NUL at the end", NULL },
    { GW_GODOT_ODD_NODE_PATH_FLAGS, "godot.node_path.flags.unknown", PI_PROTOCOL, PI_WARN, "Unknown flags", NULL },
    { GW_GODOT_ODD_OLD_NODE_PATH, "godot.node_path.invalid", PI_PROTOCOL, PI_ERROR, "Old node path", NULL },
    { GW_GODOT_ODD_TOO_DEEP, "godot.engine.too_deep", PI_PROTOCOL, PI_ERROR, "Too deep",
      "Send fewer levels of arrays and dictionaries" },
    { GW_GODOT_ODD_DUPLICATE_KEY, "godot.key.duplicate", PI_PROTOCOL, PI_WARN, "Key repeated", NULL },
    { GW_GODOT_ODD_ELEMENT_TYPE, "godot.element_type.invalid", PI_PROTOCOL, PI_WARN, "Element of another type", NULL },
    { GW_GODOT_ODD_FULL_OBJECT, "godot.object.full", PI_SECURITY, PI_WARN, "Object with properties",
      "Send the values of the object in place of the object, and leave allow_object_decoding off" },
    { GW_GODOT_ODD_SCRIPT, "godot.object.script", PI_SECURITY, PI_NOTE, "Object with script", NULL },
};

static const gw_expert_row fault_experts[] = {
    { GW_GODOT_FAULT_HEADER_TRUNCATED, "godot.header.truncated", PI_MALFORMED, PI_ERROR, "Truncated value", NULL },
    { GW_GODOT_FAULT_BODY_TRUNCATED, "godot.value.truncated", PI_MALFORMED, PI_ERROR, "Truncated value", NULL },
    { GW_GODOT_FAULT_TEXT_TRUNCATED, "godot.text.truncated", PI_MALFORMED, PI_ERROR, "Truncated value", NULL },
    { GW_GODOT_FAULT_PADDING_TRUNCATED, "godot.padding.truncated", PI_MALFORMED, PI_ERROR, "Truncated value", NULL },
    { GW_GODOT_FAULT_ELEMENTS_TRUNCATED, "godot.elements.truncated", PI_MALFORMED, PI_ERROR, "Truncated value", NULL },
    { GW_GODOT_FAULT_TYPE_UNKNOWN, "godot.type.unknown", PI_MALFORMED, PI_ERROR, "Unknown type", NULL },
    { GW_GODOT_FAULT_ELEMENT_TYPE_UNKNOWN, "godot.element_type.unknown", PI_MALFORMED, PI_ERROR, "Unknown type", NULL },
    { GW_GODOT_FAULT_INPUT_EVENT_INVALID, "godot.input_event.length.invalid", PI_MALFORMED, PI_ERROR, "Malformed value",
      NULL },
    { GW_GODOT_FAULT_TOO_DEEP, "godot.value.too_deep", PI_UNDECODED, PI_WARN, "Too deep", NULL },
};

static const gw_finding findings[] = {
    { &godot_ei.cut_short, "godot.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", NULL, NULL },
    { &godot_ei.trailing, "godot.trailing.unusual", PI_PROTOCOL, PI_WARN,
      "Bytes after the value, which the engine ignores", "Trailing bytes",
      "Send one value for each put_var() or packet; look for a second writer of the connection" },
    { &godot_ei.empty, "godot.datagram.empty", PI_PROTOCOL, PI_NOTE, "Empty datagram (decoded as null)", NULL, NULL },
    { &godot_ei.unread, "godot.payload.unread", PI_UNDECODED, PI_NOTE,
      "Not read as a Godot Variant, as the payloads of this conversation before it", NULL, NULL },
    { &godot_ei.ambiguous, "godot.generation.ambiguous", PI_PROTOCOL, PI_NOTE,
      "Several Godot generations read this differently", NULL, NULL },
    { &godot_ei.mixed, "godot.generation.differs", PI_PROTOCOL, PI_WARN,
      "The generation differs from that of the conversation", "Other generation",
      "Use the same major version of Godot on both ends" },
    { &godot_ei.flattened, "godot.tree.too_deep", PI_UNDECODED, PI_NOTE,
      "Nested deeper than the tree shows: deeper values are text", NULL, NULL },
    { &godot_ei.not_shown, "godot.tree.too_long", PI_UNDECODED, PI_NOTE, GW_TREE_LIMIT_REACHED_EXPERT_TEXT, NULL,
      NULL },
};

/* Of faults and oddities. */
static const char remedy[] = "Godot does not send this: write the value as var_to_bytes() does";

/* Registers the fields of all types, and those of each type: of the value and, if it has them, of an element and of the
 * components. */
void godot_register_fields(int protocol)
{
    static int *const subtrees[] = { &godot_ett_protocol, &godot_ett_value };
    wmem_allocator_t *pool = wmem_epan_scope();
    for (size_t row = 0; row < array_length(type_fields); row++) {
        gw_godot_type type = type_fields[row].type;
        bool is_packed = type >= GW_GODOT_BYTE_ARRAY && type <= GW_GODOT_VECTOR4_ARRAY;
        const char *filter = wmem_strdup_printf(pool, "godot.%s", type_fields[row].name);
        const char *type_name = gw_godot_type_name(GW_GODOT_4, type);
        make_field(&godot_hf.typed[type], type_name, filter, type_fields[row].value, type_fields[row].blurb);
        if (type_fields[row].element != FT_NONE)
            make_field(&godot_hf.elements[type], "Element", wmem_strdup_printf(pool, "%s.element", filter),
                       type_fields[row].element, wmem_strdup_printf(pool, "Element of a %s", type_name));
        for (uint32_t i = 0; i < GODOT_COMPONENTS; i++) {
            const char *name = gw_godot_component_name(type, i);
            if (name)
                make_field(&godot_hf.components[type][i], name, wmem_strdup_printf(pool, "%s.%s", filter, name),
                           gw_godot_components_are_integers(type) ? FT_INT32 : FT_DOUBLE,
                           wmem_strdup_printf(pool, "Component %s of %s %s", name,
                                              is_packed ? "an element of a" : "a value of type", type_name));
        }
    }
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(fixed_fields) }, { made_fields, made_count } },
        .subtrees = { GW_ROWS(subtrees) },
        .oddities = { godot_ei.odd, GW_ROWS(odd_experts), remedy },
        .faults = { godot_ei.faults, GW_ROWS(fault_experts), remedy },
        .codec = &gw_godot_faults,
        .findings = { GW_ROWS(findings) },
    };
    gw_register_protocol(protocol, &tables);
}

/* The number of fields that all types have in common (fixed_fields) and that a filter, a column or an option names: a
 * value may need an item for each of them. The fields of single types are tested for each type: is_type_named(). */
unsigned godot_details_named(void)
{
    /* HF_REF_TYPE_DIRECT: a filter, a column or an option names the field itself. */
    unsigned count = 0;
    for (size_t i = 0; i < array_length(fixed_fields); i++)
        count += fixed_fields[i].hfinfo.ref_type >= HF_REF_TYPE_DIRECT;
    return count;
}
