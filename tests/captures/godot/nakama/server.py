# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""In place of a Nakama server: relayed matches over WebSocket, as far as the client's bridge for Godot's multiplayer needs them.

    server.py PORT

The facts are those of the client (heroiclabs/nakama-godot, the classes of its messages) and of the server's source: 64-bit numbers
are texts, members with their default are left out, the data of a match goes to the named presences or to all but the sender.
"""

import asyncio
import base64
import hashlib
import json
import struct
import sys
import uuid

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455
matches = {}  # id: the sessions in it, in the order in which they joined


class Session:
    def __init__(self, writer, name):
        self.writer = writer
        self.presence = {"user_id": str(uuid.uuid5(uuid.NAMESPACE_DNS, name)), "session_id": str(uuid.uuid4()), "username": name}

    def send(self, message):
        text = json.dumps(message).encode()
        size = struct.pack(">BH", 126, len(text)) if len(text) > 125 else bytes([len(text)])
        self.writer.write(b"\x81" + size + text)


def name_of(path):
    """The username in the token of the session, a JWT."""
    token = path.split("token=")[1].split("&")[0]
    content = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(content + "=" * (-len(content) % 4)))["usn"]


async def accept(reader, writer):
    request = (await reader.readuntil(b"\r\n\r\n")).decode()
    fields = dict(line.lower().split(": ", 1)[:1] + line.split(": ", 1)[1:] for line in request.split("\r\n")[1:] if ": " in line)
    answer = base64.b64encode(hashlib.sha1((fields["sec-websocket-key"] + GUID).encode()).digest()).decode()
    writer.write(f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {answer}\r\n\r\n".encode())
    return Session(writer, name_of(request.split()[1]))


async def read_text(reader):
    """The next text; None at the end."""
    while True:
        head, size = await reader.readexactly(2)
        size &= 0x7F
        if size == 126:
            size, = struct.unpack(">H", await reader.readexactly(2))
        mask = await reader.readexactly(4)
        content = bytes(byte ^ mask[place % 4] for place, byte in enumerate(await reader.readexactly(size)))
        if head & 0xF == 8:
            return None
        if head & 0xF == 1:
            return content.decode()


def enter(session, message, match):
    others = list(matches.setdefault(match, []))
    matches[match].append(session)
    found = {"match_id": match, "size": len(matches[match]), "self": session.presence}
    if others:
        found["presences"] = [other.presence for other in others]
    session.send({"cid": message["cid"], "match": found})
    for one in matches[match]:
        one.send({"match_presence_event": {"match_id": match, "joins": [session.presence]}})


def leave(session):
    for match, sessions in matches.items():
        if session in sessions:
            sessions.remove(session)
            for other in sessions:
                other.send({"match_presence_event": {"match_id": match, "leaves": [session.presence]}})


def relay(session, data):
    targets = {presence["session_id"] for presence in data.get("presences", [])}
    message = {"match_id": data["match_id"], "presence": session.presence, "op_code": str(data["op_code"]), "data": data["data"]}
    for other in matches[data["match_id"]]:
        if other is not session and (not targets or other.presence["session_id"] in targets):
            other.send({"match_data": message})


def handle(session, message):
    if "match_create" in message:
        name = message["match_create"].get("name")
        enter(session, message, f"{uuid.uuid5(uuid.NAMESPACE_DNS, name) if name else uuid.uuid4()}.")
    elif "match_join" in message:
        enter(session, message, message["match_join"]["match_id"])
    elif "match_data_send" in message:
        relay(session, message["match_data_send"])
    elif "match_leave" in message:
        leave(session)
        session.send({"cid": message["cid"]})


async def serve(reader, writer):
    session = await accept(reader, writer)
    try:
        while (text := await read_text(reader)) is not None:
            handle(session, json.loads(text))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    leave(session)
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    async with server:
        await server.serve_forever()


asyncio.run(main())
