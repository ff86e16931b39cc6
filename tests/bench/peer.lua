-- SPDX-FileCopyrightText: The Gamewire authors
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A simple dissector in Lua for comparison, of Variants of Godot 3, in the way of the
-- examples in Wireshark's documentation. The peer for "how much faster than Lua".

local protocol = Proto("luapeer", "Godot Variant (Lua)")
local fields = {
    header = ProtoField.uint32("luapeer.header", "Header", base.HEX),
    null = ProtoField.none("luapeer.nil", "Nil"),
    bool = ProtoField.bool("luapeer.bool", "Bool"),
    int32 = ProtoField.int32("luapeer.int32", "Int"),
    int64 = ProtoField.int64("luapeer.int64", "Int"),
    float = ProtoField.float("luapeer.float", "Float"),
    double = ProtoField.double("luapeer.double", "Float"),
    length = ProtoField.uint32("luapeer.length", "Length"),
    string = ProtoField.string("luapeer.string", "String"),
    count = ProtoField.uint32("luapeer.count", "Count"),
}
protocol.fields = fields

local WIDE = 0x10000

local function add_number(tree, tvb, offset, name, field, size)
    local branch = tree:add(tvb(offset, 4 + size), name)
    branch:add_le(fields.header, tvb(offset, 4))
    branch:add_le(field, tvb(offset + 4, size))
    return offset + 4 + size
end

local function add_string(tree, tvb, offset)
    local length = tvb(offset + 4, 4):le_uint()
    local size = 8 + math.floor((length + 3) / 4) * 4
    local branch = tree:add(tvb(offset, size), "String")
    branch:add_le(fields.header, tvb(offset, 4))
    branch:add_le(fields.length, tvb(offset + 4, 4))
    branch:add(fields.string, tvb(offset + 8, length))
    return offset + size
end

local add_variant

local function add_container(tree, tvb, offset, name, values_each)
    local start = offset
    local count = bit.band(tvb(offset + 4, 4):le_uint(), 0x7fffffff)
    local branch = tree:add(tvb(offset), name)
    branch:add_le(fields.header, tvb(offset, 4))
    branch:add_le(fields.count, tvb(offset + 4, 4))
    offset = offset + 8
    for _ = 1, count * values_each do
        offset = add_variant(branch, tvb, offset)
    end
    branch:set_len(offset - start)
    return offset
end

function add_variant(tree, tvb, offset)
    local header = tvb(offset, 4):le_uint()
    local kind, wide = bit.band(header, 0xff), bit.band(header, WIDE) ~= 0
    if kind == 0 then
        tree:add(fields.null, tvb(offset, 4))
        return offset + 4
    elseif kind == 1 then
        return add_number(tree, tvb, offset, "Bool", fields.bool, 4)
    elseif kind == 2 and wide then
        return add_number(tree, tvb, offset, "Int", fields.int64, 8)
    elseif kind == 2 then
        return add_number(tree, tvb, offset, "Int", fields.int32, 4)
    elseif kind == 3 and wide then
        return add_number(tree, tvb, offset, "Float", fields.double, 8)
    elseif kind == 3 then
        return add_number(tree, tvb, offset, "Float", fields.float, 4)
    elseif kind == 4 then
        return add_string(tree, tvb, offset)
    elseif kind == 18 then
        return add_container(tree, tvb, offset, "Dictionary", 2)
    elseif kind == 19 then
        return add_container(tree, tvb, offset, "Array", 1)
    end
    error("type " .. kind .. " is not known here")
end

function protocol.dissector(tvb, pinfo, tree)
    pinfo.cols.protocol = "LUAPEER"
    return add_variant(tree:add(protocol, tvb()), tvb, 0)
end

DissectorTable.get("udp.port"):add(50000, protocol)
