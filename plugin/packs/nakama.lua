-- Nakama 3.4 (addon "com.heroiclabs.nakama" for Godot 4, https://github.com/heroiclabs/nakama-godot)
-- SPDX-FileCopyrightText: The Gamewire authors
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Reads the messages of Nakama's matches, which are JSON in texts of WebSocket, and passes the packets of Godot's multiplayer in
-- them, which the addon's NakamaMultiplayerBridge sends, on to Gamewire with the ids and names of the players.
-- plugin/docs/packs.md is the page for users.
--
-- Facts: the source of the addon (commit ddbb873495b7) and the server's rtapi (heroiclabs/nakama-common), and the addon run with
-- Godot 4.6.3.
--
--   envelope              {"cid": number of the request as a text, NAME: {…}}; the server's own messages have no cid
--   match                 match_id; self, presences: the players ({user_id, session_id, username})
--   match_presence_event  match_id; joins, leaves: players
--   match_data_send       match_id, op_code, data (Base64), presences: the receivers; none: all
--   match_data            match_id, op_code (a number as a text), data, presence: the sender
--   op_code 9001          data is JSON: {"type": 0}: the sender is the host, peer 1; {"type": 1, session_id, peer_id}: by the host
--   op_code 9002          data is a packet of Godot's multiplayer

local NAME = "nakama"
local VERSION = "3.4"
local LONGEST_TEXT = 1048576
local LONGEST_HEAD = 64 -- of a text, in which the name of the message begins
local DEPTH = 12 -- of JSON
local MOST_KEPT = 65536 -- of all entries together

-- Without Gamewire there is nothing to do.
local has_carried, carried = pcall(Dissector.get, "godot_mp.exported")
local has_names, names_dissector = pcall(Dissector.get, "godot_mp.names")
if not has_carried or not carried or not has_names or not names_dissector then
    return
end

local nakama = Proto(NAME, "Nakama")
local f = nakama.fields
f.message = ProtoField.string("nakama.message", "Message")
f.cid = ProtoField.string("nakama.cid", "Number of the request")
f.match = ProtoField.string("nakama.match", "Match")
f.op_code = ProtoField.uint32("nakama.op_code", "Code of the data", base.DEC)
f.sender = ProtoField.string("nakama.sender", "Sender")
f.receiver = ProtoField.string("nakama.receiver", "Receiver")
f.joined = ProtoField.string("nakama.joined", "Joined")
f.left = ProtoField.string("nakama.left", "Left")
f.present = ProtoField.string("nakama.present", "Present")
f.own = ProtoField.string("nakama.self", "Player of this connection")
f.session = ProtoField.string("nakama.session", "Session")
f.user = ProtoField.string("nakama.user", "User")
f.peer = ProtoField.int32("nakama.peer", "Peer", base.DEC)
f.meta = ProtoField.string("nakama.meta", "Message of the bridge")
f.data = ProtoField.bytes("nakama.data", "Data")

local differs = ProtoExpert.new("nakama.form.unknown", "Not in the form of the bridge of Nakama " .. VERSION,
    expert.group.UNDECODED, expert.severity.NOTE)
local unseen = ProtoExpert.new("nakama.peer.unseen", "The message that assigns the player's peer id is not in the capture",
    expert.group.SEQUENCE, expert.severity.NOTE)
nakama.experts = { differs, unseen }

nakama.prefs.meta = Pref.uint("Code of the bridge's own messages", 9001, "meta_op_code of NakamaMultiplayerBridge")
nakama.prefs.rpc = Pref.uint("Code of multiplayer packets", 9002, "rpc_op_code of NakamaMultiplayerBridge")

-- ---- what is kept for a capture, on the first pass --------------------------------------------------------

local own -- [connection]: list of { frame, session }
local users -- [session]: name
local players -- [match]: list of { frame, session, peer }, in the order of the capture
local numbers, number_count -- ["connection peer"]: number for Gamewire
local kept

local function clear()
    own, users, players = {}, {}, {}
    numbers, number_count, kept = {}, 0, 0
end
clear()
nakama.init = clear

local function connection_of(pinfo)
    local from = tostring(pinfo.src) .. ":" .. tostring(pinfo.src_port)
    local to = tostring(pinfo.dst) .. ":" .. tostring(pinfo.dst_port)
    return from < to and from .. " " .. to or to .. " " .. from
end

local function keep(lists, key, entry)
    local list = lists[key] or {}
    if kept < MOST_KEPT then
        kept = kept + 1
        lists[key] = list
        list[#list + 1] = entry
    end
end

-- The last entry of the list up to this frame for which `is_wanted`; nil: none.
local function find(list, pinfo, is_wanted)
    for place = list and #list or 0, 1, -1 do
        local entry = list[place]
        if entry.frame <= pinfo.number and is_wanted(entry) then
            return entry
        end
    end
    return nil
end

local function own_session(pinfo)
    local entry = find(own[connection_of(pinfo)], pinfo, function() return true end)
    return entry and entry.session
end

-- The peer id of a player; nil: not known.
local function peer_of(pinfo, match, session)
    local entry = session and find(players[match], pinfo, function(player) return player.session == session end)
    return entry and entry.peer
end

-- Another player of the match, for a packet that goes to all: the host, or the host's first player.
local function other_player(pinfo, match, session)
    local sender = peer_of(pinfo, match, session)
    for _, player in ipairs(players[match] or {}) do
        if player.frame <= pinfo.number and player.session ~= session and (sender == 1 or player.peer == 1) then
            return player.session
        end
    end
    return nil
end

-- Gamewire's number for the connection of two players, as seen on this connection to the server.
local function number_of(pinfo, peer)
    local key = connection_of(pinfo) .. " " .. peer
    if not numbers[key] and not pinfo.visited and number_count < MOST_KEPT then
        number_count = number_count + 1
        numbers[key] = number_count
    end
    return numbers[key] or 0
end

-- ---- JSON --------------------------------------------------------------------------------------------------

-- A value is { kind, offset, stop, value }: kind is "object", "array", "string", "number" or "word"; value is a table of values
-- by key or place, a text, or a number. Offsets are from 0. nil: not JSON, or deeper than DEPTH.

-- Control characters become question marks, as items and columns show them.
local ESCAPES = { b = "?", f = "?", n = "?", r = "?", t = "?", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function utf8_of(code)
    if code < 0x20 or code == 0x7f then
        return "?"
    elseif code < 0x80 then
        return string.char(code)
    elseif code < 0x800 then
        return string.char(0xc0 + math.floor(code / 64), 0x80 + code % 64)
    elseif code >= 0xd800 and code < 0xe000 then
        return "?"
    end
    return string.char(0xe0 + math.floor(code / 4096), 0x80 + math.floor(code / 64) % 64, 0x80 + code % 64)
end

local function read_text(text, place)
    local first, parts = place, {}
    place = place + 1
    while true do
        local stop = text:find('["\\%c]', place)
        if not stop or text:find("^%c", stop) then
            return nil
        end
        parts[#parts + 1] = text:sub(place, stop - 1)
        if text:sub(stop, stop) == '"' then
            return { kind = "string", offset = first - 1, stop = stop, value = table.concat(parts) }, stop + 1
        end
        local letter, code = text:sub(stop + 1, stop + 1), text:match("^u(%x%x%x%x)", stop + 1)
        if not ESCAPES[letter] and not code then
            return nil
        end
        parts[#parts + 1] = code and utf8_of(tonumber(code, 16)) or ESCAPES[letter]
        place = stop + (code and 6 or 2)
    end
end

local read_json

-- The members of an object or array, from the place after its bracket.
local function read_members(text, place, depth, is_object)
    local members, closing = {}, is_object and "}" or "]"
    local start = place - 2
    place = text:match("^%s*()", place)
    if text:sub(place, place) == closing then
        return { kind = is_object and "object" or "array", offset = start, stop = place, value = members }, place + 1
    end
    while true do
        local key, value = #members + 1, nil
        if is_object then
            if text:sub(place, place) ~= '"' then
                return nil
            end
            local name, after = read_text(text, place)
            place = name and text:match("^%s*:%s*()", after)
            if not place then
                return nil
            end
            key = name.value
        end
        value, place = read_json(text, place, depth + 1)
        if not value then
            return nil
        end
        members[key] = value
        local sign, after = text:match("^%s*([,%]}])%s*()", place)
        if sign == closing then
            local stop = text:find(closing, place, true)
            return { kind = is_object and "object" or "array", offset = start, stop = stop, value = members }, stop + 1
        elseif sign ~= "," then
            return nil
        end
        place = after
    end
end

-- The value at `place`, from 1, and the place after it. Recursion is bounded by DEPTH.
function read_json(text, place, depth)
    local letter = text:sub(place, place)
    if depth > DEPTH then
        return nil
    elseif letter == "{" or letter == "[" then
        return read_members(text, place + 1, depth, letter == "{")
    elseif letter == '"' then
        return read_text(text, place)
    end
    local word, after = text:match("^([%w%.%+%-]+)()", place)
    if not word then
        return nil
    end
    local number = tonumber(word)
    return { kind = number and "number" or "word", offset = place - 1, stop = after - 1, value = number or word }, after
end

-- Where the second byte of a character of UTF-8 has narrower limits than 0x80 to 0xbf.
local SECOND = { [0xe0] = { 0xa0, 0xbf }, [0xed] = { 0x80, 0x9f }, [0xf0] = { 0x90, 0xbf }, [0xf4] = { 0x80, 0x8f } }

local function is_utf8(text)
    local place = text:find("[\128-\255]")
    while place do
        local first, second = text:byte(place, place + 1)
        local length = first < 0xc2 and 0 or first < 0xe0 and 2 or first < 0xf0 and 3 or first < 0xf5 and 4 or 0
        local limits = SECOND[first] or { 0x80, 0xbf }
        if length == 0 or not second or second < limits[1] or second > limits[2]
            or not text:find("^" .. ("[\128-\191]"):rep(length - 1), place + 1) then
            return false
        end
        place = text:find("[\128-\255]", place + length)
    end
    return true
end

local function read_object(text)
    if not is_utf8(text) then
        return nil
    end
    local value, after = read_json(text, text:match("^%s*()"), 1)
    return value and value.kind == "object" and text:match("^%s*()$", after) and value or nil
end

-- A member of an object, of this kind; nil: there is none.
local function member(value, key, kind)
    local found = value and value.kind == "object" and value.value[key]
    return found and found.kind == kind and found or nil
end

-- ---- messages ----------------------------------------------------------------------------------------------

local function player_of(value)
    local session = member(value, "session_id", "string")
    local name, user = member(value, "username", "string"), member(value, "user_id", "string")
    return session and user and { item = value, session = session.value, user = user.value, name = name and name.value or "" } or nil
end

-- The players of a list; nil: another member is in it.
local function players_of(value)
    local found = {}
    for place, one in ipairs(value and value.value or {}) do
        found[place] = player_of(one)
        if not found[place] then
            return nil
        end
    end
    return found
end

local function bytes_of(value)
    local text = value.value
    return #text % 4 == 0 and text:match("^[%w+/]*=?=?$") and ByteArray.new(text, true):base64_decode() or nil
end

-- Each reads its message into a table; nil: not of this form.
local readers = {}

readers["match_create"] = function(_, has_number)
    return has_number and {} or nil
end

readers["match_join"] = function(message, has_number)
    local match = member(message, "match_id", "string") or member(message, "token", "string")
    return has_number and match and { match = match } or nil
end

readers["match_leave"] = readers["match_join"]

readers["match"] = function(message, has_number)
    local match, player = member(message, "match_id", "string"), player_of(member(message, "self", "object"))
    local present = players_of(member(message, "presences", "array"))
    return has_number and match and player and present and { match = match, own = player, present = present } or nil
end

readers["match_presence_event"] = function(message)
    local match = member(message, "match_id", "string")
    local joined, left = players_of(member(message, "joins", "array")), players_of(member(message, "leaves", "array"))
    return match and joined and left and #joined + #left > 0 and { match = match, joined = joined, left = left } or nil
end

local function read_data(message)
    local match, data = member(message, "match_id", "string"), member(message, "data", "string")
    local code = member(message, "op_code", "number") or member(message, "op_code", "string")
    local op_code = code and tonumber(code.value) or not code and 0 or nil
    if not match or not op_code or op_code % 1 ~= 0 or op_code < 0 or op_code > 0xffffffff then
        return nil
    end
    return { match = match, code = code, op_code = op_code, data = data, bytes = data and bytes_of(data) }
end

readers["match_data"] = function(message)
    local found = read_data(message)
    if found and member(message, "presence", "object") then
        found.sender = player_of(member(message, "presence", "object"))
        found = found.sender and found
    end
    return found
end

readers["match_data_send"] = function(message, has_number)
    local found, receivers = read_data(message), players_of(member(message, "presences", "array"))
    if not has_number or not found or not receivers then
        return nil
    end
    found.receivers = receivers
    return found
end

-- ---- items -------------------------------------------------------------------------------------------------

local function range_of(buffer, value)
    return buffer(value.offset, value.stop - value.offset)
end

local function label(session)
    return users[session] or session or "?"
end

local function add_player(items, field, buffer, pinfo, match, player)
    local item = items:add(field, range_of(buffer, player.item), player.name ~= "" and player.name or player.session)
    item:add(f.session, range_of(buffer, player.item), player.session)
    item:add(f.user, range_of(buffer, player.item), player.user)
    local peer = peer_of(pinfo, match, player.session)
    if peer then
        item:add(f.peer, buffer(0, 0), peer):set_generated()
    end
    return item
end

local function little(number, size)
    local bytes = {}
    for place = 1, size do
        bytes[place] = string.format("%02x", number % 256)
        number = math.floor(number / 256)
    end
    return table.concat(bytes)
end

-- A text with its length before it, in two bytes.
local function counted(text)
    return little(#text, 2) .. (text:gsub(".", function(letter) return string.format("%02x", letter:byte()) end))
end

-- Tells Gamewire the name of a peer (plugin/docs/recording.md).
local function name_peer(pinfo, items, peer, session)
    local name = users[session]
    if name and name ~= "" and #name < 256 then
        local texts = counted(string.format("%d", peer)) .. counted(name)
        names_dissector:call(ByteArray.new("01" .. "06" .. little(#texts / 2, 2) .. texts):tvb("Name of a player"), pinfo, items)
    end
end

-- A message of the bridge: who is the host, which id a player has. Returns its text, nil: another message.
local function add_meta(items, data, pinfo, match, sender, bytes)
    local content = read_object(bytes:raw())
    local kind = member(content, "type", "number")
    local session, peer = member(content, "session_id", "string"), member(content, "peer_id", "number")
    if not kind or kind.value ~= 0 and not (kind.value == 1 and session and peer and peer.value % 1 == 0
        and peer.value > 0 and peer.value < 0x80000000) then
        return nil
    end
    local is_of_host = kind.value == 0
    session, peer = is_of_host and sender or session and session.value, is_of_host and 1 or peer and peer.value
    if session and not pinfo.visited and peer_of(pinfo, match, session) ~= peer then
        keep(players, match, { frame = pinfo.number, session = session, peer = peer })
    end
    local text = is_of_host and label(session) .. " is the host" or string.format("%s is peer %d", label(session), peer)
    local item = items:add(f.meta, data(), text)
    item:add(f.peer, data(), peer)
    if session then
        item:add(f.session, data(), session)
        name_peer(pinfo, item, peer, session)
    end
    return text
end

-- Passes a packet on to Gamewire, with the header that plugin/docs/recording.md describes: 8 is "carried by another protocol".
local function pass_on(items, root, pinfo, match, sender, receiver, bytes)
    local from, to = peer_of(pinfo, match, sender) or 0, peer_of(pinfo, match, receiver) or 0
    local far = own_session(pinfo) == sender and to or from
    local header = "02140000" .. little(8, 2) .. "0200" .. little(number_of(pinfo, far), 4) .. little(from, 4) .. little(to, 4)
    local packet = ByteArray.new(header)
    packet:append(bytes)
    if from == 0 or to == 0 then
        items:add_proto_expert_info(unseen)
    end
    carried:call(packet:tvb("Multiplayer packet"), pinfo, root)
end

local function add_data(items, root, buffer, pinfo, found)
    local match = found.match.value
    local sender = found.sender and found.sender.session or found.receivers and own_session(pinfo)
    local receiver = found.sender and own_session(pinfo)
    if found.receivers and #found.receivers == 1 then
        receiver = found.receivers[1].session
    elseif found.receivers then
        receiver = other_player(pinfo, match, sender)
    end
    items:add(f.op_code, found.code and range_of(buffer, found.code) or buffer(0, 0), found.op_code)
    if found.sender then
        add_player(items, f.sender, buffer, pinfo, match, found.sender)
    elseif sender then
        items:add(f.sender, buffer(0, 0), label(sender)):set_generated()
    end
    for _, player in ipairs(found.receivers or {}) do
        add_player(items, f.receiver, buffer, pinfo, match, player)
    end
    local way = string.format("%s to %s", label(sender), found.receivers and #found.receivers == 0 and "all" or label(receiver))
    if not found.bytes or found.bytes:len() == 0 then
        if found.data and not found.bytes then
            items:add(f.data, range_of(buffer, found.data)):add_proto_expert_info(differs)
        end
        return string.format("%s: %d", way, found.op_code)
    end
    local data = found.bytes:tvb("Data of the match")
    local item = items:add(f.data, data())
    if found.op_code == nakama.prefs.meta then
        local text = add_meta(items, data, pinfo, match, sender, found.bytes)
        if not text then
            item:add_proto_expert_info(differs)
        end
        return way .. ": " .. (text or found.bytes:len() .. " bytes")
    elseif found.op_code == nakama.prefs.rpc then
        return way, function() pass_on(items, root, pinfo, match, sender, receiver, found.bytes) end
    end
    return string.format("%s: %d, %d bytes", way, found.op_code, found.bytes:len())
end

local function keep_players(pinfo, found)
    if found.own then
        keep(own, connection_of(pinfo), { frame = pinfo.number, session = found.own.session })
    end
    for _, list in ipairs({ { found.own, found.sender }, found.present or {}, found.joined or {}, found.receivers or {} }) do
        for _, player in pairs(list) do
            if player.name ~= "" and kept < MOST_KEPT and not users[player.session] then
                users[player.session], kept = player.name, kept + 1
            end
        end
    end
end

local function names_of(list)
    local texts = {}
    for place, player in ipairs(list) do
        texts[place] = label(player.session)
    end
    return table.concat(texts, ", ")
end

-- ---- entry point -------------------------------------------------------------------------------------------

-- The name of the message, what is read of it, and its number; nil: no message of a match.
local function read_envelope(text)
    local head = text:sub(1, LONGEST_HEAD)
    if #text > LONGEST_TEXT or not head:match("^%s*{") or not head:find('"match', 1, true) then
        return nil
    end
    local envelope = read_object(text)
    local cid = member(envelope, "cid", "string")
    for name, reader in pairs(readers) do
        local message = member(envelope, name, "object")
        local found = message and reader(message, cid ~= nil)
        if found then
            return name, found, cid
        end
    end
    return nil
end

local function dissect(buffer, pinfo, tree)
    local name, found, cid = read_envelope(buffer:range():raw())
    if not name then
        return false
    end
    if not pinfo.visited then
        keep_players(pinfo, found)
    end
    local items = tree:add(nakama, buffer())
    local match = found.match and found.match.value
    items:add(f.message, buffer(0, 0), name)
    if cid then
        items:add(f.cid, range_of(buffer, cid), cid.value)
    end
    if match then
        items:add(f.match, range_of(buffer, found.match), match)
    end
    if found.own then
        add_player(items, f.own, buffer, pinfo, match, found.own)
    end
    local text, pass = name, nil
    for _, row in ipairs({ { found.present, f.present }, { found.joined, f.joined, " joined" }, { found.left, f.left, " left" } }) do
        for _, player in ipairs(row[1] or {}) do
            add_player(items, row[2], buffer, pinfo, match, player)
        end
        if row[3] and row[1] and #row[1] > 0 then
            text = text .. ", " .. names_of(row[1]) .. row[3]
        end
    end
    if found.op_code then
        local way
        way, pass = add_data(items, tree, buffer, pinfo, found)
        text = pass and way or name .. ", " .. way
    elseif found.own then
        text = name .. " of " .. label(found.own.session)
    end
    items:append_text(": " .. text)
    pinfo.cols.protocol = "Nakama"
    pinfo.cols.info = text
    if pass then
        pass()
        pinfo.cols.info:prepend(text .. ": ")
    end
    return true
end

-- An error of this script is reported once; from then on all texts are left to Wireshark.
local has_failed = false

nakama:register_heuristic("ws", function(buffer, pinfo, tree)
    if has_failed then
        return false
    end
    local succeeded, result = pcall(dissect, buffer, pinfo, tree)
    if not succeeded then
        has_failed = true
        report_failure("The pack nakama " .. VERSION .. " has an error and is not used from frame " .. pinfo.number .. " on: "
            .. tostring(result))
        return false
    end
    return result
end)
