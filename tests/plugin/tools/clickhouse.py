# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers of ClickHouse on the loopback interface, in a folder of their own, started and ended by the test.

    with Cluster(folder, 2) as cluster:
        cluster.query("SELECT 1")          the rows, as dictionaries
        cluster.execute("CREATE ...")      on every server
        cluster.urls                       of the servers' HTTP interface
"""

import json
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

NAME = "gamewire"

CONFIG = """<?xml version="1.0"?>
<yandex>
    <logger><level>error</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
    <listen_host>127.0.0.1</listen_host>
    <http_port>{http}</http_port>
    <tcp_port>{tcp}</tcp_port>
    <path>{folder}/data/</path>
    <tmp_path>{folder}/tmp/</tmp_path>
    <users_config>{folder}/users.xml</users_config>
    <default_profile>default</default_profile>
    <default_database>default</default_database>
    <mark_cache_size>10000000</mark_cache_size>
    <remote_servers><{name}>{shards}</{name}></remote_servers>
</yandex>
"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{port}</port></replica></shard>"
USERS = """<?xml version="1.0"?>
<yandex>
    <profiles><default><insert_distributed_sync>1</insert_distributed_sync></default></profiles>
    <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
    <quotas><default></default></quotas>
</yandex>
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    def __init__(self, folder, servers):
        self.program = shutil.which("clickhouse-server") or shutil.which("clickhouse-server", path="/usr/sbin:/usr/bin")
        if not self.program:
            pytest.skip("clickhouse-server is not installed")
        ports = free_ports(2 * servers)
        self.folder, self.tcp, http = folder, ports[:servers], ports[servers:]
        self.urls = [f"http://127.0.0.1:{port}" for port in http]
        self.running = []

    def __enter__(self):
        shards = "".join(SHARD.format(port=port) for port in self.tcp)
        try:
            for index, url in enumerate(self.urls):
                folder = self.folder / f"server{index}"
                for name in ("data", "tmp"):
                    (folder / name).mkdir(parents=True)
                text = CONFIG.format(folder=folder, http=url.rsplit(":", 1)[1], tcp=self.tcp[index], name=NAME, shards=shards)
                (folder / "config.xml").write_text(text)
                (folder / "users.xml").write_text(USERS)
                with open(folder / "output", "wb") as output:
                    self.running.append(subprocess.Popen([self.program, f"--config-file={folder / 'config.xml'}"], cwd=folder,
                                                         stdin=subprocess.DEVNULL, stdout=output, stderr=output))
            for server, url in enumerate(self.urls):
                self.wait(server, url)
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait(self, server, url):
        for _ in range(300):
            assert self.running[server].poll() is None, (self.folder / f"server{server}" / "output").read_text()[-2000:]
            try:
                with urllib.request.urlopen(url, timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise AssertionError(f"no answer from {url}")

    def __exit__(self, *_):
        for each in self.running:
            each.send_signal(signal.SIGKILL)
            each.wait()

    def send(self, url, sql):
        request = urllib.request.Request(url + "/", sql.encode(), method="POST")
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{error.read().decode()[:1000]}\n{sql}") from None

    def execute(self, statements):
        for url in self.urls:
            for statement in filter(str.strip, statements.split(";")):
                self.send(url, statement)

    def query(self, sql, server=0):
        text = self.send(self.urls[server], sql.strip().rstrip(";") + " FORMAT JSONEachRow")
        return [json.loads(line) for line in text.splitlines()]
