-- VC:MP 0.4.7.1 (Vice City Multiplayer; names of its messages)
-- SPDX-FileCopyrightText: The Gamewire authors
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Names the messages with the ids 0x30 to 0x9d that VC:MP sends in RakNet, with who or what they are about; the rest of them is bytes.
-- Messages with script data are left to Gamewire's Squirrel. plugin/docs/packs.md is the page for users.
--
-- Facts: names and heads from the source of the public NPC client (habi498/NPC-VCMP, commit d37cc21ee0ce), as read and written
-- there for 0.4.7.1. VC:MP itself is not public: a message without a name there has none here.
--
--   far      three bytes, player u8         near     player u8                  second   u8, player u8
--   blast    kind u8, three floats, three bytes, player u8
--   entry    far, then vehicle u16          vehicle, object, checkpoint   its number, u16
--   packed   bit 0, u32 length of the content, bit 0, u32 length of what follows: the content, compressed with zlib; it begins
--            with the player, if it is from the server
-- Numbers are big-endian.

local NAME = "vcmp"
local VERSION = "0.4.7.1"
local FIRST, LAST = 0x30, 0x9d
local MOST_PACKED = 65536

local FROM_SERVER = {
    [0x30] = { "On foot", "packed" }, [0x31] = { "On foot, aiming", "packed" }, [0x32] = { "Driver", "packed" },
    [0x33] = { "Passenger", "near" }, [0x34] = { "Vehicle" }, [0x35] = { "Player connected", "far" },
    [0x36] = { "Player disconnected", "far" }, [0x37] = { "Name changed", "far" }, [0x38] = { "Player died", "far" },
    [0x39] = { "Player streamed in", "far" }, [0x3a] = { "Player streamed out", "far" }, [0x3b] = { "Set skin", "near" },
    [0x3c] = { "Set team", "near" }, [0x3d] = { "Set color", "near" }, [0x3f] = { "Vehicle entered", "entry" },
    [0x41] = { "Vehicle left", "far" }, [0x48] = { "Time and weather" }, [0x4a] = { "Tick" }, [0x4b] = { "Joined", "far" },
    [0x4e] = { "Special signal" }, [0x50] = { "Set health" }, [0x51] = { "Set armor" }, [0x52] = { "Spawn granted" },
    [0x53] = { "All select a class" }, [0x55] = { "Set position" }, [0x58] = { "Set angle" }, [0x5a] = { "Remove all weapons" },
    [0x5b] = { "Set weapon slot" }, [0x5c] = { "Set weapon" }, [0x5d] = { "Remove weapon" }, [0x5e] = { "Player options" },
    [0x5f] = { "Set camera" }, [0x60] = { "Interpolate camera" }, [0x61] = { "Restore camera" },
    [0x62] = { "Set handling and visuals" }, [0x65] = { "Player that is not streamed" },
    [0x66] = { "Sniper rifle fired", "far" }, [0x67] = { "Projectile fired", "far" }, [0x68] = { "Explosion", "blast" },
    [0x6a] = { "Client message" }, [0x6c] = { "Chat", "far" }, [0x6f] = { "Request list of modules" },
    [0x71] = { "Object created", "object" }, [0x72] = { "Object destroyed", "object" }, [0x73] = { "Object alpha", "object" },
    [0x74] = { "Object shots and bumps", "object" }, [0x75] = { "Object rotates", "object" },
    [0x76] = { "Object moves", "object" }, [0x78] = { "Object position", "object" }, [0x79] = { "Pickup created" },
    [0x7a] = { "Pickup destroyed" }, [0x7b] = { "Pickup alpha" }, [0x7c] = { "Pickup position" }, [0x7d] = { "Pickup refreshed" },
    [0x7f] = { "Vehicle handling" }, [0x85] = { "Checkpoint created", "checkpoint" },
    [0x86] = { "Checkpoint destroyed", "checkpoint" }, [0x87] = { "Checkpoint position", "checkpoint" },
    [0x88] = { "Checkpoint color", "checkpoint" }, [0x89] = { "Checkpoint radius", "checkpoint" },
    [0x8a] = { "Vehicle streamed in", "vehicle" }, [0x8b] = { "Vehicle streamed out", "vehicle" },
    [0x8c] = { "Vehicle position", "vehicle" }, [0x8d] = { "Vehicle rotation", "vehicle" },
    [0x8f] = { "Vehicle speed", "vehicle" }, [0x90] = { "Add vehicle speed", "vehicle" },
    [0x91] = { "Add relative vehicle speed", "vehicle" }, [0x92] = { "Vehicle turn speed", "vehicle" },
    [0x93] = { "Add vehicle turn speed", "vehicle" }, [0x94] = { "Add relative vehicle turn speed", "vehicle" },
    [0x95] = { "Vehicle health", "vehicle" }, [0x96] = { "Vehicle damage" }, [0x97] = { "Vehicle options" },
    [0x98] = { "Vehicle ownership lost", "vehicle" }, [0x99] = { "Vehicle ownership gained" }, [0x9a] = { "Vehicle explodes" },
    [0x9b] = { "Vehicle radio" }, [0x9d] = { "Bullet fired" },
}

