# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The messages of a packet, as plugin/docs/messages.md describes them: one dictionary for each, ready for JSON.

Each function that ends in `_messages` gets a layer's items. Members that a message does not have are left out.
"""

import functools
import subprocess

from . import variants
from .capture import FAMILIES, below, every, experts, first, is_true, number, walk, value_names

NOTE = 0x00400000  # Wireshark's number of the severity
EXPERTS_OF_A_KIND = 10  # at most, in a packet: GW_EXPERTS_OF_A_KIND

# ENet's commands that carry a message or a part of one.
DELIVERY = {6: "reliable", 8: "reliable", 7: "unreliable", 12: "unreliable", 9: "unsequenced"}
FRAGMENTS = (8, 12)
ENET_KINDS = {2: "connect", 3: "verify_connect", 4: "disconnect"}

SYSTEM_KINDS = {0: "auth", 1: "peer_joined", 2: "peer_left", 3: "relay"}
PEER_MESSAGE_KINDS = {0: "peer_joined", 1: "peer_left", 2: "peer_joined"}


# ---- names of fields' values -----------------------------------------------------------------------------


class Names:
    """Texts of enumerations and types of fields, read from tshark when a message first needs them."""

    ENUMERATIONS = ("leviathan.request.type", "leviathan.response.type")

    def __init__(self, program, options=()):
        self.program = program
        self.options = options

    @functools.cached_property
    def texts(self):
        return value_names(self.program, self.ENUMERATIONS)

    @functools.cached_property
    def fields(self):
        """{field: (title, type of its values)}; expert infos are among them."""
        found = {}
        with subprocess.Popen([self.program, "-G", "fields"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as listing:
            for line in listing.stdout:
                columns = line.decode("utf-8", "replace").split("\t", 5)
                if columns[0] == "F" and len(columns) > 4 and columns[4] in FAMILIES:
                    found[columns[2]] = columns[1], columns[3]
        return found

    def findings(self, names):
        """{name: (title, remedy)} of those expert infos that are known."""
        return {name: (self.fields[name][0], "") for name in names if name in self.fields}

    @functools.cached_property
    def kinds(self):
        """{filter name: type} of all fields, expert infos and protocols that this tshark has."""
        found = {}
        with subprocess.Popen([self.program, "-G", "fields"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as listing:
            for line in listing.stdout:
                columns = line.decode("utf-8", "replace").rstrip("\r\n").split("\t", 4)
                if len(columns) > 2:
                    found[columns[2]] = columns[3] if columns[0] == "F" and len(columns) > 3 else "FT_PROTOCOL"
        return found

    def text(self, field, value):
        """The name of a number. With another numbering of Leviathan's types the list has the wrong ones."""
        if value is None or any("leviathan.numbering" in option for option in self.options):
            return None if value is None else str(value)
        return self.texts[field].get(value, str(value))

    def typed(self, field, value):
        """A value of tshark's, always a text, as JSON."""
        kind = self.fields.get(field, ("", ""))[1]
        if kind in ("FT_BYTES", "FT_UINT_BYTES"):
            return value.replace(":", "")
        if kind == "FT_BOOLEAN":
            return value.lower() in ("1", "true")
        if kind.startswith(("FT_UINT", "FT_INT", "FT_FRAMENUM", "FT_CHAR")) and kind != "FT_UINT_STRING":
            return variants.whole(int(value, 0))
        if kind in ("FT_FLOAT", "FT_DOUBLE", "FT_RELATIVE_TIME"):
            return variants.real(float(value))
        return value


# ---- parts of all messages -------------------------------------------------------------------------------


def exported_ends(items):
    """Hosts and ports of an exported PDU, each in the subtree of its tag."""
    tags = {name: value for tag in every(items, "exported_pdu.tag_tree") for name, value in tag}
    hosts = tuple(next((tags[name] for name in (f"exported_pdu.ipv4_{end}", f"exported_pdu.ipv6_{end}") if name in tags), "")
                  for end in ("src", "dst"))
    return hosts, tuple(tags.get(f"exported_pdu.{end}_port", "") for end in ("src", "dst"))


