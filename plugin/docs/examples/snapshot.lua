-- SPDX-FileCopyrightText: The Gamewire authors
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A dissector for bytes in a game's own format, called by Gamewire (plugin/docs/own-bytes.md). Little-endian:
--
--   u8 0x53 ("S"), u32 tick, u8 number of entities; for each entity: u16 id, f32 x, f32 y

local snapshot = Proto("snapshot", "Snapshot")
local f = snapshot.fields
f.tick = ProtoField.uint32("snapshot.tick", "Tick")
f.count = ProtoField.uint8("snapshot.count", "Entities")
f.id = ProtoField.uint16("snapshot.id", "Entity")
f.x = ProtoField.float("snapshot.x", "X")
f.y = ProtoField.float("snapshot.y", "Y")

function snapshot.dissector(buffer, pinfo, tree)
    if buffer:len() < 6 or buffer(0, 1):uint() ~= 0x53 then
        return 0 -- another format: another dissector may read it
    end
    local count = buffer(5, 1):uint()
    pinfo.cols.protocol = "Snapshot"
    pinfo.cols.info = string.format("Snapshot %d, entities: %d", buffer(1, 4):le_uint(), count)
    local items = tree:add(snapshot, buffer())
    items:add_le(f.tick, buffer(1, 4))
    items:add_le(f.count, buffer(5, 1))
    for start = 6, 6 + 10 * (count - 1), 10 do
        local entity = items:add_le(f.id, buffer(start, 2))
        entity:add_le(f.x, buffer(start + 2, 4))
        entity:add_le(f.y, buffer(start + 6, 4))
    end
    return buffer:len()
end

DissectorTable.get("godot_mp.rpc.method"):add("submit_snapshot", snapshot)
DissectorTable.get("godot_mp.rpc.method"):add("submit_history", snapshot)
DissectorTable.get("godot_mp.raw.first_byte"):add(0x53, snapshot)
DissectorTable.get("enet.first_byte"):add(0x53, snapshot)
