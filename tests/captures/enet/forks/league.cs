/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client and a server of LENet, the library of League of Legends' server emulators, on the loopback interface. Prints
 * what they send and receive.
 *
 *   mcs -r:LENet.dll -out:league.exe league.cs && mono league.exe seasons_1_2 PORT [RELAY_PORT] >RECORD
 *
 * LENet.dll is built with Debian's mcs from a checkout of LeagueSandbox's LENet, whose switches over types were written
 * as switches over the number of the command, as mcs does not have the former. dumpcap records the port meanwhile; with
 * RELAY_PORT that of relay.py, to which the client sends.
 */
using System;
using System.Collections.Generic;
using System.Threading;
using LENet;

static class League
{
    const int Largest = 5000;
    const int Rounds = 400;
    const int LossyRounds = 2000;
    const int LastRounds = 100; // after the disconnection

    static void Print(string what, string host, uint channel, byte[] bytes)
    {
        Console.WriteLine("{{\"what\": \"{0}\", \"host\": \"{1}\", \"channel\": {2}, \"payload\": \"{3}\"}}", what, host,
                          channel, BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant());
    }

    static void Send(Peer peer, string host, byte channel, PacketFlags flags, int length)
    {
        var bytes = new byte[length];
        for (var i = 0; i < length; i++)
            bytes[i] = (byte)(i * 7 + length + channel);
        Print("send", host, channel, bytes);
        peer.Send(channel, new Packet(bytes, flags));
    }

    static void SendAll(Peer peer, string host)
    {
        var kinds = new[] { PacketFlags.RELIABLE, PacketFlags.NONE, PacketFlags.UNSEQUENCED };
        for (byte channel = 0; channel < 3; channel++)
            for (var kind = 0; kind < kinds.Length; kind++)
                Send(peer, host, channel, kinds[kind], 3 + 11 * channel + 5 * kind);
        Send(peer, host, 0, PacketFlags.RELIABLE, Largest);
        Send(peer, host, 1, PacketFlags.NONE, 3000);
    }

    // The peer of a new connection; null: there is none in this round.
    static Peer Serve(Host host, string name)
    {
        Peer peer = null;
        var happened = new Event();
        while (host.HostService(happened, 2) > 0) {
            if (happened.Type == EventType.CONNECT)
                peer = happened.Peer;
            if (happened.Type == EventType.RECEIVE)
                Print("received", name, happened.ChannelID, happened.Packet.Data);
            happened = new Event();
        }
        return peer;
    }

    static void Main(string[] arguments)
    {
        var versions = new Dictionary<string, LENet.Version[]> {
            { "seasons_1_2", new[] { LENet.Version.Seasson12, LENet.Version.Seasson12 } },
            { "seasons_3_4", new[] { LENet.Version.Seasson34, LENet.Version.Seasson34 } },
            { "patch_4_20", new[] { LENet.Version.Patch420, LENet.Version.Patch420 } },
            { "season_8", new[] { LENet.Version.Seasson8_Client, LENet.Version.Seasson8_Server } },
        };
        var version = versions[arguments[0]];
        var port = ushort.Parse(arguments[1]);
        var rounds = arguments.Length > 2 ? LossyRounds : Rounds;
        var server = new Host(version[1], new Address("127.0.0.1", port), 8, 4);
        var client = new Host(version[0], null, 1, 4);
        Console.WriteLine("{\"what\": \"connect\", \"host\": \"client\"}");
        var target = arguments.Length > 2 ? ushort.Parse(arguments[2]) : port;
        var peer = client.Connect(new Address("127.0.0.1", target), 4);
        for (var round = 0; round < rounds; round++) {
            var accepted = Serve(server, "server");
            var connected = Serve(client, "client");
            if (connected != null)
                SendAll(connected, "client");
            if (accepted != null)
                SendAll(accepted, "server");
            if (round == rounds - LastRounds)
                peer.Disconnect(7);
        }
    }
}