def addresses(layers):
    """ "host:port" of source and destination; of the innermost network layer, if there are tunnels."""
    hosts, ports = ("", ""), ("", "")
    for name, items in layers:
        if name in ("ip", "ipv6") and isinstance(items, list):
            hosts = first(items, f"{name}.src", ""), first(items, f"{name}.dst", "")
        elif name in ("udp", "tcp"):
            ports = first(items, f"{name}.srcport", ""), first(items, f"{name}.dstport", "")
        elif name == "exported_pdu":
            hosts, ports = exported_ends(items)
    return tuple(f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in zip(hosts, ports))


def add(message, **members):
    """Adds the members that there are."""
    for name, value in members.items():
        if value is not None:
            message[name] = value
    return message


def notes(items):
    """Filter names of expert infos that a person should see, each once."""
    found = [name for name, severity, _ in experts(items) if severity >= NOTE]
    return list(dict.fromkeys(found)) or None


def digits(value):
    return None if value is None else value.replace(":", "")


def seconds(items, name):
    value = first(items, name)
    return None if value is None else float(value)


# ---- Variants --------------------------------------------------------------------------------------------


def values_with(items, text_field):
    """The JSON forms of the values whose items have this text below them, in order. The text is cut where it is long;
    godot.value is not."""
    found = []
    for name, inside in items:
        if not isinstance(inside, list) or name.endswith((".expert", "_ws.expert")):
            continue
        text = first(inside, text_field)
        if text is None:
            continue
        if name == "godot_mp.rpc.bytes_tree":
            found.append(variants.byte_array(first(items, "godot_mp.rpc.bytes", "")))
        else:
            found.append(variants.from_literal(first(inside, "godot.value", text)))
    return found


def document(items):
    """(whether there is one, the JSON form) of the Variant that is a whole payload."""
    for name, inside in items:
        if name.startswith("godot.") and isinstance(inside, list) and first(inside, "godot.path") == ".":
            text = first(inside, "godot.value")
            return text is not None, None if text is None else variants.from_literal(text)
    return False, None


def variant_messages(items):
    message = {"kind": "variant"}
    there, value = document(items)
    if there:
        message["value"] = value
    return [add(message, undecoded=digits(first(items, "godot.undecoded")))]


# ---- Godot's multiplayer ---------------------------------------------------------------------------------


def call_message(items):
    message = add({"kind": "call"}, node=first(items, "godot_mp.rpc.path"), method=first(items, "godot_mp.rpc.method"),
                  method_id=number(items, "godot_mp.rpc.method_id"))
    message["arguments"] = values_with(items, "godot_mp.rpc.argument")
    return message


def set_message(items):
    values = values_with(items, "godot_mp.sync.value")
    message = add({"kind": "set"}, node=first(items, "godot_mp.rpc.path"), property=first(items, "godot_mp.rpc.property"))
    return {**message, "value": values[0]} if values else message


def path_message(items):
    return add({"kind": "path"}, node=first(items, "godot_mp.path.path"), path_id=number(items, "godot_mp.path.id"),
               checksum=first(items, "godot_mp.path.checksum"))


def confirm_message(items):
    same = is_true(items, "godot_mp.path.confirmed") if first(items, "godot_mp.path.confirmed") is not None else None
    return add({"kind": "confirm"}, node=first(items, "godot_mp.path.path"), path_id=number(items, "godot_mp.path.id"),
               same_methods=same)


def raw_message(items):
    message = add({"kind": "raw"}, data=digits(first(items, "godot_mp.data")))
    there, value = document(items)
    return {**message, "value": value} if there else message


