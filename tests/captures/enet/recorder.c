// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#define _GNU_SOURCE // RTLD_NEXT

#include "recorder.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MAX_HOSTS = 64,
    MAX_PLAIN = ENET_PROTOCOL_MAXIMUM_MTU,
    NAME_SIZE = 32,
};

// What is known of a host. plain holds the commands of the datagram that is being sent, uncompressed.
typedef struct {
    const ENetHost *host;
    char name[NAME_SIZE];
    ENetCompressor compressor;
    uint8_t plain[MAX_PLAIN];
    size_t plain_length;
} known_host;

static known_host hosts[MAX_HOSTS];
static FILE *output;

FILE *record_file(void)
{
    if (!output) {
        const char *path = getenv("GAMEWIRE_RECORD");
        output = path ? fopen(path, "w") : stdout;
        if (!output) {
            perror(path);
            exit(1);
        }
    }
    return output;
}

static known_host *find(const ENetHost *host)
{
    for (size_t i = 0; i < MAX_HOSTS; ++i) {
        if (hosts[i].host == host)
            return &hosts[i];
    }
    fputs("recorder: too many hosts\n", stderr);
    exit(1);
}

static known_host *find_by_socket(ENetSocket socket)
{
    for (size_t i = 0; i < MAX_HOSTS; ++i) {
        if (hosts[i].host && hosts[i].host->socket == socket)
            return &hosts[i];
    }
    return NULL;
}

void record_name_host(const ENetHost *host, const char *name)
{
    snprintf(find(host)->name, NAME_SIZE, "%s", name);
}

// ---- JSON ----------------------------------------------------------------------------------------

void record_begin(const char *what, const ENetHost *host)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    fprintf(record_file(), "{\"what\":\"%s\",\"time\":%lld.%06ld", what, (long long)now.tv_sec, now.tv_nsec / 1000);
    if (host)
        fprintf(output, ",\"host\":\"%s\"", find(host)->name);
}

void record_end(void)
{
    fputs("}\n", record_file());
    fflush(output);
}

void record_address(const char *name, const ENetAddress *address)
{
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &address->host, text, sizeof text);
    fprintf(record_file(), ",\"%s\":\"%s:%u\"", name, text, address->port);
}

void record_bytes(const char *name, const void *bytes, size_t length)
{
    const uint8_t *octets = bytes;
    fprintf(record_file(), ",\"%s\":\"", name);
    for (size_t i = 0; i < length; ++i)
        fprintf(output, "%02x", octets[i]);
    fputc('"', output);
}

static void record_number(const char *name, uint32_t number)
{
    fprintf(output, ",\"%s\":%u", name, number);
}

// ---- commands ------------------------------------------------------------------------------------

static const char *const command_names[ENET_PROTOCOL_COMMAND_COUNT] = {
    "NONE",
    "ACKNOWLEDGE",
    "CONNECT",
    "VERIFY_CONNECT",
    "DISCONNECT",
    "PING",
    "SEND_RELIABLE",
    "SEND_UNRELIABLE",
    "SEND_FRAGMENT",
    "SEND_UNSEQUENCED",
    "BANDWIDTH_LIMIT",
    "THROTTLE_CONFIGURE",
    "SEND_UNRELIABLE_FRAGMENT",
};

static const size_t command_sizes[ENET_PROTOCOL_COMMAND_COUNT] = {
    0,
    sizeof(ENetProtocolAcknowledge),
    sizeof(ENetProtocolConnect),
    sizeof(ENetProtocolVerifyConnect),
    sizeof(ENetProtocolDisconnect),
    sizeof(ENetProtocolPing),
    sizeof(ENetProtocolSendReliable),
    sizeof(ENetProtocolSendUnreliable),
    sizeof(ENetProtocolSendFragment),
    sizeof(ENetProtocolSendUnsequenced),
    sizeof(ENetProtocolBandwidthLimit),
    sizeof(ENetProtocolThrottleConfigure),
    sizeof(ENetProtocolSendFragment),
};

// CONNECT and VERIFY_CONNECT are alike but for the data at the end.
static void record_connect(const ENetProtocol *command, bool has_data)
{
    const ENetProtocolConnect *connect = &command->connect;
    record_number("outgoing_peer", ntohs(connect->outgoingPeerID));
    record_number("incoming_session", connect->incomingSessionID);
    record_number("outgoing_session", connect->outgoingSessionID);
    record_number("mtu", ntohl(connect->mtu));
    record_number("window_size", ntohl(connect->windowSize));
    record_number("channel_count", ntohl(connect->channelCount));
    record_number("incoming_bandwidth", ntohl(connect->incomingBandwidth));
    record_number("outgoing_bandwidth", ntohl(connect->outgoingBandwidth));
    record_number("throttle_interval", ntohl(connect->packetThrottleInterval));
    record_number("throttle_acceleration", ntohl(connect->packetThrottleAcceleration));
    record_number("throttle_deceleration", ntohl(connect->packetThrottleDeceleration));
    record_bytes("connect_id", &connect->connectID, sizeof connect->connectID); // libenet never swaps its bytes
    if (has_data)
        record_number("data", ntohl(connect->data));
}

