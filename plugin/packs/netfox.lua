-- netfox 1.48 (addon "netfox" for Godot 4, https://github.com/foxssake/netfox)
-- SPDX-FileCopyrightText: The Gamewire authors
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Decodes the bytes that netfox sends through Godot's multiplayer: commands with snapshots, inputs, identities and the time
-- synchronization, and the ticks of a RewindableAction. plugin/docs/packs.md is the page for users.
--
-- Facts: the source of netfox 1.48.4 (commit 1e7281de3e48), and its examples run with Godot 4.6.3.
--
--   command     _submit_reliable, _submit_unreliable, _submit_unreliable_ordered(u8 number, PackedByteArray data); or raw
--               bytes 00 4e 46, u8 number, data. The autoloads take the numbers in the order in which they start.
--   snapshot    u32 tick; for each node: reference, varuint size; in a diff: bits of the properties that follow (7 a byte,
--               0x80: another byte follows); the properties' values, `size` bytes together
--   reference   varuint id that the receiver gave the node; or 00 and the path with a NUL at its end
--   input       for each tick: varuint size of a full snapshot, and the snapshot
--   identities  for each node: u32 length, path, varuint id of the sender for it
--   ping        Variant int: number of the sample. pong: Variant Array of the number and two floats: times of the server
--               at which it received the ping and sent the pong. "request time" is empty; "set time" is a Variant float.
--   ticks       u32 first tick, u8 last tick (from the first one), u8 each active tick (from the first one)
--
-- Neither names nor types of properties are sent. They come from the file netfox_properties, which
-- netfox_properties.gd writes; without it, values are read as what netfox writes by default: u32 length and a Variant.

local NAME = "netfox"
local VERSION = "1.48"
local PREFIX = "\0NF"
local LONGEST_VARUINT = 8 -- bytes: the number is exact in a double
local MOST_NODES = 512 -- of one command
local MOST_VALUES = 4096 -- parts of one value
local MOST_IDS = 65536 -- of all connections together
local MOST_ROWS = 65536 -- of netfox_properties, and of the statistics

-- Without Gamewire there is nothing to do.
local has_tables, methods = pcall(DissectorTable.get, "godot_mp.rpc.method")
if not has_tables or not methods then
    return
end

local netfox = Proto(NAME, "netfox")
local f = netfox.fields
f.command = ProtoField.uint8("netfox.command", "Command", base.DEC)
f.kind = ProtoField.string("netfox.kind", "Kind")
f.tick = ProtoField.uint32("netfox.tick", "Tick")
f.node = ProtoField.string("netfox.node", "Node")
f.id = ProtoField.uint32("netfox.node.id", "Id")
f.size = ProtoField.uint32("netfox.node.size", "Size of the properties")
f.bits = ProtoField.bytes("netfox.node.bits", "Properties that follow")
f.property = ProtoField.string("netfox.property", "Property")
f.value = ProtoField.string("netfox.value", "Value")
f.number = ProtoField.double("netfox.number", "Number")
f.snapshot_size = ProtoField.uint32("netfox.snapshot.size", "Size of the snapshot")
f.identity_length = ProtoField.uint32("netfox.identity.length", "Length of the path")
f.identity = ProtoField.string("netfox.identity", "Node")
f.identity_id = ProtoField.uint32("netfox.identity.id", "Id at the sender")
f.sample = ProtoField.int32("netfox.sample", "Sample")
f.time = ProtoField.double("netfox.time", "Time (s)")
f.received = ProtoField.double("netfox.time.ping_received", "Ping received (s)")
f.sent = ProtoField.double("netfox.time.pong_sent", "Pong sent (s)")
f.last_tick = ProtoField.uint32("netfox.tick.last", "Last tick")
f.active_tick = ProtoField.uint32("netfox.tick.active", "Active tick")
f.data = ProtoField.bytes("netfox.data", "Data")

local unknown = ProtoExpert.new("netfox.command.unknown",
    "Not a command of netfox " .. VERSION .. " in its usual order: one of the game, or of another version; see the preference",
    expert.group.UNDECODED, expert.severity.NOTE)
local differs = ProtoExpert.new("netfox.form.unknown", "Not in the form of netfox " .. VERSION,
    expert.group.UNDECODED, expert.severity.NOTE)
local untyped = ProtoExpert.new("netfox.properties.unknown",
    "The values are no Variants, and the file netfox_properties has no fitting row for the node",
    expert.group.UNDECODED, expert.severity.NOTE)
local unseen = ProtoExpert.new("netfox.node.id.unseen", "The message that assigns the id is not in the capture",
    expert.group.SEQUENCE, expert.severity.NOTE)
netfox.experts = { unknown, differs, untyped, unseen }

netfox.prefs.commands = Pref.string("Commands in order",
    "ping,pong,request time,set time,full state,diff state,input,full sync,diff sync,identities",
    "Names of the commands with number 0, 1, 2 and so on. Autoloads in another order, or commands of the game before "
        .. "netfox's, give other numbers.")
netfox.prefs.properties = Pref.string("File of properties", "netfox_properties",
    "Written by netfox_properties.gd: names and serializers of the properties. Its path, or its name in the personal "
        .. "configuration folder.")
netfox.prefs.statistics = Pref.bool("Print statistics", false,
    "tshark prints the bytes by node and property at the end. In Wireshark they are in Tools > netfox.")

-- ---- what is kept for a capture ---------------------------------------------------------------------------

local ids, id_count -- [connection | peer][id]: list of { frame, path }, in the order of the capture
local totals, total_count, other_bytes, all_bytes

local function clear()
    ids, id_count = {}, 0
    totals, total_count, other_bytes, all_bytes = {}, 0, 0, 0
end
clear()
netfox.init = clear

local function endpoint(address, port)
    return tostring(address) .. ":" .. tostring(port)
end

-- The connection, and the two ways to name the peer at one end: its id, where the plugin knows it, and its address.
local function peers_of(pinfo)
    local from, to = endpoint(pinfo.src, pinfo.src_port), endpoint(pinfo.dst, pinfo.dst_port)
    local connection = from < to and from .. " " .. to or to .. " " .. from
    local source, target = pinfo.private["godot_mp.source"], pinfo.private["godot_mp.target"]
    return {
        sender = { source and connection .. "|" .. source, connection .. "|" .. from },
        receiver = { target and connection .. "|" .. target, connection .. "|" .. to },
    }
end

local function each(keys, visit)
    for place = 1, 2 do
        if keys[place] then
            visit(keys[place])
        end
    end
end

-- The sender's id for a node. On the first pass only.
local function keep_id(pinfo, peers, id, path)
    each(peers.sender, function(key)
        local of_peer = ids[key] or {}
        ids[key] = of_peer
        local list = of_peer[id] or {}
        of_peer[id] = list
        local last = list[#list]
        if id_count < MOST_IDS and not (last and last.path == path) then
            list[#list + 1] = { frame = pinfo.number, path = path }
            id_count = id_count + 1
        end
    end)
end

-- The path of the node to which the receiver gave the id; nil: not known.
local function find_path(pinfo, peers, id)
    local found
    each(peers.receiver, function(key)
        local list = not found and ids[key] and ids[key][id] or {}
        for place = #list, 1, -1 do
            if list[place].frame <= pinfo.number then
                found = list[place].path
                break
            end
        end
    end)
    return found
end

local function count(node, property, bytes)
    local key = node .. "\0" .. property
    if not totals[key] then
        if total_count == MOST_ROWS then
            other_bytes = other_bytes + bytes
            return
        end
        total_count = total_count + 1
        totals[key] = { node = node, property = property, bytes = 0, updates = 0 }
    end
    totals[key].bytes = totals[key].bytes + bytes
    totals[key].updates = totals[key].updates + 1
end

-- ---- bytes ------------------------------------------------------------------------------------------------

-- All readers take the bytes as a Lua string, and offsets from 0; `limit` is the offset after the last byte that may be
-- read. They return nil where the bytes end early or are of another form.

local function read_u32(bytes, offset, limit)
    if limit - offset < 4 then
        return nil
    end
    local a, b, c, d = bytes:byte(offset + 1, offset + 4)
    return a + b * 0x100 + c * 0x10000 + d * 0x1000000, offset + 4
end

local function read_varuint(bytes, offset, limit)
    local value, factor = 0, 1
    for _ = 1, LONGEST_VARUINT do
        if offset >= limit then
            return nil
        end
        local byte = bytes:byte(offset + 1)
        offset = offset + 1
        value = value + byte % 128 * factor
        if byte < 128 then
            return value <= 0xffffffff and value or nil, offset
        end
        factor = factor * 128
    end
    return nil
end

-- Where the second byte of a character of UTF-8 has narrower limits than 0x80 to 0xbf.
local SECOND = { [0xe0] = { 0xa0, 0xbf }, [0xed] = { 0x80, 0x9f }, [0xf0] = { 0x90, 0xbf }, [0xf4] = { 0x80, 0x8f } }

-- Length of the character of UTF-8 at `place`; nil: none.
local function length_of_character(bytes, place)
    local first = bytes:byte(place)
    local length = first < 0x80 and 1 or first < 0xc2 and 0 or first < 0xe0 and 2 or first < 0xf0 and 3 or first < 0xf5 and 4 or 0
    for offset = 1, length - 1 do
        local byte = bytes:byte(place + offset)
        local limits = offset == 1 and SECOND[first] or { 0x80, 0xbf }
        if not byte or byte < limits[1] or byte > limits[2] then
            return nil
        end
    end
    return length > 0 and length or nil
end

-- Bytes as a text for items: control characters, and what is not UTF-8, are question marks.
local function clean(bytes)
    local text = bytes:gsub("%c", "?")
    return (text:gsub("[\128-\255]+", function(run)
        local parts, place = {}, 1
        while place <= #run do
            local length = length_of_character(run, place)
            parts[#parts + 1] = length and run:sub(place, place + length - 1) or "?"
            place = place + (length or 1)
        end
        return table.concat(parts)
    end))
end

local function quoted(bytes)
    return '"' .. clean(bytes) .. '"'
end

local function real(number)
    if number ~= number then
        return "nan"
    elseif number == math.huge or number == -math.huge then
        return number > 0 and "inf" or "-inf"
    end
    return string.format("%.6g", number)
end

-- ---- Variants of Godot 4 ----------------------------------------------------------------------------------

-- By type: number of floats, or of integers if `whole`; the text before them.
local VECTORS = {
    [5] = { 2, "Vector2" }, [6] = { 2, "Vector2i", whole = true }, [7] = { 4, "Rect2" }, [8] = { 4, "Rect2i", whole = true },
    [9] = { 3, "Vector3" }, [10] = { 3, "Vector3i", whole = true }, [11] = { 6, "Transform2D" }, [12] = { 4, "Vector4" },
    [13] = { 4, "Vector4i", whole = true }, [14] = { 4, "Plane" }, [15] = { 4, "Quaternion" }, [16] = { 6, "AABB" },
    [17] = { 9, "Basis" }, [18] = { 12, "Transform3D" }, [19] = { 16, "Projection" }, [20] = { 4, "Color", single = true },
}
-- Size of an element; 0: a string, which has its own length.
local PACKED = { [29] = 1, [30] = 4, [31] = 8, [32] = 4, [33] = 8, [34] = 0, [35] = 8, [36] = 12, [37] = 16, [38] = 16 }
local TWICE_AS_LONG = { [35] = true, [36] = true, [38] = true } -- with 64-bit floats

local function read_padded_text(bytes, offset, limit)
    local length, after = read_u32(bytes, offset, limit)
    if not length or limit - after < length + (-length) % 4 then
        return nil
    end
    return bytes:sub(after + 1, after + length), after + length + (-length) % 4
end

local function read_numbers(bytes, offset, limit, amount, format, size)
    local numbers = {}
    if limit - offset < amount * size then
        return nil
    end
    for place = 1, amount do
        numbers[place] = Struct.unpack(format, bytes:sub(offset + 1, offset + size))
        offset = offset + size
    end
    return numbers, offset
end

-- A value without members: its text or "", the offset after it, its number if it is one.
local function read_scalar(kind, is_wide, bytes, offset, limit)
    if kind == 0 then
        return "null", offset
    elseif kind == 1 then
        local value, after = read_u32(bytes, offset, limit)
        return value and (value ~= 0 and "true" or "false"), after, value and (value ~= 0 and 1 or 0)
    elseif kind == 2 or kind == 3 then
        local size = is_wide and 8 or 4
        if limit - offset < size then
            return nil
        end
        local part = bytes:sub(offset + 1, offset + size)
        if kind == 3 then
            local value = Struct.unpack(is_wide and "<d" or "<f", part)
            return real(value), offset + size, value
        end
        local value = is_wide and Struct.unpack("<e", part) or Struct.unpack("<i4", part)
        local text = tostring(value)
        return is_wide and text or string.format("%d", value), offset + size, tonumber(text)
    elseif kind == 4 or kind == 21 then
        local text, after = read_padded_text(bytes, offset, limit)
        return text and quoted(text), after
    elseif VECTORS[kind] then
        local vector = VECTORS[kind]
        local wide = is_wide and not vector.whole and not vector.single
        local numbers, after = read_numbers(bytes, offset, limit, vector[1],
            vector.whole and "<i4" or wide and "<d" or "<f", wide and 8 or 4)
        if not numbers then
            return nil
        end
        for place = 1, #numbers do
            numbers[place] = vector.whole and string.format("%d", numbers[place]) or real(numbers[place])
        end
        return vector[2] .. "(" .. table.concat(numbers, ", ") .. ")", after
    elseif kind == 23 then
        return limit - offset >= 8 and "RID" or nil, offset + 8
    end
    return nil
end

-- A Packed…Array, or a NodePath: "" and the offset after it. `budget` bounds the strings.
local function skip_lists(kind, is_wide, bytes, offset, limit)
    local amount, after = read_u32(bytes, offset, limit)
    if not amount then
        return nil
    elseif kind == 22 then -- the new form: number of names, of subnames, flags
        local subnames, flags = read_u32(bytes, after, limit)
        if not subnames or amount < 0x80000000 or limit - flags < 4 then
            return nil
        end
        amount, after, kind = amount - 0x80000000 + subnames, flags + 4, 34
    end
    if PACKED[kind] == 0 then
        if amount > MOST_VALUES then
            return nil
        end
        for _ = 1, amount do
            local text
            text, after = read_padded_text(bytes, after, limit)
            if not text then
                return nil
            end
        end
        return "", after
    end
    local length = amount * PACKED[kind] * (is_wide and TWICE_AS_LONG[kind] and 2 or 1)
    length = length + (-length) % 4
    return limit - after >= length and "" or nil, after + length
end

-- One Variant: its text, "" if it has members; the offset after it; its number. No recursion: members are counted.
local function read_variant(bytes, offset, limit)
    local pending, budget, first_text, first_number = 1, MOST_VALUES, nil, nil
    while pending > 0 do
        local head, after = read_u32(bytes, offset, limit)
        if not head or budget == 0 then
            return nil
        end
        local kind, flags = head % 256, math.floor(head / 65536)
        local text, number
        budget, pending, offset = budget - 1, pending - 1, after
        if head % 65536 >= 256 or flags > 1 then -- typed containers and objects are not expected here
            return nil
        elseif kind == 27 or kind == 28 then
            local amount
            amount, offset = read_u32(bytes, offset, limit)
            amount = amount and amount % 0x80000000
            if not amount or amount > (limit - offset) / 4 then
                return nil
            end
            pending = pending + amount * (kind == 27 and 2 or 1)
            text = ""
        elseif PACKED[kind] or kind == 22 then
            text, offset = skip_lists(kind, flags == 1, bytes, offset, limit)
        else
            text, offset, number = read_scalar(kind, flags == 1, bytes, offset, limit)
        end
        if not text then
            return nil
        end
        if not first_text then
            first_text, first_number = text, number
        end
    end
    return first_text, offset, first_number
end

-- ---- serializers (NetworkSchemas) --------------------------------------------------------------------------

local function half(bits)
    local sign = bits >= 0x8000 and -1 or 1
    local exponent, fraction = math.floor(bits / 1024) % 32, bits % 1024
    if exponent == 31 then
        return fraction == 0 and sign * math.huge or 0 / 0
    elseif exponent == 0 then
        return sign * fraction * 2 ^ -24
    end
    return sign * (1 + fraction / 1024) * 2 ^ (exponent - 15)
end

-- Struct's format and size; what becomes of the number.
local NUMBERS = {
    uint8 = { "B", 1 }, uint16 = { "<I2", 2 }, uint32 = { "<I4", 4 }, int8 = { "b", 1 }, int16 = { "<i2", 2 },
    int32 = { "<i4", 4 }, float32 = { "<f", 4, is_real = true }, float64 = { "<d", 8, is_real = true },
    uint64 = { "<E", 8 }, int64 = { "<e", 8 }, float16 = { "<I2", 2, is_real = true, convert = half },
}
local function add_fraction(name, base_name, convert)
    NUMBERS[name] = { NUMBERS[base_name][1], NUMBERS[base_name][2], is_real = true, convert = convert }
end
for bits, most in pairs({ ["8"] = 0xff, ["16"] = 0xffff, ["32"] = 0xffffffff }) do
    local whole = "uint" .. bits
    add_fraction("ufrac" .. bits, whole, function(number) return number / most end)
    add_fraction("sfrac" .. bits, whole, function(number) return number / most * 2 - 1 end)
    add_fraction("degrees" .. bits, whole, function(number) return number / most * 360 end)
    add_fraction("radians" .. bits, whole, function(number) return number / most * 2 * math.pi end)
end
local COMPONENTS = { vec2 = 2, vec3 = 3, vec4 = 4, normal2 = 1, normal3 = 2, quat = 4, transform2 = 6, transform3 = 12 }
local DEPTH = 8 -- of serializers in each other

-- "array(vec3(float32),uint8)" as { name = "array", { name = "vec3", … }, … }; nil if it is not of this form.
local function parse_serializer(text)
    local offset = 1
    local function parse(depth)
        local name = text:match("^[%w_]+", offset)
        if not name or depth > DEPTH then
            return nil
        end
        local serializer = { name = name }
        offset = offset + #name
        if text:sub(offset, offset) == "(" then
            repeat
                offset = offset + 1
                local inner = parse(depth + 1)
                if not inner then
                    return nil
                end
                serializer[#serializer + 1] = inner
            until text:sub(offset, offset) ~= ","
            if text:sub(offset, offset) ~= ")" then
                return nil
            end
            offset = offset + 1
        end
        return serializer
    end
    local serializer = parse(1)
    return offset == #text + 1 and serializer or nil
end

local read_value

local function read_elements(serializer, amount, bytes, offset, limit, budget)
    local texts = {}
    for place = 1, amount do
        budget.left = budget.left - 1
        if budget.left < 0 then
            return nil
        end
        local text, after = read_value(serializer[(place - 1) % #serializer + 1], bytes, offset, limit, budget)
        if not text then
            return nil
        end
        if place <= 16 then
            texts[place] = text
        end
        offset = after
    end
    return table.concat(texts, ", ") .. (amount > 16 and ", …" or ""), offset
end

local function read_container(serializer, bytes, offset, limit, budget)
    local is_array = serializer.name == "array"
    local values = is_array and 1 or 2
    if #serializer ~= values + 1 then
        return nil
    end
    local _, after, amount = read_value(serializer[#serializer], bytes, offset, limit, budget)
    if not amount or amount < 0 or amount % 1 ~= 0 or amount > MOST_VALUES then
        return nil
    end
    local members = { serializer[1], not is_array and serializer[2] or nil }
    local text, stop = read_elements(members, amount * values, bytes, after, limit, budget)
    return text and (is_array and "[" .. text .. "]" or "{" .. text .. "}"), stop
end

-- A value: its text, the offset after it, its number. The depth of serializers is bounded by parse_serializer.
function read_value(serializer, bytes, offset, limit, budget)
    local name = serializer.name
    local form = NUMBERS[name]
    if form then
        if limit - offset < form[2] then
            return nil
        end
        local number = Struct.unpack(form[1], bytes:sub(offset + 1, offset + form[2]))
        local text = tostring(number)
        number = tonumber(text) or number
        if form.convert then
            number = form.convert(number)
        end
        return form.is_real and real(number) or text:gsub("%.0$", ""), offset + form[2], number
    elseif name == "variant" then -- its length before it
        local length, after = read_u32(bytes, offset, limit)
        if not length or limit - after < length then
            return nil
        end
        local text, stop, number = read_variant(bytes, after, after + length)
        return text and stop == after + length and text or nil, stop, number
    elseif name == "bool8" then
        local byte = offset < limit and bytes:byte(offset + 1)
        return byte and (byte > 0 and "true" or "false") or nil, offset + 1, byte and (byte > 0 and 1 or 0) or nil
    elseif name == "varuint" then
        local number, after = read_varuint(bytes, offset, limit)
        return number and string.format("%.0f", number), after, number
    elseif name == "string" then
        local length, after = read_u32(bytes, offset, limit)
        if not length or limit - after < length then
            return nil
        end
        return quoted(bytes:sub(after + 1, after + length)), after + length
    elseif name == "c_string" then
        local stop = bytes:find("\0", offset + 1, true)
        if not stop or stop > limit then
            return nil
        end
        return quoted(bytes:sub(offset + 1, stop - 1)), stop
    elseif COMPONENTS[name] and #serializer == 1 then
        local text, after = read_elements(serializer, COMPONENTS[name], bytes, offset, limit, budget)
        return text and "(" .. text .. ")", after
    elseif name == "array" or name == "dictionary" then
        return read_container(serializer, bytes, offset, limit, budget)
    end
    return nil
end

-- ---- names of properties -----------------------------------------------------------------------------------

local VARIANT = { name = "variant" }
local rows -- [kind]: list of { pattern =, names = {…}, serializers = {…} }, in the order of the file

local function pattern_of(path)
    return "^" .. path:gsub("[%^%$%(%)%%%.%[%]%+%-%?]", "%%%0"):gsub("%*", "[^/]*") .. "$"
end

-- A line: kind "path" "property" serializer. `*` in a path is any part of one name.
local function read_rows()
    local by_key, amount = {}, 0
    rows = { state = {}, input = {}, sync = {} }
    local name = netfox.prefs.properties
    local file = io.open(name:match("^%a?:?[/\\]") and name or Dir.personal_config_path(name), "r")
    if not file then
        return
    end
    for line in file:lines() do
        local kind, path, property, text = line:match('^(%l+)%s+"([^"]*)"%s+"([^"]*)"%s+(%S+)%s*$')
        local list = kind and rows[kind]
        local serializer = list and parse_serializer(text)
        if serializer and amount < MOST_ROWS then
            local row = by_key[kind .. path]
            if not row then
                row = { pattern = pattern_of(path), names = {}, serializers = {} }
                by_key[kind .. path] = row
                list[#list + 1] = row
            end
            row.names[#row.names + 1] = property:gsub("^:", "")
            row.serializers[#row.serializers + 1] = serializer
            amount = amount + 1
        elseif line:match("%S") and not line:match("^#") then
            report_failure(name .. ": this line is not of the form that netfox_properties.gd writes: " .. line)
            break
        end
    end
    file:close()
end

local function find_row(kind, path)
    if not rows then
        read_rows()
    end
    for _, row in ipairs(path and rows[kind] or {}) do
        if path:match(row.pattern) then
            return row
        end
    end
    return nil
end

-- ---- commands: bytes into plain tables ---------------------------------------------------------------------

local function read_reference(bytes, offset, limit)
    local id, after = read_varuint(bytes, offset, limit)
    if not id then
        return nil
    elseif id > 0 then
        return { id = id, offset = offset, stop = after }
    end
    local stop = bytes:find("\0", after + 1, true)
    if not stop or stop > limit then
        return nil
    end
    return { path = clean(bytes:sub(after + 1, stop - 1)), offset = offset, text = after, stop = stop }
end

-- The places (from 1) of the properties that follow.
local function read_bits(bytes, offset, limit)
    local places, first = {}, 1
    for _ = 1, 64 do
        if offset >= limit then
            return nil
        end
        local byte = bytes:byte(offset + 1)
        for bit_number = 0, 6 do
            if math.floor(byte / 2 ^ bit_number) % 2 == 1 then
                places[#places + 1] = first + bit_number
            end
        end
        offset, first = offset + 1, first + 7
        if byte < 128 then
            return places, offset
        end
    end
    return nil
end

-- The values of a node, which fill its bytes: list of { place, offset, stop, text, number }, or nil. `row` may be nil.
local function read_properties(node, row, bytes)
    local values, offset = {}, node.values
    local budget = { left = MOST_VALUES }
    local amount = node.places and #node.places or row and #row.names or MOST_VALUES
    for index = 1, amount do
        if offset == node.stop and not node.places then
            break
        end
        local place = node.places and node.places[index] or index
        local serializer = VARIANT
        if row then
            serializer = row.serializers[place]
        end
        if not serializer then
            return nil
        end
        local text, after, number = read_value(serializer, bytes, offset, node.stop, budget)
        if not text then
            return nil
        end
        values[index] = {
            place = place, offset = offset, stop = after, text = text, number = number,
            name = row and row.names[place] or "property " .. place,
            is_variant = serializer.name == "variant",
        }
        offset = after
    end
    return offset == node.stop and values or nil
end

-- A snapshot in bytes [offset, limit): { tick, offset, nodes }; nil if it is not one.
local function read_snapshot(bytes, offset, limit, is_diff)
    local tick, after = read_u32(bytes, offset, limit)
    local nodes = {}
    if not tick then
        return nil
    end
    local position = after
    while position < limit do
        local reference = #nodes < MOST_NODES and read_reference(bytes, position, limit)
        if not reference then
            return nil
        end
        local size, values = read_varuint(bytes, reference.stop, limit)
        local node = { reference = reference, size = size, offset = position, size_offset = reference.stop, size_stop = values }
        if size and is_diff then
            node.places, values = read_bits(bytes, values, limit)
        end
        if not size or not values or limit - values < size then
            return nil
        end
        node.values, node.stop = values, values + size
        nodes[#nodes + 1] = node
        position = node.stop
    end
    return { tick = tick, offset = offset, stop = limit, nodes = nodes }
end

local readers = {}

readers["ping"] = function(bytes)
    local text, after, number = read_variant(bytes, 0, #bytes)
    return text and after == #bytes and number and bytes:byte(1) == 2 and { sample = number } or nil
end

readers["pong"] = function(bytes)
    -- An Array of three: an int of 4 or 8 bytes, and two floats of 4 or 8.
    if #bytes < 8 or bytes:sub(1, 8) ~= "\28\0\0\0\3\0\0\0" then
        return nil
    end
    local parts, offset = {}, 8
    for place, kind in ipairs({ 2, 3, 3 }) do
        local text, after, number = read_variant(bytes, offset, #bytes)
        if not text or not number or bytes:byte(offset + 1) ~= kind then
            return nil
        end
        parts[place] = { offset = offset, stop = after, number = number }
        offset = after
    end
    return offset == #bytes and { sample = parts[1].number, parts = parts } or nil
end

readers["request time"] = function(bytes)
    return #bytes == 0 and {} or nil
end

readers["set time"] = function(bytes)
    local text, after, number = read_variant(bytes, 0, #bytes)
    return text and after == #bytes and number and bytes:byte(1) == 3 and { time = number } or nil
end

local function snapshot_reader(kind, is_diff)
    return function(bytes)
        local snapshot = read_snapshot(bytes, 0, #bytes, is_diff)
        return snapshot and { kind = kind, snapshots = { snapshot } } or nil
    end
end
readers["full state"] = snapshot_reader("state", false)
readers["diff state"] = snapshot_reader("state", true)
readers["full sync"] = snapshot_reader("sync", false)
readers["diff sync"] = snapshot_reader("sync", true)

readers["input"] = function(bytes)
    local snapshots, offset = {}, 0
    while offset < #bytes do
        local size, after = read_varuint(bytes, offset, #bytes)
        local snapshot = size and #snapshots < MOST_NODES and #bytes - after >= size
            and read_snapshot(bytes, after, after + size, false)
        if not snapshot then
            return nil
        end
        snapshot.size, snapshot.size_offset, snapshot.size_stop = size, offset, after
        snapshots[#snapshots + 1] = snapshot
        offset = after + size
    end
    return #snapshots > 0 and { kind = "input", snapshots = snapshots } or nil
end

readers["identities"] = function(bytes)
    local identities, offset = {}, 0
    while offset < #bytes do
        local length, text = read_u32(bytes, offset, #bytes)
        if not length or #bytes - text < length or #identities == MOST_NODES then
            return nil
        end
        local id, after = read_varuint(bytes, text + length, #bytes)
        if not id then
            return nil
        end
        identities[#identities + 1] = {
            offset = offset, text = text, id_offset = text + length, stop = after, id = id,
            path = clean(bytes:sub(text + 1, text + length)),
        }
        offset = after
    end
    return #identities > 0 and { identities = identities } or nil
end

-- A method of the game may have the same name: a tick that is twice or after the last one is not of this form.
local function read_ticks(bytes)
    local first = read_u32(bytes, 0, #bytes)
    if not first or #bytes < 5 then
        return nil
    end
    local last, is_known = bytes:byte(5), {}
    for place = 6, #bytes do
        local tick = bytes:byte(place)
        if tick > last or is_known[tick] then
            return nil
        end
        is_known[tick] = true
    end
    return { first = first, last = first + last, active = #bytes - 5 }
end

-- ---- items -------------------------------------------------------------------------------------------------

local function short(path)
    return path:match("[^/]*$")
end

local function add_value(items, buffer, pinfo, value)
    local range = buffer(value.offset, value.stop - value.offset)
    local item = items:add(f.property, range, value.name)
    item:append_text(value.text ~= "" and ": " .. value.text or "")
    if value.text ~= "" then
        item:add(f.value, range, value.text)
    elseif value.is_variant then
        Dissector.get("godot.variant"):call(range(4):tvb(), pinfo, item)
    end
    if value.number then
        item:add(f.number, range, value.number)
    end
end

local function add_node(items, buffer, pinfo, node)
    local reference = node.reference
    local range = buffer(node.offset, node.stop - node.offset)
    local item
    if node.path then
        item = items:add(f.node, range, node.path)
    else
        item = items:add(f.node, range, "#" .. reference.id)
        item:add_proto_expert_info(unseen)
    end
    if reference.id then
        item:add(f.id, buffer(reference.offset, reference.stop - reference.offset), reference.id)
    end
    item:add(f.size, buffer(node.size_offset, node.size_stop - node.size_offset), node.size)
    if node.places then
        item:add(f.bits, buffer(node.size_stop, node.values - node.size_stop))
    end
    for _, value in ipairs(node.properties or {}) do
        add_value(item, buffer, pinfo, value)
    end
    if not node.properties then
        item:add(f.data, buffer(node.values, node.stop - node.values)):add_proto_expert_info(untyped)
    end
end

local function resolve(pinfo, peers, kind, node, bytes)
    node.path = node.reference.path or find_path(pinfo, peers, node.reference.id)
    local row = find_row(kind, node.path)
    node.properties = row and read_properties(node, row, bytes) or read_properties(node, nil, bytes)
    if pinfo.visited then
        return
    end
    local name = node.path or "#" .. node.reference.id
    count(name, "(reference, size, bits)", node.values - node.offset)
    for _, value in ipairs(node.properties or {}) do
        count(name, value.name, value.stop - value.offset)
    end
    if not node.properties then
        count(name, "(unknown)", node.size)
    end
end

local function add_snapshots(items, buffer, pinfo, found, peers, bytes)
    local names, ticks = {}, {}
    found.counted = 0
    for _, snapshot in ipairs(found.snapshots) do
        ticks[#ticks + 1] = snapshot.tick
        if snapshot.size then
            items:add(f.snapshot_size, buffer(snapshot.size_offset, snapshot.size_stop - snapshot.size_offset), snapshot.size)
        end
        local below = items:add(f.tick, buffer(snapshot.offset, 4), snapshot.tick)
        for _, node in ipairs(snapshot.nodes) do
            resolve(pinfo, peers, found.kind, node, bytes)
            found.counted = found.counted + node.stop - node.offset
            add_node(below, buffer, pinfo, node)
            if #ticks == 1 and #names < 8 then
                names[#names + 1] = node.path and short(node.path) or "#" .. node.reference.id
            end
        end
    end
    local last = ticks[#ticks]
    return string.format(" @%d%s: %s", ticks[1], last ~= ticks[1] and string.format(" to @%d", last) or "",
        table.concat(names, ", "))
end

local function add_identities(items, buffer, pinfo, found, peers)
    local texts = {}
    for place, identity in ipairs(found.identities) do
        if not pinfo.visited then
            keep_id(pinfo, peers, identity.id, identity.path)
        end
        local item = items:add(f.identity, buffer(identity.offset, identity.stop - identity.offset), identity.path)
        item:add(f.identity_length, buffer(identity.offset, 4), identity.id_offset - identity.text)
        item:add(f.identity_id, buffer(identity.id_offset, identity.stop - identity.id_offset), identity.id)
        if place <= 8 then
            texts[place] = short(identity.path) .. " = #" .. string.format("%d", identity.id)
        end
    end
    return ": " .. table.concat(texts, ", ")
end

local function add_found(items, buffer, pinfo, found, peers, bytes)
    if found.snapshots then
        return add_snapshots(items, buffer, pinfo, found, peers, bytes)
    elseif found.identities then
        return add_identities(items, buffer, pinfo, found, peers)
    elseif found.parts then
        local parts = found.parts
        local fields = { f.sample, f.received, f.sent }
        for place, part in ipairs(parts) do
            items:add(fields[place], buffer(part.offset, part.stop - part.offset), part.number)
        end
        return string.format(" %d", found.sample)
    elseif found.sample then
        items:add(f.sample, buffer(), found.sample)
        return string.format(" %d", found.sample)
    elseif found.time then
        items:add(f.time, buffer(), found.time)
        return string.format(" %.3f s", found.time)
    end
    return ""
end

-- ---- entry points ------------------------------------------------------------------------------------------

local kinds, kinds_text

local function kind_of(number)
    if kinds_text ~= netfox.prefs.commands then
        kinds, kinds_text = {}, netfox.prefs.commands
        local place = 0
        for name in (kinds_text .. ","):gmatch("([^,]*),") do
            kinds[place] = name:match("^%s*(.-)%s*$")
            place = place + 1
        end
    end
    return kinds[number]
end

local function dissect_command(buffer, pinfo, tree, number, start)
    local length = buffer:len() - start
    local data = length > 0 and buffer(start):tvb() or nil
    local bytes = data and data:range():raw() or ""
    local kind = kind_of(number)
    local is_cut = buffer:reported_len() > buffer:len()
    local found = readers[kind] and readers[kind](bytes)
    local items = tree:add(netfox, buffer())
    items:add(f.command, start > 0 and buffer(3, 1) or buffer(0, 0), number)
    local text
    if found then
        items:add(f.kind, buffer(0, 0), kind):set_generated()
        text = kind .. add_found(items, data or buffer, pinfo, found, peers_of(pinfo), bytes)
    else
        text = string.format("%s, %d bytes", readers[kind] and kind .. "?" or string.format("command %d", number), length)
        if length > 0 then
            local item = items:add(f.data, data())
            if not is_cut then
                item:add_proto_expert_info(readers[kind] and differs or unknown)
            end
        elseif not readers[kind] then
            items:add_proto_expert_info(unknown)
        end
    end
    if not pinfo.visited then
        all_bytes = all_bytes + length
        if found and found.snapshots then
            count("(no node)", kind .. ": ticks and sizes", length - found.counted)
        else
            count("(no node)", found and kind or string.format("command %d", number), length)
        end
    end
    items:append_text(": " .. text)
    pinfo.cols.protocol = "netfox"
    pinfo.cols.info = text
    return math.max(buffer:len(), 1) -- 0 would decline: "request time" has no bytes
end

local function dissect_ticks(buffer, pinfo, tree)
    local found = read_ticks(buffer:range():raw())
    if not found then
        return 0
    end
    local text = string.format("action @%d to @%d: %d active", found.first, found.last, found.active)
    local items = tree:add(netfox, buffer())
    items:append_text(": " .. text)
    items:add(f.tick, buffer(0, 4), found.first)
    items:add(f.last_tick, buffer(4, 1), found.last)
    for place = 5, buffer:len() - 1 do
        items:add(f.active_tick, buffer(place, 1), found.first + buffer(place, 1):uint())
    end
    pinfo.cols.protocol = "netfox"
    pinfo.cols.info = text
    return buffer:len()
end

local function dissect(buffer, pinfo, tree)
    if pinfo.match == "_submit_state" then
        return dissect_ticks(buffer, pinfo, tree)
    elseif buffer:len() >= 4 and buffer(0, 3):raw() == PREFIX and not pinfo.private["godot_mp.rpc.argument.0"] then
        return dissect_command(buffer, pinfo, tree, buffer(3, 1):uint(), 4)
    end
    local number = tonumber(pinfo.private["godot_mp.rpc.argument.0"])
    if not number or number % 1 ~= 0 or number < 0 or number > 255 then
        return 0
    end
    return dissect_command(buffer, pinfo, tree, number, 0)
end

-- An error of this script is reported once; from then on all bytes are left to the plugin.
local has_failed = false

function netfox.dissector(buffer, pinfo, tree)
    if has_failed then
        return 0
    end
    local succeeded, result = pcall(dissect, buffer, pinfo, tree)
    if not succeeded then
        has_failed = true
        report_failure("The pack netfox " .. VERSION .. " has an error and is not used from frame " .. pinfo.number .. " on: "
            .. tostring(result))
        return 0
    end
    return result
end

for _, method in ipairs({ "_submit_reliable", "_submit_unreliable", "_submit_unreliable_ordered", "_submit_state" }) do
    methods:add(method, netfox)
end
DissectorTable.get("godot_mp.raw.first_byte"):add(0x00, netfox)

-- ---- statistics --------------------------------------------------------------------------------------------

-- Bytes by node and property, the largest first.
local function statistics()
    local nodes, order, lines = {}, {}, {}
    for _, total in pairs(totals) do
        local node = nodes[total.node]
        if not node then
            node = { name = total.node, bytes = 0 }
            nodes[total.node] = node
            order[#order + 1] = node
        end
        node.bytes = node.bytes + total.bytes
        node[#node + 1] = total
    end
    local function larger(a, b)
        if a.bytes ~= b.bytes then
            return a.bytes > b.bytes
        end
        return (a.name or a.property) < (b.name or b.property)
    end
    local function line(indent, name, bytes, updates)
        local share = all_bytes > 0 and 100 * bytes / all_bytes or 0
        lines[#lines + 1] = string.format("%-60s %9d %6.2f%% %8s", indent .. name, bytes, share, updates)
    end
    lines[1] = string.format("%-60s %9s %7s %8s", "netfox: bytes of commands by node and property", "Bytes", "Share", "Count")
    line("", "all", all_bytes, "")
    table.sort(order, larger)
    for _, node in ipairs(order) do
        line("", node.name, node.bytes, "")
        table.sort(node, larger)
        for _, total in ipairs(node) do
            line("  ", total.property, total.bytes, string.format("%d", total.updates))
        end
    end
    if other_bytes > 0 then
        line("", "(more rows)", other_bytes, "")
    end
    return table.concat(lines, "\n") .. "\n"
end

local listener

function netfox.prefs_changed()
    rows = nil
    if netfox.prefs.statistics and not listener and not gui_enabled() then
        listener = Listener.new("frame")
        function listener.draw()
            print(statistics())
        end
    end
end

if gui_enabled() then
    register_menu("netfox/Bytes by node and property", function()
        local window = TextWindow.new("netfox: bytes by node and property")
        window:set(statistics())
    end, MENU_TOOLS_UNSORTED)
end