def spawn_message(items):
    message = add({"kind": "spawn"}, node=first(items, "godot_mp.spawn.spawner_path"), name=first(items, "godot_mp.spawn.name"),
                  scene=number(items, "godot_mp.spawn.scene"), scene_name=first(items, "godot_mp.spawn.scene_name"),
                  net_id=number(items, "godot_mp.spawn.net_id"))
    custom = values_with(items, "godot_mp.spawn.custom")
    if custom:
        message["custom"] = custom[0]
    names = every(items, "godot_mp.sync.property")
    return add(message, state=values_with(items, "godot_mp.spawn.state"), properties=names or None)


def despawn_message(items):
    return add({"kind": "despawn"}, name=first(items, "godot_mp.spawn.name"), net_id=number(items, "godot_mp.spawn.net_id"),
               lifetime=seconds(items, "godot_mp.spawn.lifetime"))


def update_of(items):
    """One synchronizer's values. `properties` has their names, if the table of names has them."""
    names = every(items, "godot_mp.sync.property")
    update = add({}, node=first(items, "godot_mp.sync.path"), net_id=number(items, "godot_mp.sync.net_id"),
                 bytes=number(items, "godot_mp.sync.size"), indexes=number(items, "godot_mp.sync.indexes"),
                 interval=seconds(items, "godot_mp.sync.update.interval"))
    late = any(name == "_ws.expert" and value[0][0] == "godot_mp.sync.update.late"
               for name, value in (*items, *below(items, "godot_mp.sync.net_id")))
    return add(update, late=True if late else None, properties=names or None,
               values=values_with(items, "godot_mp.sync.value"))


def sync_message(items):
    updates = [update_of(update) for update in every(items, "godot_mp.sync.update")]
    message = {"kind": "sync"}
    if len(updates) == 1:
        add(message, node=updates[0].get("node"))
    return {**message, "updates": updates}


def system_message(items):
    return add({"kind": SYSTEM_KINDS.get(number(items, "godot_mp.system"), "system")}, peer=number(items, "godot_mp.peer"),
               data=digits(first(items, "godot_mp.data")))


def other_message(items):
    """What has no command: the ids of peers, a Variant in place of a packet, bytes that could not be read."""
    variant = values_with(items, "godot_mp.variant")
    if variant or first(items, "godot_mp.variant") is not None:
        value = variant[0] if variant else variants.from_literal(first(items, "godot_mp.variant"))
        return {"kind": "variant", "value": value}
    if first(items, "godot_mp.assigned_peer") is not None:
        return {"kind": "peer_id", "peer": number(items, "godot_mp.assigned_peer")}
    kind = PEER_MESSAGE_KINDS.get(number(items, "godot_mp.peer_message"), "unknown")
    return add({"kind": kind}, peer=number(items, "godot_mp.peer"), undecoded=digits(first(items, "godot_mp.undecoded")))


COMMANDS = {"REMOTE_CALL": call_message, "REMOTE_SET": set_message, "SIMPLIFY_PATH": path_message,
            "CONFIRM_PATH": confirm_message, "RAW": raw_message, "SPAWN": spawn_message, "DESPAWN": despawn_message,
            "SYNC": sync_message, "SYS": system_message}


def multiplayer_messages(layer):
    """The innermost packet of a relayed one; who sent it first and who gets it last are in the layer itself."""
    items = layer
    while (inner := first(items, "Relayed packet")) is not None:
        items = inner
    message = COMMANDS.get(first(items, "godot_mp.command"), other_message)(items)
    add(message, **{side: first(layer, f"godot_mp.{side}") for side in ("from", "to")})
    relay = (*layer, *below(layer, "godot_mp.relayed_in"))
    repeated = is_true(layer, "godot_mp.exported.repeated")
    return [add(message, connection=number(layer, "godot_mp.exported.connection"), duplicate=True if repeated else None,
                relayed=True if items is not layer else None,
                relayed_in=number(relay, "godot_mp.relayed_in"), relay_of=number(relay, "godot_mp.relay_of"),
                relay_time=seconds(relay, "godot_mp.relay_time"), stream=number(layer, "godot_mp.stream"),
                bytes=number(layer, "godot_mp.length"), generation=number(layer, "godot_mp.generation"),
                data_channel=number(layer, "godot_mp.data_channel.stream"), **recorded(layer))]