static uint16_t record_fragment(const ENetProtocolSendFragment *fragment)
{
    record_number("start_sequence", ntohs(fragment->startSequenceNumber));
    record_number("fragment_count", ntohl(fragment->fragmentCount));
    record_number("fragment_number", ntohl(fragment->fragmentNumber));
    record_number("total_length", ntohl(fragment->totalLength));
    record_number("fragment_offset", ntohl(fragment->fragmentOffset));
    return ntohs(fragment->dataLength);
}

// The fields that are the command's own; returns the length of its payload.
static uint16_t record_fields(const ENetProtocol *command, unsigned number)
{
    switch (number) {
    case ENET_PROTOCOL_COMMAND_ACKNOWLEDGE:
        record_number("acknowledged_sequence", ntohs(command->acknowledge.receivedReliableSequenceNumber));
        record_number("acknowledged_sent_time", ntohs(command->acknowledge.receivedSentTime));
        return 0;
    case ENET_PROTOCOL_COMMAND_CONNECT:
    case ENET_PROTOCOL_COMMAND_VERIFY_CONNECT:
        record_connect(command, number == ENET_PROTOCOL_COMMAND_CONNECT);
        return 0;
    case ENET_PROTOCOL_COMMAND_DISCONNECT:
        record_number("data", ntohl(command->disconnect.data));
        return 0;
    case ENET_PROTOCOL_COMMAND_SEND_RELIABLE:
        return ntohs(command->sendReliable.dataLength);
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE:
        record_number("unreliable_sequence", ntohs(command->sendUnreliable.unreliableSequenceNumber));
        return ntohs(command->sendUnreliable.dataLength);
    case ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED:
        record_number("unsequenced_group", ntohs(command->sendUnsequenced.unsequencedGroup));
        return ntohs(command->sendUnsequenced.dataLength);
    case ENET_PROTOCOL_COMMAND_SEND_FRAGMENT:
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE_FRAGMENT:
        return record_fragment(&command->sendFragment);
    case ENET_PROTOCOL_COMMAND_BANDWIDTH_LIMIT:
        record_number("incoming_bandwidth", ntohl(command->bandwidthLimit.incomingBandwidth));
        record_number("outgoing_bandwidth", ntohl(command->bandwidthLimit.outgoingBandwidth));
        return 0;
    case ENET_PROTOCOL_COMMAND_THROTTLE_CONFIGURE:
        record_number("throttle_interval", ntohl(command->throttleConfigure.packetThrottleInterval));
        record_number("throttle_acceleration", ntohl(command->throttleConfigure.packetThrottleAcceleration));
        record_number("throttle_deceleration", ntohl(command->throttleConfigure.packetThrottleDeceleration));
        return 0;
    default:
        return 0;
    }
}

// One command, the payload taken from the uncompressed bytes after it; returns its whole size.
static size_t record_command(const ENetProtocol *command, const uint8_t *plain, size_t left)
{
    unsigned flags = command->header.command;
    unsigned number = flags & ENET_PROTOCOL_COMMAND_MASK;
    size_t size = command_sizes[number];
    fprintf(output, "{\"command\":\"%s\",\"number\":%u,\"acknowledge\":%s,\"unsequenced\":%s", command_names[number],
            number, flags & ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE ? "true" : "false",
            flags & ENET_PROTOCOL_COMMAND_FLAG_UNSEQUENCED ? "true" : "false");
    record_number("channel", command->header.channelID);
    record_number("sequence", ntohs(command->header.reliableSequenceNumber));
    uint16_t length = record_fields(command, number);
    if (size + length > left) {
        fputs("recorder: commands and bytes do not agree\n", stderr);
        exit(1);
    }
    if (number >= ENET_PROTOCOL_COMMAND_SEND_RELIABLE && number != ENET_PROTOCOL_COMMAND_BANDWIDTH_LIMIT &&
        number != ENET_PROTOCOL_COMMAND_THROTTLE_CONFIGURE) {
        record_number("length", length);
        record_bytes("payload", plain + size, length);
    }
    fputc('}', output);
    return size + length;
}

static void record_commands(const ENetHost *host, const known_host *known)
{
    size_t at = 0;
    fputs(",\"commands\":[", output);
    for (size_t i = 0; i < host->commandCount; ++i) {
        if (i > 0)
            fputc(',', output);
        at += record_command(&host->commands[i], known->plain + at, known->plain_length - at);
    }
    fputc(']', output);
    if (at != known->plain_length) {
        fputs("recorder: bytes after the last command\n", stderr);
        exit(1);
    }
}

