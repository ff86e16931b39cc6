// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#include "malformed.h"

#include "recorder.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_DATAGRAM = 5000,
    LONG_ENOUGH = 40, // ms, for an answer
    CHANNEL = 0,      // of the numbers that NEXT means
};

// The commands are hexadecimal digits; NEXT is the reliable number that the server waits for on channel 0.
typedef struct {
    const char *fault;
    const char *header; // NULL: that of the connection, with a sent time
    const char *commands;
} faulty;

#define NO_TIME "0000" // peer 0, session 0, no sent time
#define NEXT    "NNNN"
#define ALPHA   "0005 616c706861" // a length and its payload

static const faulty all[] = {
    // The header
    { "one byte", "80", "" },
    { "no sent time where it was announced", "8000", "" },
    { "no command", NULL, "" },
    { "a peer that is not connected", "8007 0001", "86 00 " NEXT " " ALPHA },
    { "a peer beyond the server's slots", "8ffe 0001", "86 00 " NEXT " " ALPHA },
    { "another session", "9000 0001", "86 00 " NEXT " " ALPHA },
    { "compressed, to a host without a compressor", "c000 0001", "86 00 " NEXT " " ALPHA },
    { "no sent time, and a command to be acknowledged", NO_TIME, "86 00 " NEXT " " ALPHA },
    // Commands
    { "command 0", NULL, "80 00 " NEXT },
    { "command 13", NULL, "8d 00 " NEXT },
    { "command 15", NULL, "8f 00 " NEXT },
    { "an unknown command after a sound one", NULL, "86 00 " NEXT " " ALPHA " 8f 00 0001" },
    { "three bytes of a command", NULL, "86 00 00" },
    { "a command without its own fields", NULL, "88 00 " NEXT " 0001" },
    { "a trailing byte", NULL, "86 00 " NEXT " " ALPHA " 00" },
    { "a length beyond the datagram", NULL, "86 00 " NEXT " 0010 616c706861" },
    { "a channel that the connection does not have", NULL, "86 c8 0001 " ALPHA },
    { "channel 255 with a payload", NULL, "86 ff 0001 " ALPHA },
    { "a reliable payload of no bytes", NULL, "86 00 " NEXT " 0000" },
    { "reliable without the flag acknowledge", NULL, "06 00 " NEXT " " ALPHA },
    { "reliable with the flag unsequenced", NULL, "c6 00 " NEXT " " ALPHA },
    { "unreliable with the flag acknowledge", NULL, "87 00 " NEXT " 0001 " ALPHA },
    { "unsequenced without its flag", NULL, "09 02 0000 4000 " ALPHA },
    { "a reliable number seven windows ahead", NULL, "86 00 7000 " ALPHA },
    { "a reliable number nine windows ahead, or seven back", NULL, "86 00 9000 " ALPHA },
    { "a reliable number that was received before", NULL, "86 00 0001 " ALPHA },
    { "an unsequenced group twice in a datagram", NULL, "49 02 0000 4001 " ALPHA " 49 02 0000 4001 " ALPHA },
    // Fragments: start, length, count, number, total, offset
    { "a fragment number not below the count", NULL,
      "88 00 " NEXT " " NEXT " 0005 00000002 00000002 0000000a 00000005 616c706861" },
    { "no fragments", NULL, "88 00 " NEXT " " NEXT " 0005 00000000 00000000 0000000a 00000000 616c706861" },
    { "more than 1,048,576 fragments", NULL,
      "88 00 " NEXT " " NEXT " 0005 00100001 00000000 00200000 00000000 616c706861" },
    { "a total length below the count", NULL, "88 03 0001 0001 0005 00000009 00000000 00000008 00000000 616c706861" },
    { "a total length above 32 MiB", NULL,
      "88 00 " NEXT " " NEXT " 0005 00000002 00000000 02000001 00000000 616c706861" },
    { "a fragment's offset not below the total length", NULL,
      "88 00 " NEXT " " NEXT " 0005 00000002 00000001 0000000a 0000000a 616c706861" },
    { "a fragment's end after the total length", NULL,
      "88 00 " NEXT " " NEXT " 0005 00000002 00000001 0000000a 00000008 616c706861" },
    { "a reliable fragment of no bytes", NULL, "88 02 0001 0001 0000 00000002 00000000 0000000a 00000000" },
    { "an unreliable fragment number not below the count", NULL,
      "0c 01 0000 0001 0005 00000002 00000002 0000000a 00000005 616c706861" },
    { "an unreliable fragment's end after the total length", NULL,
      "0c 01 0000 0001 0005 00000002 00000001 0000000a 00000008 616c706861" },
    // About the connection
    { "an acknowledgement of what was never sent", NO_TIME, "01 00 7777 7777 0001" },
    { "a second CONNECT from a connected address, with its connect id", "8fff 0001",
      "82 ff 0001 0000 ff ff 00000578 00010000 00000004 00000000 00000000 00001388 00000002 00000002 CCCCCCCC "
      "00000000" },
    { "CONNECT with no channels", "8fff 0001",
      "82 ff 0001 0003 ff ff 00000578 00010000 00000000 00000000 00000000 00001388 00000002 00000002 12345678 "
      "00000000" },
    { "CONNECT with 256 channels", "8fff 0001",
      "82 ff 0001 0003 ff ff 00000578 00010000 00000100 00000000 00000000 00001388 00000002 00000002 12345678 "
      "00000000" },
    { "a command other than CONNECT without a peer", "8fff 0001", "86 00 0001 " ALPHA },
    { "VERIFY_CONNECT to a server", NULL,
      "83 ff 0002 0000 00 00 00000578 00010000 00000004 00000000 00000000 00001388 00000002 00000002 12345678" },
    { "THROTTLE_CONFIGURE on a channel", NULL, "8b 00 " NEXT " 00001388 00000002 00000002" },
    { "33 commands", NULL,
      "490200005001000049020000500200004902000050030000490200005004000049020000500500004902000050060000"
      "490200005007000049020000500800004902000050090000490200005010000049020000501100004902000050120000"
      "490200005013000049020000501400004902000050150000490200005016000049020000501700004902000050180000"
      "490200005019000049020000502000004902000050210000490200005022000049020000502300004902000050240000"
      "490200005025000049020000502600004902000050270000490200005028000049020000502900004902000050300000"
      "490200005031000049020000503200004902000050330000" },
};

