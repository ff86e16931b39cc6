# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The addon in the editor of Godot 4, without a window: when it asks, what it writes, and a game that it captures.

The project is godot_addon; its other addon, `driver`, does what a person does. Instead of Wireshark, the addon starts dumpcap with
the same arguments. The engine is `godot`, or what GAMEWIRE_GODOT names.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import gamewire_tshark as tshark

ENGINE = os.environ.get("GAMEWIRE_GODOT") or shutil.which("godot")
NO_ENGINE = ENGINE is None or not subprocess.run([ENGINE, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout.startswith("4.")
ADDON = tshark.SOURCE / "plugin" / "tools" / "addons" / "gamewire"
PORT = 45710
TIMEOUT = 120

# What the addon starts in place of Wireshark: its options for the capture are dumpcap's.
RECORDER = """#!/bin/sh
printf '%s\n' "$@" >"$RECORDER_FILES/arguments"
echo $$ >"$RECORDER_FILES/pid"
options=
while [ $# -gt 0 ]; do
    case $1 in
    -C | -o) shift ;;
    -k) ;;
    *) break ;;
    esac
    shift
done
[ "$1" = -f ] || exit 1
exec >/dev/null 2>&1
exec dumpcap -q "$1" "$2" "$3" "$4" "$5" "$6"
"""

METHODS = ["greet", "take_damage"]


def row_of_methods(*methods):
    return f'"res://world.gd","{",".join(methods)}","{hashlib.md5("".join(methods).encode()).hexdigest()}"'


NAMES = [row_of_methods(*METHODS)]
PROPERTIES = [f'"{kind}","res://world.tscn","World/Hero/Synchronizer","World/Hero","position","Vector2"' for kind in ("spawn", "sync")]
PORTS = [f"decode_as_entry: {table},{port},(none),{name}"
         for port in (PORT, 45712) for table, name in (("udp.port", "ENet"), ("enet.port", "GodotMP"))]

pytestmark = pytest.mark.skipif(NO_ENGINE, reason="Godot 4 is missing")


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """The project as the editor has imported it; starting the editor takes seconds, and so do its other runs."""
    folder = tmp_path_factory.mktemp("imported")
    shutil.copytree(Path(__file__).with_name("godot_addon"), folder / "project")
    shutil.copytree(ADDON, folder / "project" / "addons" / "gamewire")
    engine(folder, "--import")
    return folder


@pytest.fixture
def project(imported, tmp_path):
    """The folder of a copy of the project, of the settings and of what is written."""
    shutil.copytree(imported, tmp_path, dirs_exist_ok=True)
    return tmp_path


def engine(folder, *arguments, **env):
    done = subprocess.run(
        [ENGINE, "--headless", "--path", folder / "project", *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "config"), "LC_ALL": "C.UTF-8",
             "RECORDER_FILES": str(folder), **env},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def editor(folder, *steps, **env):
    return engine(folder, "--editor", DRIVER_STEPS=",".join(steps), **env)


def rows(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_names_and_ports_are_written_after_a_save_and_a_run(project):
    profile = project / "profile"
    profile.mkdir()
    (profile / "decode_as_entries").write_text("decode_as_entry: udp.port,9999,(none),ENet\n"
                                               f"decode_as_entry: udp.port,{PORT},(none),DNS\n", encoding="utf-8")
    said = editor(project, "save", "rename_method", "run", "add_broken_script", "save", GAMEWIRE_PROFILE=str(profile))
    assert [line for line in said.splitlines() if line.startswith("driver:")] == [
        "driver: saved, written true", f"driver: had {NAMES[0]}", "driver: run, written true", "driver: saved, written false"], said
    assert "rpc_names.gd: the port at res://net.gd:32 is not a number" in said
    assert "rpc_names.gd: cannot load res://broken.gd" in said
    # Also what the last save wrote, whose error is in one script.
    assert rows(profile / "godot_rpc_names") == [row_of_methods("greet", "take_hit")]
    assert rows(profile / "godot_rpc_properties") == PROPERTIES
    assert rows(profile / "decode_as_entries") == ["decode_as_entry: udp.port,9999,(none),ENet", *PORTS]


def test_the_script_alone_writes_the_same(project):
    """As in CI: without the editor, and outside of the project."""
    profile = project / "profile"
    profile.mkdir()
    shutil.rmtree(project / "project" / "addons" / "gamewire")
    said = engine(project, "--script", ADDON / "rpc_names.gd", "--", profile)
    assert "rpc_names.gd: wrote 4 rows (4 of them for this project's ports)" in said, said
    assert (rows(profile / "godot_rpc_names"), rows(profile / "godot_rpc_properties")) == (NAMES, PROPERTIES)
    assert rows(profile / "decode_as_entries") == PORTS


def test_an_engine_that_does_not_tell_rpc_methods_writes_the_rest_and_says_why(project):
    """As in 4.3: the engine lacks the method."""
    profile = project / "profile"
    profile.mkdir()
    (profile / "godot_rpc_names").write_text("kept\n", encoding="utf-8")
    writer = project / "project" / "addons" / "gamewire" / "names.gd"
    text = writer.read_text(encoding="utf-8")
    writer.write_text(text.replace('RPC_CONFIG := "get_rpc_config"', 'RPC_CONFIG := "get_rpc_config_of_4_4"'), encoding="utf-8")
    said = editor(project, "save", GAMEWIRE_PROFILE=str(profile))
    assert "driver: saved, written false" in said
    assert said.count("does not tell which methods of a script are RPC methods (Script.get_rpc_config_of_4_4, from 4.4 on)") == 1, said
    assert "SCRIPT ERROR" not in said and "Parse Error" not in said
    assert rows(profile / "godot_rpc_names") == ["kept"]
    assert (rows(profile / "godot_rpc_properties"), rows(profile / "decode_as_entries")) == (PROPERTIES, PORTS)
    assert not list((project / "home").rglob("gamewire-*.gd"))


# ---- a captured game -------------------------------------------------------------------------------------


def captured(project):
    """The capture, which has ended. The addon asks for the profile, is refused, does not ask again, and then gets the answer to write."""
    recorder = project / "wireshark"
    recorder.write_text(RECORDER, encoding="utf-8")
    recorder.chmod(0o755)
    said = editor(project, "asks", "refuse", "save_without_names")
    assert "driver: asks true" in said, said
    assert not (project / "config" / "wireshark").exists()
    said = editor(project, "asks", "choose_profile", "accept", "capture", GAMEWIRE_WIRESHARK=str(recorder))
    assert "driver: asks false" in said and "driver: captured" in said, said
    process = int((project / "pid").read_text())
    os.kill(process, signal.SIGTERM)
    for _ in range(100):
        if not Path(f"/proc/{process}").exists():
            break
        time.sleep(0.1)
    (recording,) = (project / "home").rglob("captures/game-*.pcapng")
    return recording


def decoded(recording, config, *arguments):
    """With the profile that the addon wrote, and without any option."""
    return tshark.run(["-2", "-C", "Gamewire", *arguments], recording, env={"WIRESHARK_CONFIG_DIR": str(tshark.readable(config))}).stdout


@pytest.mark.skipif(NO_ENGINE or subprocess.run(["dumpcap", "-D"], capture_output=True, check=False).returncode != 0,
                    reason="no right to capture")
def test_the_profile_is_asked_for_once_and_a_captured_game_is_read_with_names_and_no_setting(project):
    recording = captured(project)
    assert (project / "arguments").read_text().splitlines() == [
        "-C", "Gamewire", "-k", "-f", f"udp port {PORT} or udp port 45712", "-i", "lo", "-w", str(recording),
        "-o", f"tls.keylog_file:{recording.parent / 'keys.txt'}"]

    config = project / "config" / "wireshark"
    info = decoded(recording, config, "-T", "fields", "-e", "_ws.col.Info")
    assert 'RPC greet("hello") on World' in info.replace("\\", "")
    assert "RPC take_damage(5, 0.5) on World" in info
    updates = decoded(recording, config, "-Y", 'godot_mp.sync.property == "position"', "-T", "fields", "-e", "godot_mp.sync.path")
    assert set(updates.split()) == {"World/Hero/Synchronizer"}

    # The rows of Decode As alone do what recognition does. On a busy machine a call is sent again before it is acknowledged.
    first = "godot_mp.rpc.method && !enet.analysis.resend_number"
    without = ["--disable-heuristic", "enet_udp", "-T", "fields", "-e", "godot_mp.rpc.method", "-Y", first]
    assert decoded(recording, config, *without).split() == METHODS
    no_rows = shutil.copytree(config, project / "no_rows")
    (no_rows / "profiles" / "Gamewire" / "decode_as_entries").unlink()
    assert decoded(recording, no_rows, *without) == ""