local TO_SERVER = {
    [0x30] = { "On foot", "packed" }, [0x31] = { "On foot, aiming", "packed" }, [0x32] = { "Driver", "packed" },
    [0x33] = { "Passenger" }, [0x35] = { "Connect" }, [0x38] = { "Begin typing" }, [0x39] = { "End typing" },
    [0x3b] = { "List of modules" }, [0x3d] = { "Frames per second" }, [0x3f] = { "Chat" }, [0x40] = { "Private message", "near" },
    [0x41] = { "Command" }, [0x42] = { "Request class" }, [0x43] = { "Request spawn" }, [0x44] = { "Spawn" },
    [0x45] = { "Death", "second" }, [0x46] = { "Player shot" }, [0x48] = { "Request to enter vehicle", "vehicle" },
    [0x49] = { "Put into vehicle" }, [0x4a] = { "Vehicle left" }, [0x4b] = { "Sniper rifle fired" }, [0x4c] = { "Projectile fired" },
    [0x4f] = { "Bullet fired" }, [0x50] = { "Pickup" }, [0x55] = { "Object shot", "object" }, [0x56] = { "Object touched", "object" },
    [0x58] = { "Store files needed" }, [0x59] = { "Checkpoint entered or left", "checkpoint" },
}
-- Ids of messages with script data.
local SCRIPT_FROM_SERVER, SCRIPT_TO_SERVER = 0x6e, 0x3e

local vcmp = Proto(NAME, "VC:MP")
local f = vcmp.fields
f.message = ProtoField.uint8("vcmp.message", "Message", base.HEX)
f.name = ProtoField.string("vcmp.name", "Name")
f.is_from_server = ProtoField.bool("vcmp.from_server", "From the server")
f.length = ProtoField.uint32("vcmp.length", "Length", base.DEC)
f.player = ProtoField.uint8("vcmp.player", "Player", base.DEC)
f.vehicle = ProtoField.uint16("vcmp.vehicle", "Vehicle", base.DEC)
f.object = ProtoField.uint16("vcmp.object", "Object", base.DEC)
f.checkpoint = ProtoField.uint16("vcmp.checkpoint", "Checkpoint", base.DEC)
f.size = ProtoField.uint32("vcmp.size", "Length of the content", base.DEC)
f.content = ProtoField.bytes("vcmp.content", "Content")
f.data = ProtoField.bytes("vcmp.data", "Data")

local unknown = ProtoExpert.new("vcmp.message.unknown", "Not a message of VC:MP " .. VERSION .. ", or of another form",
    expert.group.UNDECODED, expert.severity.NOTE)
vcmp.experts = { unknown }

vcmp.prefs.ports = Pref.string("Ports of the game's servers", "8192", "UDP ports, with commas between them")

-- ---- heads ----------------------------------------------------------------------------------------------------

-- The place of the player, from the message id on.
local PLACES = { far = 4, near = 1, second = 2, blast = 17, entry = 4 }

