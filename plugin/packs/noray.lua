-- noray 1.4 (https://github.com/foxssake/noray), and its client in netfox.noray 1.48 (https://github.com/foxssake/netfox)
-- SPDX-FileCopyrightText: The Gamewire authors
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Reads how players find each other with noray: its lines over TCP, the registration of addresses over UDP, and the handshakes
-- between players. plugin/docs/packs.md is the page for users.
--
-- Facts: the source of noray 1.4.3 (commit 5924a20c00bc) and of netfox.noray 1.48.4 (commit 1e7281de3e48), and both run.
--
--   TCP, port 8890   lines of a command, a space and its data. From a player: register-host, connect OID, connect-relay OID. From
--                    the server: set-oid OID, set-pid PID, connect ADDRESS:PORT, connect-relay PORT
--   UDP, port 8809   from a player: its PID, which is 128 letters by default; from the server: OK, or what is wrong
--   UDP, handshake   four letters: $; r: has read; w: has written; x: knows that the other one has read; or - in the place of each

local NAME = "noray"
local VERSION = "1.4"
local LONGEST_LINE = 4096
local MOST_KEPT = 65536 -- of all entries together
local PID_LENGTH = 128

local noray = Proto(NAME, "noray")
local f = noray.fields
f.line = ProtoField.string("noray.line", "Line")
f.command = ProtoField.string("noray.command", "Command")
f.oid = ProtoField.string("noray.oid", "Open id")
f.pid = ProtoField.string("noray.pid", "Private id")
f.address = ProtoField.string("noray.address", "Address of the other player")
f.port = ProtoField.uint16("noray.port", "Port of the other player", base.DEC)
f.relay = ProtoField.uint16("noray.relay", "Port of the relay to the other player", base.DEC)
f.registration = ProtoField.string("noray.registration", "Registration of the address")
f.assigned_in = ProtoField.framenum("noray.pid.assigned_in", "Assigned in", base.NONE, frametype.NONE)
f.handshake = ProtoField.string("noray.handshake", "Handshake")
f.has_read = ProtoField.bool("noray.handshake.read", "Has read from the other player")
f.has_written = ProtoField.bool("noray.handshake.written", "Has written to the other player")
f.is_done = ProtoField.bool("noray.handshake.done", "Knows that the other player has read")

local unknown = ProtoExpert.new("noray.command.unknown", "Not a command of noray " .. VERSION,
    expert.group.UNDECODED, expert.severity.NOTE)
local refused = ProtoExpert.new("noray.registration.refused", "noray does not know the private id, or has another error",
    expert.group.RESPONSE_CODE, expert.severity.WARN)
noray.experts = { unknown, refused }

noray.prefs.tcp = Pref.uint("TCP port", 8890, "NORAY_SOCKET_PORT of the server")
noray.prefs.udp = Pref.uint("UDP port of the registration", 8809, "NORAY_UDP_REGISTRAR_PORT of the server")

-- ---- what is kept for a capture, on the first pass --------------------------------------------------------

local connections -- [connection]: the first frame with a command
local pids -- [private id]: the frame that assigns it
local requests -- [connection]: the first frame with a private id
local kept

local function clear()
    connections, pids, requests, kept = {}, {}, {}, 0
end
clear()
noray.init = clear

local function keep(list, key, pinfo)
    if not list[key] and not pinfo.visited and kept < MOST_KEPT then
        list[key], kept = pinfo.number, kept + 1
    end
end

local function is_kept(list, key, pinfo)
    return list[key] and list[key] <= pinfo.number
end

local function connection_of(pinfo)
    local from = tostring(pinfo.src) .. ":" .. tostring(pinfo.src_port)
    local to = tostring(pinfo.dst) .. ":" .. tostring(pinfo.dst_port)
    return from < to and from .. " " .. to or to .. " " .. from
end

-- ---- lines --------------------------------------------------------------------------------------------------

local function is_port(text)
    local number = text:match("^%d%d?%d?%d?%d?$") and tonumber(text)
    return number and number > 0 and number < 65536
end

-- By command: whether it has this form, from the server or a player.
local FORMS = {
    ["register-host"] = function(data, is_from_server) return data == "" and not is_from_server end,
    ["set-oid"] = function(data, is_from_server) return data:match("^%g+$") and is_from_server end,
    ["set-pid"] = function(data, is_from_server) return data:match("^%g+$") and is_from_server end,
    ["connect"] = function(data, is_from_server)
        if is_from_server then
            return is_port(data:match("^%g+:(%d+)$") or "")
        end
        return data:match("^%g+$")
    end,
    ["connect-relay"] = function(data, is_from_server)
        if is_from_server then
            return is_port(data)
        end
        return data:match("^%g+$")
    end,
}

-- The command and the data of a line; nil: not of noray.
local function read_line(line, is_from_server)
    local command, space, data = line:match("^([%l%-]+)( ?)(.*)$")
    if not FORMS[command] or not FORMS[command](data, is_from_server) or (space == "") ~= (data == "") then
        return nil
    end
    return command, data
end

local function add_data(items, buffer, pinfo, start, command, data, is_from_server)
    local range = #data > 0 and buffer(start + #command + 1, #data)
    if command == "set-oid" or range and not is_from_server then
        items:add(f.oid, range, data)
    elseif command == "set-pid" then
        items:add(f.pid, range, data)
        keep(pids, data, pinfo)
    elseif command == "connect" then
        local address, port = data:match("^(.*):(%d+)$")
        items:add(f.address, buffer(start + #command + 1, #address), address)
        items:add(f.port, buffer(start + #command + 2 + #address, #port), tonumber(port))
    elseif command == "connect-relay" then
        items:add(f.relay, range, tonumber(data))
    end
end

local function short(line)
    local text = line:gsub("[^ -~]", "?")
    return #text > 48 and text:sub(1, 48) .. "…" or text
end

local function dissect_lines(buffer, pinfo, tree)
    local text, is_from_server = buffer:range():raw(), pinfo.src_port == noray.prefs.tcp
    local connection, start, texts, items = connection_of(pinfo), 0, {}, nil
    while start < #text do
        local stop = text:find("\n", start + 1, true)
        if not stop then
            -- The rest of a line is in the next segment, unless this is none of noray's.
            local is_known = items or is_kept(connections, connection, pinfo)
            if not is_known or #text - start > LONGEST_LINE then
                return start
            end
            pinfo.desegment_offset = start
            pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
            break
        end
        local line = text:sub(start + 1, stop - 1):gsub("\r$", "")
        local command, data = read_line(line, is_from_server)
        if command then
            keep(connections, connection, pinfo)
        elseif not is_kept(connections, connection, pinfo) then
            return start
        end
        items = items or tree:add(noray, buffer())
        local item = items:add(f.line, buffer(start, stop - start), (line:gsub("[^ -~]", "?")))
        if command then
            item:add(f.command, buffer(start, #command), command)
            add_data(item, buffer, pinfo, start, command, data, is_from_server)
        else
            item:add_proto_expert_info(unknown)
        end
        texts[#texts + 1] = short(line)
        start = stop
    end
    if items then
        items:append_text(": " .. table.concat(texts, ", "))
        pinfo.cols.protocol = "noray"
        pinfo.cols.info = table.concat(texts, ", ")
    end
    return buffer:len()
end

-- ---- registration -------------------------------------------------------------------------------------------

local function dissect_registration(buffer, pinfo, tree)
    local text, connection = buffer:range():raw(), connection_of(pinfo)
    local is_request = pinfo.dst_port == noray.prefs.udp
    if buffer:reported_len() > buffer:len() or #text > 1024 or not text:match("^[ -~]+$") then
        return 0
    elseif is_request and not is_kept(pids, text, pinfo) and not (#text == PID_LENGTH and text:match("^[%w_%-]+$")) then
        return 0
    elseif not is_request and not is_kept(requests, connection, pinfo) then
        return 0
    end
    local items = tree:add(noray, buffer())
    local line
    if is_request then
        keep(requests, connection, pinfo)
        line = "register the address of " .. short(text)
        local item = items:add(f.pid, buffer(), text)
        if is_kept(pids, text, pinfo) then
            item:add(f.assigned_in, buffer(0, 0), pids[text]):set_generated()
        end
    else
        line = text == "OK" and "address registered" or "address not registered: " .. short(text)
        local item = items:add(f.registration, buffer(), text)
        if text ~= "OK" then
            item:add_proto_expert_info(refused)
        end
    end
    items:append_text(": " .. line)
    pinfo.cols.protocol = "noray"
    pinfo.cols.info = line
    return buffer:len()
end

-- ---- handshakes ---------------------------------------------------------------------------------------------

local function dissect_handshake(buffer, pinfo, tree)
    local text = buffer:len() == 4 and buffer:reported_len() == 4 and buffer:range():raw() or ""
    local read, written, done = text:match("^%$([r%-])([w%-])([x%-])$")
    if not read then
        return false
    end
    local words = {}
    for _, row in ipairs({ { read, "read" }, { written, "written" }, { done, "the other one has read" } }) do
        words[#words + 1] = row[1] ~= "-" and row[2] or nil
    end
    local line = "handshake " .. text .. ": " .. (#words > 0 and table.concat(words, ", ") or "nothing yet")
    local items = tree:add(noray, buffer())
    items:append_text(": " .. line)
    local item = items:add(f.handshake, buffer(), text)
    item:add(f.has_read, buffer(1, 1), read == "r")
    item:add(f.has_written, buffer(2, 1), written == "w")
    item:add(f.is_done, buffer(3, 1), done == "x")
    pinfo.cols.protocol = "noray"
    pinfo.cols.info = line
    return true
end

-- ---- entry points -------------------------------------------------------------------------------------------

-- An error of this script is reported once; from then on all bytes are left to Wireshark.
local has_failed = false

local function guarded(dissect, declined)
    return function(buffer, pinfo, tree)
        if has_failed then
            return declined
        end
        local succeeded, result = pcall(dissect, buffer, pinfo, tree)
        if not succeeded then
            has_failed = true
            report_failure("The pack noray " .. VERSION .. " has an error and is not used from frame " .. pinfo.number .. " on: "
                .. tostring(result))
            return declined
        end
        return result
    end
end

noray.dissector = guarded(function(buffer, pinfo, tree)
    return (pinfo.port_type == 2 and dissect_lines or dissect_registration)(buffer, pinfo, tree)
end, 0)
noray:register_heuristic("udp", guarded(dissect_handshake, false))

local tcp_port, udp_port

local function set_ports()
    local tcp, udp = DissectorTable.get("tcp.port"), DissectorTable.get("udp.port")
    if tcp_port then
        tcp:remove(tcp_port, noray)
        udp:remove(udp_port, noray)
    end
    tcp_port, udp_port = noray.prefs.tcp, noray.prefs.udp
    tcp:add(tcp_port, noray)
    udp:add(udp_port, noray)
end
set_ports()
noray.prefs_changed = set_ports