def recorded(layer):
    """What the recording of a game has besides the message (recording.md)."""
    found = {name: number(layer, f"godot_mp.recorded.{name}") for name in ("process_frame", "physics_tick", "other_in", "lost")}
    return found | {name: seconds(layer, f"godot_mp.recorded.{name}") for name in ("handler_time", "way_time")}


# ---- Godot's streams and debugger ------------------------------------------------------------------------


def stream_messages(items, after):
    """`after`: the items of the Variant's own layer, which follows; its text is not cut."""
    text = first(items, "godot_stream.value")
    if text is not None:
        there, value = document(after or ())
        return [{"kind": "variant", "value": value if there else variants.from_literal(text)}]
    kind = "data" if first(items, "godot_stream.data") is not None else "other"
    return [add({"kind": kind}, data=digits(first(items, f"godot_stream.{kind}")), text=first(items, "godot_stream.text"))]


def debugger_messages(items, names):
    message = {"kind": first(items, "godot_debugger.message", "unknown"),
               "from": "game" if number(items, "godot_debugger.from") == 1 else "editor",
               "to": "editor" if number(items, "godot_debugger.from") == 1 else "game"}
    arguments = values_with(items, "godot_debugger.argument") or [
        variants.from_literal(text) for text in every(items, "godot_debugger.argument")]
    left_out = ("godot_debugger.message", "godot_debugger.from", "godot_debugger.generation", "godot_debugger.length",
                "godot_debugger.argument", "godot_debugger.log")
    return [add(message, log=first(items, "godot_debugger.log"), arguments=arguments or None,
                fields=fields(items, names, left_out) or None)]


def members(items):
    """The items, each followed by the fields of the same protocol below it; not the Variants below it, which are its value."""
    for name, value in items:
        if isinstance(value, list) and name.endswith("_tree"):
            protocol = name.partition(".")[0] + "."
            yield from members([(inner, below_it) for inner, below_it in value if inner.startswith(protocol)])
        else:
            yield name, value


def fields(items, names, left_out=()):
    """All other items by their field's name, without the protocol's; those that occur several times as a list."""
    found = {}
    for name, value in members(items):
        if name in left_out or name.startswith("_ws."):
            continue
        key = name.partition(".")[2] or name
        entry = fields(value, names, left_out) if isinstance(value, list) else names.typed(name, value)
        if key not in found:
            found[key] = entry
        elif isinstance(found[key], list):
            found[key].append(entry)
        else:
            found[key] = [found[key], entry]
    return found


def remote_fs_messages(items, names):
    """What a segment has of the remote file system: its messages are not separate in TCP."""
    return [add({"kind": "files"}, fields=fields(items, names) or None)]


# ---- Leviathan -------------------------------------------------------------------------------------------

LEVIATHAN_OWN = ("leviathan.message.type", "leviathan.message.number", "leviathan.request.type", "leviathan.response.type",
                 "leviathan.response.to_number", "leviathan.time", "leviathan.unanswered", "leviathan.response_in",
                 "leviathan.response_to", "leviathan.acked_in", "leviathan.rtt")


def with_nul(items, is_everywhere):
    """The items with NUL in place of the "\\0" that stands for it where an expert info says so; elsewhere it is a text of the
    game, unless the packet has as many of these expert infos as there can be."""
    found = []
    for (name, value), (_, after) in zip(items, [*items[1:], ("", ())]):
        if isinstance(value, list):
            value = with_nul(value, is_everywhere)
        elif "\\0" in value and (is_everywhere or any(each == "leviathan.nul.unusual" for each, _, _ in experts(list(after)))):
            value = value.replace("\\0", "\0")
        found.append((name, value))
    return found