// Of one datagram each that no libenet sends, and which the server answers, ignores or cannot receive whole.
static const faulty unusual[] = {
    { "CONNECT to a connected peer", NULL,
      "82 ff 0002 0000 ff ff 00000578 00010000 00000004 00000000 00000000 00001388 00000002 00000002 12345678 "
      "00000000" },
    { "CONNECT with an MTU of 575", "8fff 0001",
      "82 ff 0001 0005 ff ff 0000023f 00010000 00000004 00000000 00000000 00001388 00000002 00000002 23456789 "
      "00000000" },
    { "CONNECT with a window of 65537", "8fff 0001",
      "82 ff 0001 0006 ff ff 00000578 00010001 00000004 00000000 00000000 00001388 00000002 00000002 3456789a "
      "00000000" },
    { "more than 4096 bytes", NULL, "86 00 " NEXT " 1000 LLLLLLLL" },
};

static size_t put_digits(uint8_t *bytes, size_t at, const char *digits, const ENetPeer *to_server, uint16_t next)
{
    char number[9];
    for (; *digits; ++digits) {
        if (*digits == ' ')
            continue;
        if (*digits == 'N') {
            snprintf(number, sizeof number, "%04x", next);
            at = put_digits(bytes, at, number, to_server, next);
            digits += 3;
        } else if (*digits == 'C' && digits[1] == 'C') { // no digit is in upper case
            memcpy(bytes + at, &to_server->connectID, sizeof to_server->connectID);
            at += sizeof to_server->connectID;
            digits += 7;
        } else if (*digits == 'L') { // 0x1000 bytes
            memset(bytes + at, 'l', 0x1000);
            at += 0x1000;
            digits += 7;
        } else {
            const char two[] = { digits[0], digits[1], 0 };
            bytes[at++] = (uint8_t)strtoul(two, NULL, 16);
            ++digits;
        }
    }
    return at;
}

// What can be seen of the server before and after.
typedef struct {
    ENetPeerState state;
    uint32_t sent, peers, received;
} server_view;

static server_view look(const ENetPeer *to_client)
{
    server_view view = { .state = to_client->state,
                         .sent = to_client->host->totalSentPackets,
                         .received = events_received() };
    for (size_t i = 0; i < to_client->host->peerCount; ++i)
        view.peers += to_client->host->peers[i].state != ENET_PEER_STATE_DISCONNECTED;
    return view;
}

static void record_reaction(const ENetHost *host, const server_view *before, const server_view *after)
{
    record_begin("reaction", host);
    fprintf(record_file(), ",\"answers\":%u,\"delivered\":%d,\"connected\":%s,\"new_peers\":%d",
            after->sent - before->sent, (int)(after->received - before->received),
            after->state == ENET_PEER_STATE_CONNECTED ? "true" : "false", (int)after->peers - (int)before->peers);
    record_end();
}

static void send_one(const faulty *one, ENetPeer *to_server, ENetPeer *to_client)
{
    uint8_t bytes[MAX_DATAGRAM];
    char header[16];
    uint16_t next = (uint16_t)(to_client->channels[CHANNEL].incomingReliableSequenceNumber + 1);
    server_view before = look(to_client);

    snprintf(header, sizeof header, "8000 %04x", enet_time_get() & 0xffff);
    size_t length = put_digits(bytes, 0, one->header ? one->header : header, to_server, next);
    length = put_digits(bytes, length, one->commands, to_server, next);
    ENetBuffer buffer = { .data = bytes, .dataLength = length };
    enet_socket_send(to_server->host->socket, &to_server->address, &buffer, 1);
    record_begin("datagram", to_server->host);
    record_address("from", &to_server->host->address);
    record_address("to", &to_server->address);
    fprintf(record_file(), ",\"length\":%zu,\"fault\":\"%s\",\"commands\":[]", length, one->fault);
    record_bytes("bytes", bytes, length);
    record_end();

    run(LONG_ENOUGH);
    server_view after = look(to_client);
    record_reaction(to_client->host, &before, &after);
    // Where the server took a number, the client's own must go on after it.
    to_server->channels[CHANNEL].outgoingReliableSequenceNumber =
        to_client->channels[CHANNEL].incomingReliableSequenceNumber;
}

void send_malformed(ENetPeer *to_server, ENetPeer *to_client)
{
    for (size_t i = 0; i < sizeof all / sizeof *all && to_client->state == ENET_PEER_STATE_CONNECTED; ++i)
        send_one(&all[i], to_server, to_client);
}

void send_unusual(ENetPeer *to_server, ENetPeer *to_client)
{
    for (size_t i = 0; i < sizeof unusual / sizeof *unusual; ++i)
        send_one(&unusual[i], to_server, to_client);
}
