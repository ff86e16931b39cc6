// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/* UDP over loopback: SFML's socket for IPv4, as the engine has it, a plain one for IPv6, which SFML lacks. */
#ifndef LEVIATHAN_CAPTURES_TRANSPORT_H
#define LEVIATHAN_CAPTURES_TRANSPORT_H

#include <SFML/Network/Packet.h>
#include <SFML/Network/UdpSocket.h>
#include <stdbool.h>
#include <stdint.h>

struct station {
    bool ipv6;
    uint16_t port;
    sfUdpSocket *socket; /* IPv4 */
    int descriptor;      /* IPv6 */
    char name[32];       /* address and port */
};

/* These end the program with a message when the network refuses. */
void station_open(struct station *station, bool ipv6, uint16_t port);
void station_close(struct station *station);

/* Sends one datagram and takes it out again at the other end, where it must be the same. */
void station_deliver(struct station *from, struct station *to, const sfPacket *packet);

#endif