def leviathan_messages(layer, names):
    found = []
    texts_with_nul = sum(name == "leviathan.nul.unusual" for name, _, _ in experts(layer))
    if texts_with_nul:
        layer = with_nul(layer, texts_with_nul >= EXPERTS_OF_A_KIND)
    is_copy = first(layer, "leviathan.analysis.duplicate_of") is not None
    for items in every(layer, "leviathan.message"):
        kind = "request" if first(items, "leviathan.request.type") is not None else "response"
        is_sent_before = first(items, "leviathan.analysis.first_send") is not None
        numbered = number(items, f"leviathan.{kind}.type")
        message = add({"kind": kind}, type=names.text(f"leviathan.{kind}.type", numbered), type_number=numbered,
                      number=number(items, "leviathan.message.number"), packet_id=number(layer, "leviathan.packet_id"),
                      response_to=number(items, "leviathan.response.to_number"), response_time=seconds(items, "leviathan.time"),
                      unanswered=True if is_true(items, "leviathan.unanswered") else None,
                      resent=True if is_sent_before and not is_copy else None, duplicate=True if is_copy else None)
        own = [(name, value) for name, value in items
               if name not in LEVIATHAN_OWN and not name.startswith("leviathan.analysis")]
        found.append({**message, "fields": fields(own, names)})
    return found


# ---- Squirrel --------------------------------------------------------------------------------------------

# In the order of their identifiers; tshark lists no names of this field.
FIRST_FRAME = 0x40FFFFE1
FRAMES = ("RemoteExecute", "RemoteExecuteSpecial", "Reply", "CompileString", "RPrint", "PeerExec", "SendResultToPeer",
          "ResultFromPeer", "PeerExecSpecial", "PeerExecHere", "PeerExecHere2", "SplitStream", "SplitStreamFromServer",
          "ClientData", "LoadNutFile", "NutFileLoaded", "Exec", "ExecSpecial", "ResultFromServer")


def frame_name(items):
    """ "value" is a value alone."""
    identifier = number(items, "squirrel.frame")
    if identifier is None:
        return "value"
    index = identifier - FIRST_FRAME
    return FRAMES[index] if 0 <= index < len(FRAMES) else "unknown"


def squirrel_messages(layer):
    """The frame, and after a chunk that completes a stream the frame of the stream."""
    return [squirrel_message(items) for items in (layer, first(layer, "squirrel.joined")) if items]


def squirrel_message(items):
    inside = [(name, value) for name, value in items if name != "squirrel.joined"]
    return add({"kind": frame_name(items)}, token=number(items, "squirrel.token"),
               expression=every(items, "squirrel.expression") or None,
               functions=[value for name, value in walk(inside) if name == "squirrel.function"] or None,
               script=first(items, "squirrel.script"), response_time=seconds(items, "squirrel.time"),
               error=first(items, "squirrel.error"),
               failed=True if is_true(items, "squirrel.failed") else None,
               unanswered=True if is_true(items, "squirrel.unanswered") else None,
               relayed=True if first(items, "squirrel.relay_of") is not None else None)


# ---- ENet ------------------------------------------------------------------------------------------------


RETRANSMISSIONS = {"enet.analysis.retransmission", "enet.analysis.spurious_retransmission"}


def carriers(enet, has_experts=True):
    """The commands of a datagram that deliver a message, in order, each with what it says about its delivery."""
    found = []
    is_copy = first(enet, "enet.analysis.duplicate_of") is not None
    for entry in every(enet, "enet.entry"):
        command = number(below(entry, "enet.type"), "enet.command")
        if command not in DELIVERY:
            continue
        fragments = first(entry, "enet.reassembly.fragments", ())
        whole = first(fragments, "enet.reassembly.data")
        if command in FRAGMENTS and whole is None:
            continue
        infos = {name for name, _, _ in experts(entry)} if has_experts else ()
        # The receiver has received it, as far as the capture tells.
        is_repeated = is_copy or "enet.analysis.duplicate" in infos or first(entry, "enet.analysis.resend_number") is not None
        found.append({
            "delivery": DELIVERY[command], "channel": number(entry, "enet.channel"),
            "bytes": number(fragments, "enet.reassembly.length") if whole is not None else number(entry, "enet.length"),
            "fragments": number(fragments, "enet.reassembly.count"),
            "resent": True if RETRANSMISSIONS.intersection(infos) else None,
            "duplicate": True if is_repeated else None,
            "data": digits(whole if whole is not None else first(entry, "enet.payload", ""))})
    return found


