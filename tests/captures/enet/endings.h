// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scenarios of connections that end or wait for a reason.

#ifndef GAMEWIRE_CAPTURE_ENDINGS_H
#define GAMEWIRE_CAPTURE_ENDINGS_H

void timeout(void);
void refused(void);
void disconnect_drops(void);
void disconnect_crosses(void);
void closed_port(void);
void forgotten(void);
void one_way(void);
void blocked_hosts(void);
void delayed(void);
void not_read(void);
void ip_fragments(void);

#endif
