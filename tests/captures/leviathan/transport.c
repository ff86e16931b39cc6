// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#define _POSIX_C_SOURCE 200809L

#include "transport.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LARGEST_DATAGRAM = 65507 };

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "leviathan-traffic: %s failed\n", what);
    exit(EXIT_FAILURE);
}

static struct sockaddr_in6 loopback6(uint16_t port)
{
    return (struct sockaddr_in6){
        .sin6_family = AF_INET6,
        .sin6_port = htons(port),
        .sin6_addr = IN6ADDR_LOOPBACK_INIT,
    };
}

static void open_ipv6(struct station *station)
{
    struct sockaddr_in6 address = loopback6(station->port);

    station->descriptor = socket(AF_INET6, SOCK_DGRAM, 0);
    require(station->descriptor >= 0, "IPv6 socket");
    require(bind(station->descriptor, (struct sockaddr *)&address, sizeof(address)) == 0, "IPv6 bind");
}

static void open_ipv4(struct station *station)
{
    station->socket = sfUdpSocket_create();
    require(sfUdpSocket_bind(station->socket, station->port, sfIpAddress_LocalHost) == sfSocketDone, "bind");
}

void station_open(struct station *station, bool ipv6, uint16_t port)
{
    *station = (struct station){ .ipv6 = ipv6, .port = port, .descriptor = -1 };
    snprintf(station->name, sizeof(station->name), ipv6 ? "[::1]:%u" : "127.0.0.1:%u", (unsigned)port);
    if (ipv6)
        open_ipv6(station);
    else
        open_ipv4(station);
}

void station_close(struct station *station)
{
    if (station->socket != NULL)
        sfUdpSocket_destroy(station->socket);
    if (station->descriptor >= 0)
        close(station->descriptor);
}

static size_t deliver_ipv6(struct station *from, struct station *to, const void *bytes, size_t size, void *out)
{
    struct sockaddr_in6 address = loopback6(to->port);
    ssize_t count = sendto(from->descriptor, bytes, size, 0, (struct sockaddr *)&address, sizeof(address));

    require(count == (ssize_t)size, "IPv6 send");
    count = recv(to->descriptor, out, LARGEST_DATAGRAM, 0);
    require(count >= 0, "IPv6 receive");
    return (size_t)count;
}

static size_t deliver_ipv4(struct station *from, struct station *to, const void *bytes, size_t size, void *out)
{
    sfIpAddress sender;
    unsigned short port;
    size_t received = 0;

    require(sfUdpSocket_send(from->socket, bytes, size, sfIpAddress_LocalHost, to->port) == sfSocketDone, "send");
    require(sfUdpSocket_receive(to->socket, out, LARGEST_DATAGRAM, &received, &sender, &port) == sfSocketDone,
            "receive");
    return received;
}

void station_deliver(struct station *from, struct station *to, const sfPacket *packet)
{
    static unsigned char arrived[LARGEST_DATAGRAM];
    const void *bytes = sfPacket_getData(packet);
    size_t size = sfPacket_getDataSize(packet);
    size_t received =
        from->ipv6 ? deliver_ipv6(from, to, bytes, size, arrived) : deliver_ipv4(from, to, bytes, size, arrived);

    require(received == size && memcmp(bytes, arrived, size) == 0, "equal delivery");
}