def connection_messages(enet):
    for entry in every(enet, "enet.entry"):
        kind = ENET_KINDS.get(number(below(entry, "enet.type"), "enet.command"))
        if kind:
            yield add({"kind": kind}, data_number=number(entry, "enet.data"))


# ---- a packet --------------------------------------------------------------------------------------------


def _of_layer(name, items, after, names):
    """The messages of one layer; None if it is not of a family."""
    if name == "godot_mp":
        return multiplayer_messages(items)
    if name == "godot":
        return variant_messages(items)
    if name == "godot_stream":
        return stream_messages(items, after)
    if name == "godot_debugger":
        return debugger_messages(items, names)
    if name == "godot_remote_fs":
        return remote_fs_messages(items, names)
    if name == "leviathan":
        return leviathan_messages(items, names)
    if name == "squirrel":
        return squirrel_messages(items)
    return None


def _connection(layers):
    """The number of the connection, of the innermost carrier that counts them."""
    found = {}
    for name, items in layers:
        if isinstance(items, list):
            for protocol, field in (("enet", "enet.connection"), ("tcp", "tcp.stream"), ("udp", "udp.stream")):
                if name == protocol:
                    found[protocol] = number(items, field)
    return next((found[name] for name in ("enet", "tcp", "udp") if found.get(name) is not None), None)


def _delivered(layers, at, enet, has_experts):
    """{index of a layer: the command that carried it}, and the commands whose message no other layer shows."""
    inner = [index for index in range(at + 1, len(layers)) if not layers[index][0].startswith("_ws.")]
    commands = carriers(enet, has_experts)
    if len(inner) != len(commands):
        # A dissector of the game's own bytes adds layers after those of the messages.
        inner = [index for index in inner if layers[index][0] in FAMILIES]
    if len(inner) != len(commands):
        return {}, [] if inner else commands
    shown = {index: command for index, command in zip(inner, commands) if layers[index][0] in FAMILIES}
    return shown, [command for index, command in zip(inner, commands) if index not in shown]


def of_packet(packet, names):
    """All messages of a packet, in order."""
    layers = packet.layers
    source, destination = addresses(layers)
    common = {"time": float(packet.time), "frame": packet.number}
    ends = {"from": source, "to": destination, "source": source, "destination": destination}
    connection = _connection(layers)
    delivered, rest = {}, []
    found = []

    def take(protocol, message, carrier):
        whole = {**common, "protocol": protocol, "kind": message.pop("kind"), **ends}
        add(whole, connection=connection, **{name: value for name, value in carrier.items() if name != "data"})
        whole.update(message)
        found.append(whole)

    for index, (name, items) in enumerate(layers):
        if not isinstance(items, list):
            continue
        after = layers[index + 1] if index + 1 < len(layers) else ("", ())
        if name == "enet":
            delivered, rest = _delivered(layers, index, items, packet.has_experts)
            for message in connection_messages(items):
                take("enet", message, {})
            continue
        if name == "godot" and index and layers[index - 1][0] == "godot_stream":
            continue  # the Variant of that message
        inside = after[1] if name == "godot_stream" and after[0] == "godot" else ()
        for message in _of_layer(name, items, inside, names) or ():
            take(name, add(message, notes=notes(items) if packet.has_experts else None), delivered.get(index, {}))
    for carrier in rest:
        take("enet", {"kind": "message", "data": carrier["data"]}, carrier)
    return found