-- The content of a packed message as bytes, and its length; nil: of another form.
local function unpack_content(bytes)
    -- Bits 8 and 41 are 0; after the lengths, everything is shifted by two bits.
    local a, b, c, d, e, g = bytes:byte(2, 7)
    if #bytes < 11 or a >= 0x80 or #bytes > MOST_PACKED then
        return nil
    end
    local size = (((a % 128 * 256 + b) * 256 + c) * 256 + d) * 2 + math.floor(e / 128)
    local after = math.floor(e / 64) % 2
    local parts = {}
    for place = 6, #bytes do
        local low, high = bytes:byte(place + 1) or 0, bytes:byte(place)
        parts[#parts + 1] = string.char(high % 64 * 4 + math.floor(low / 64))
    end
    local shifted = table.concat(parts)
    if after ~= 0 or not g or #shifted < 5 then
        return nil
    end
    local h, i, j, k = shifted:byte(1, 4)
    local length = ((h * 256 + i) * 256 + j) * 256 + k
    -- The last byte of `shifted` has only the bits that fill up the message.
    if length ~= #shifted - 5 or length == 0 then
        return nil
    end
    return shifted:sub(5, 4 + length), size
end

-- The uncompressed bytes; nil: not zlib's, or of another length.
local function uncompressed(data, size)
    local range = ByteArray.new(data, true):tvb("Compressed content"):range()
    local succeeded, found = pcall(function() return range:uncompress("Content") end)
    if not succeeded then
        succeeded, found = pcall(function() return range:uncompress_zlib("Content") end)
    end
    return succeeded and found and found:len() == size and found or nil
end

local function add_packed(items, buffer, bytes, is_from_server)
    local data, size = unpack_content(bytes)
    local content = data and size <= MOST_PACKED and uncompressed(data, size)
    if not content then
        return nil
    end
    items:add(f.size, buffer(1, 5), size)
    local item = items:add(f.content, content)
    if is_from_server and size > 0 then
        item:add(f.player, content:range(0, 1))
        return string.format(", player %d", content:range(0, 1):uint())
    end
    return ""
end

-- Adds the head, and returns its text; nil: too short, or of another form.
local function add_head(items, buffer, bytes, head, is_from_server)
    if head == "packed" then
        return add_packed(items, buffer, bytes, is_from_server)
    elseif PLACES[head] then
        local place = PLACES[head]
        if buffer:len() <= place + (head == "entry" and 2 or 0) then
            return nil
        end
        items:add(f.player, buffer(place, 1))
        local text = string.format(", player %d", buffer(place, 1):uint())
        if head == "entry" then
            items:add(f.vehicle, buffer(place + 1, 2))
            text = text .. string.format(", vehicle %d", buffer(place + 1, 2):uint())
        end
        return text
    elseif head then
        if buffer:len() < 3 then
            return nil
        end
        items:add(f[head], buffer(1, 2))
        return string.format(", %s %d", head, buffer(1, 2):uint())
    end
    return ""
end

-- ---- entry point ----------------------------------------------------------------------------------------------

local function is_server(port)
    return ("," .. vcmp.prefs.ports:gsub("%s", "") .. ","):find("," .. port .. ",", 1, true) ~= nil
end

local function dissect(buffer, pinfo, tree)
    local is_from_server = is_server(pinfo.src_port)
    if buffer:len() == 0 or not is_from_server and not is_server(pinfo.dst_port) then
        return false
    end
    local number, bytes = buffer(0, 1):uint(), buffer:range():raw()
    local names = is_from_server and FROM_SERVER or TO_SERVER
    local is_script = number == (is_from_server and SCRIPT_FROM_SERVER or SCRIPT_TO_SERVER)
    -- A frame of Squirrel may have the id of another version.
    if number < FIRST or is_script or bytes:match("^.....[\225-\243]\255\255@") then
        return false
    end
    local row = number <= LAST and names[number] or nil
    local items = tree:add(vcmp, buffer())
    items:add(f.message, buffer(0, 1))
    items:add(f.is_from_server, buffer(0, 0), is_from_server):set_generated()
    items:add(f.length, buffer(0, 0), buffer:reported_len()):set_generated()
    local text = row and row[1] or string.format("Message 0x%02x", number)
    if row then
        items:add(f.name, buffer(0, 1), row[1])
    end
    local head = row and add_head(items, buffer, bytes, row[2], is_from_server)
    if buffer:len() > 1 then
        items:add(f.data, buffer(1))
    end
    local is_cut = buffer:reported_len() > buffer:len()
    if not is_cut and (number > LAST or row and not head) then
        items:add_proto_expert_info(unknown)
    end
    text = string.format("%s%s, %d bytes", text, head or "", buffer:reported_len())
    items:append_text(": " .. text)
    pinfo.cols.protocol = "VC:MP"
    pinfo.cols.info = text
    return true
end

-- An error of this script is reported once; from then on all bytes are left to Wireshark.
local has_failed = false

vcmp:register_heuristic("raknet", function(buffer, pinfo, tree)
    if has_failed then
        return false
    end
    local succeeded, result = pcall(dissect, buffer, pinfo, tree)
    if not succeeded then
        has_failed = true
        report_failure("The pack vcmp " .. VERSION .. " has an error and is not used from frame " .. pinfo.number .. " on: "
            .. tostring(result))
        return false
    end
    return result
end)
