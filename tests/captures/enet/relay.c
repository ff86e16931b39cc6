// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#include "relay.h"

#include "recorder.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_WAITING = 4096,
    MAX_DATAGRAM = 4096,
    NSEC_PER_USEC = 1000,
    USEC_PER_MSEC = 1000,
    USEC_PER_SEC = 1000000,
};

typedef enum { TO_SERVER, TO_CLIENT, DIRECTIONS } direction;

static const char *const direction_names[DIRECTIONS] = { "to_server", "to_client" };

typedef struct {
    bool used;
    direction way;
    uint32_t serial; // the datagram's number in its direction, from 1
    unsigned copy;   // 1, or 2 for a duplicate
    uint64_t due;    // microseconds
    size_t length;
    uint8_t bytes[MAX_DATAGRAM];
} waiting;

struct relay {
    uint16_t port;                          // the one that it listens on, its name in what is written
    int sockets[DIRECTIONS];                // where datagrams of a direction arrive
    struct sockaddr_storage to[DIRECTIONS]; // where they go
    socklen_t to_length[DIRECTIONS];
    relay_weather weather;
    uint64_t random;
    uint32_t serials[DIRECTIONS];
    uint64_t latest[DIRECTIONS]; // when the last datagram that keeps its turn is due
    waiting queue[MAX_WAITING];
};

static uint64_t now_usec(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * USEC_PER_SEC + (uint64_t)now.tv_nsec / NSEC_PER_USEC;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static socklen_t loopback(struct sockaddr_storage *address, uint16_t port, bool v6)
{
    memset(address, 0, sizeof *address);
    if (v6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(port);
        in6->sin6_addr = in6addr_loopback;
        return sizeof *in6;
    }
    struct sockaddr_in *in = (struct sockaddr_in *)address;
    in->sin_family = AF_INET;
    in->sin_port = htons(port);
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return sizeof *in;
}

static int bound_socket(uint16_t port, bool v6)
{
    struct sockaddr_storage address;
    socklen_t length = loopback(&address, port, v6);
    int socket_number = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
    if (socket_number < 0 || bind(socket_number, (struct sockaddr *)&address, length) != 0 ||
        fcntl(socket_number, F_SETFL, O_NONBLOCK) != 0)
        fail("relay");
    return socket_number;
}

relay *relay_create(uint16_t listen_port, bool listen_v6, uint16_t onward_port, uint16_t server_port, bool onward_v6)
{
    relay *self = calloc(1, sizeof *self);
    if (!self)
        fail("relay");
    self->port = listen_port;
    self->sockets[TO_SERVER] = bound_socket(listen_port, listen_v6);
    self->sockets[TO_CLIENT] = bound_socket(onward_port, onward_v6);
    self->to_length[TO_SERVER] = loopback(&self->to[TO_SERVER], server_port, onward_v6);
    return self;
}

void relay_set_weather(relay *self, const relay_weather *weather)
{
    self->weather = *weather;
    self->random = weather->seed;
}

void relay_destroy(relay *self)
{
    close(self->sockets[TO_SERVER]);
    close(self->sockets[TO_CLIENT]);
    free(self);
}

// splitmix64
static uint64_t next_random(relay *self)
{
    uint64_t x = self->random += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static bool chance(relay *self, unsigned thousandths)
{
    return next_random(self) % 1000 < thousandths;
}

static waiting *free_slot(relay *self)
{
    for (size_t i = 0; i < MAX_WAITING; ++i) {
        if (!self->queue[i].used)
            return &self->queue[i];
    }
    fputs("relay: too many datagrams wait\n", stderr);
    exit(1);
}

static uint64_t enqueue(relay *self, const waiting *datagram, unsigned copy, uint64_t due)
{
    waiting *slot = free_slot(self);
    *slot = *datagram;
    slot->used = true;
    slot->copy = copy;
    slot->due = due;
    return due;
}

// Decides what becomes of a datagram. All chances are drawn for each, so that one decision does not shift the next.
static void decide(relay *self, waiting *datagram)
{
    const relay_weather *weather = &self->weather;
    uint64_t now = now_usec();
    bool dropped = chance(self, weather->drop + (datagram->way == TO_SERVER ? weather->drop_to_server : 0));
    bool duplicated = chance(self, weather->duplicate);
    bool reordered = chance(self, weather->reorder);
    unsigned span = (weather->delay_max - weather->delay_min) * USEC_PER_MSEC;
    uint64_t due = now + weather->delay_min * USEC_PER_MSEC + next_random(self) % (span + 1);
    FILE *file = record_file();

    if (reordered) {
        due += weather->reorder_delay * USEC_PER_MSEC;
    } else {
        if (due <= self->latest[datagram->way])
            due = self->latest[datagram->way] + 1;
        if (!dropped)
            self->latest[datagram->way] = due;
    }
    record_begin("relay", NULL);
    fprintf(
        file,
        ",\"relay\":%u,\"direction\":\"%s\",\"serial\":%u,\"length\":%zu,\"fate\":\"%s\",\"reordered\":%s,\"delays\":[",
        self->port, direction_names[datagram->way], datagram->serial, datagram->length,
        dropped      ? "dropped"
        : duplicated ? "duplicated"
                     : "delivered",
        reordered && !dropped ? "true" : "false");
    if (!dropped)
        fprintf(file, "%.3f", (double)(enqueue(self, datagram, 1, due) - now) / USEC_PER_MSEC);
    if (!dropped && duplicated) {
        due += weather->delay_min * USEC_PER_MSEC / 2 + 1;
        fprintf(file, ",%.3f", (double)(enqueue(self, datagram, 2, due) - now) / USEC_PER_MSEC);
    }
    fputc(']', file);
    record_end();
}

static void take(relay *self, direction way)
{
    waiting datagram = { .way = way };
    struct sockaddr_storage from;
    socklen_t from_length = sizeof from;
    ssize_t length;
    while ((length = recvfrom(self->sockets[way], datagram.bytes, sizeof datagram.bytes, 0, (struct sockaddr *)&from,
                              &from_length)) >= 0) {
        if (way == TO_SERVER) {
            self->to[TO_CLIENT] = from;
            self->to_length[TO_CLIENT] = from_length;
        }
        datagram.length = (size_t)length;
        datagram.serial = ++self->serials[way];
        decide(self, &datagram);
        from_length = sizeof from;
    }
}

static waiting *first_due(relay *self, uint64_t now)
{
    waiting *first = NULL;
    for (size_t i = 0; i < MAX_WAITING; ++i) {
        waiting *slot = &self->queue[i];
        if (slot->used && slot->due <= now && (!first || slot->due < first->due))
            first = slot;
    }
    return first;
}

void relay_service(relay *self)
{
    waiting *datagram;
    take(self, TO_SERVER);
    take(self, TO_CLIENT);
    while ((datagram = first_due(self, now_usec()))) {
        direction way = datagram->way;
        // Sent from the socket on which the other direction arrives.
        if (sendto(self->sockets[way == TO_SERVER ? TO_CLIENT : TO_SERVER], datagram->bytes, datagram->length, 0,
                   (struct sockaddr *)&self->to[way], self->to_length[way]) < 0)
            fail("relay");
        record_begin("relayed", NULL);
        fprintf(record_file(), ",\"relay\":%u,\"direction\":\"%s\",\"serial\":%u,\"copy\":%u", self->port,
                direction_names[way], datagram->serial, datagram->copy);
        record_end();
        datagram->used = false;
    }
}