// ---- datagrams -----------------------------------------------------------------------------------

static size_t gather(const ENetBuffer *buffers, size_t count, uint8_t *bytes)
{
    size_t length = 0;
    for (size_t i = 0; i < count; ++i) {
        if (buffers[i].dataLength > MAX_PLAIN - length)
            return length;
        memcpy(bytes + length, buffers[i].data, buffers[i].dataLength);
        length += buffers[i].dataLength;
    }
    return length;
}

// The first buffer is the header: peer id with its flags, sent time, checksum; the rest is the commands.
static void record_datagram(known_host *known, const ENetAddress *to, const ENetBuffer *buffers, size_t count, int sent)
{
    const ENetHost *host = known->host;
    const uint8_t *header = buffers[0].data;
    unsigned flags = (unsigned)header[0] << 8 | header[1];
    bool timed = flags & ENET_PROTOCOL_HEADER_FLAG_SENT_TIME;
    bool compressed = flags & ENET_PROTOCOL_HEADER_FLAG_COMPRESSED;
    ENetAddress from = { 0, 0 };

    enet_socket_get_address(host->socket, &from);
    if (from.host == ENET_HOST_ANY)
        from.host = htonl(INADDR_LOOPBACK);
    record_begin("datagram", host);
    record_address("from", &from);
    record_address("to", to);
    fprintf(output, ",\"length\":%d", sent);
    record_number("peer", flags & ENET_PROTOCOL_MAXIMUM_PEER_ID);
    record_number("session", (flags & ENET_PROTOCOL_HEADER_SESSION_MASK) >> ENET_PROTOCOL_HEADER_SESSION_SHIFT);
    if (timed)
        record_number("sent_time", (unsigned)header[2] << 8 | header[3]);
    if (host->checksum)
        record_bytes("checksum", header + (timed ? 4 : 2), sizeof(enet_uint32));
    fprintf(output, ",\"compressed\":%s", compressed ? "true" : "false");
    if (compressed)
        record_bytes("plain", known->plain, known->plain_length);
    else
        known->plain_length = gather(buffers + 1, count - 1, known->plain);
    record_commands(host, known);
    record_end();
}

// ---- libenet's functions, with a record ----------------------------------------------------------

static void *original(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "recorder: libenet has no %s\n", name);
        exit(1);
    }
    return function;
}

// ISO C has no cast from an object's address to a function's; POSIX has dlsym all the same.
#define ORIGINAL(function) __extension__((__typeof__(&function))original(#function))

ENetHost *enet_host_create(const ENetAddress *address, size_t peers, size_t channels, enet_uint32 incoming,
                           enet_uint32 outgoing)
{
    const char *name = getenv("GAMEWIRE_NAME");
    ENetHost *host = ORIGINAL(enet_host_create)(address, peers, channels, incoming, outgoing);
    if (host) {
        known_host *known = find(NULL);
        memset(known, 0, sizeof *known);
        known->host = host;
        record_name_host(host, name ? name : "");
    }
    return host;
}

void enet_host_destroy(ENetHost *host)
{
    if (!host)
        return;
    known_host *known = find(host);
    ORIGINAL(enet_host_destroy)(host);
    known->host = NULL;
}

int enet_socket_send(ENetSocket socket, const ENetAddress *to, const ENetBuffer *buffers, size_t count)
{
    int sent = ORIGINAL(enet_socket_send)(socket, to, buffers, count);
    known_host *known = find_by_socket(socket);
    // A host's own datagrams begin with a buffer for the header; an application's (Godot's hole punching) do not.
    if (known && sent > 0 && buffers == known->host->buffers)
        record_datagram(known, to, buffers, count, sent);
    return sent;
}

static size_t ENET_CALLBACK compress(void *context, const ENetBuffer *buffers, size_t count, size_t length,
                                     enet_uint8 *out, size_t limit)
{
    known_host *known = context;
    known->plain_length = gather(buffers, count, known->plain);
    return known->compressor.compress(known->compressor.context, buffers, count, length, out, limit);
}

static size_t ENET_CALLBACK decompress(void *context, const enet_uint8 *in, size_t length, enet_uint8 *out,
                                       size_t limit)
{
    known_host *known = context;
    return known->compressor.decompress(known->compressor.context, in, length, out, limit);
}

static void ENET_CALLBACK destroy(void *context)
{
    known_host *known = context;
    if (known->compressor.destroy)
        known->compressor.destroy(known->compressor.context);
}

void enet_host_compress(ENetHost *host, const ENetCompressor *compressor)
{
    if (!compressor) {
        ORIGINAL(enet_host_compress)(host, NULL);
        return;
    }
    known_host *known = find(host);
    known->compressor = *compressor;
    ENetCompressor wrapped = { known, compress, decompress, destroy };
    ORIGINAL(enet_host_compress)(host, &wrapped);
}
