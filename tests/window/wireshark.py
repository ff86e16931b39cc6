# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's window, used through AT-SPI: menus and buttons are pressed by name, tables and texts are read."""

import os
import re
import shutil
import time
from pathlib import Path

import gi

import desktop
import gamewire_tshark

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # only after the line above

# Lines of stderr that have nothing to do with a plugin: no wireless devices, no OpenGL.
HARMLESS = re.compile(r"nl80211 not found\.|.*(MESA|libEGL|libGL|XDG_|QStandardPaths|dconf|glx).*")


class Gone(desktop.WindowError):
    """Wireshark ended."""


def children(node):
    """The children of a node. One that is deleted in the meantime is left out."""
    found = (node.get_child_at_index(index) for index in range(node.get_child_count()))
    return [child for child in found if child is not None]


def is_enabled(node):
    return node.get_state_set().contains(Atspi.StateType.SENSITIVE)


def text_of(node):
    """A node's name without the keys that Wireshark adds to it, as in "Reload (Ctrl+R)"."""
    return (node.get_name() or "").replace("&", "").strip()


def descendants(node, roles=None, inside_tables=False):
    """All nodes below one, breadth first. The cells of tables are many, and are read by rows()."""
    level = [node]
    while level:
        below = []
        for parent in level:
            if parent.get_role_name() not in ("tree", "table", "list") or inside_tables or parent is node:
                below += children(parent)
        yield from (child for child in below if roles is None or child.get_role_name() in roles)
        level = below


def rows(table):
    """The column titles of a table or tree, and its rows: texts, without empty ones at the end."""
    titles, cells = [], []
    for child in children(table):
        role = child.get_role_name()
        if "header" in role:
            titles.append(text_of(child))
        elif "cell" in role or role == "tree item":
            cells.append(child.get_name() or "")
    width = len(titles) or 1
    return titles, [tuple(cells[start : start + width]) for start in range(0, len(cells), width)]


class Wireshark:
    """A running Wireshark, with the profile "Gamewire" and a capture."""

    def __init__(self, screen, capture=None, options=(), recent=()):
        self.screen = screen
        self.config = screen.folder / "home" / f"config-{time.monotonic_ns()}"
        self._write_settings(recent)
        self.log = screen.folder / f"{self.config.name}.log"
        screen.env["WIRESHARK_CONFIG_DIR"] = str(self.config)
        # No question whether to save packets, no search for a newer version.
        command = ["wireshark", "-C", "Gamewire", "-o", "gui.update.enabled:FALSE", "-o", "gui.ask_unsaved:FALSE", *options]
        if capture:
            command += ["-r", str(capture)]
        with open(self.log, "wb") as log:
            self.process = screen.run(*command, stderr=log)
        Atspi.set_timeout(3000, 3000)
        self.app = self.wait(self._find_app, "Wireshark's start")
        self.main = self.window(Path(capture).name if capture else "The Wireshark Network Analyzer")

    def _write_settings(self, recent):
        profiles = self.config / "profiles"
        profiles.mkdir(parents=True)
        shutil.copytree(gamewire_tshark.SOURCE / "plugin" / "profile" / "Gamewire", profiles / "Gamewire")
        lines = "".join(f"recent.capture_file: {capture}\n" for capture in recent)
        (self.config / "recent_common").write_text(lines, encoding="utf-8")
        if gamewire_tshark.is_root():
            for path in (self.config, *self.config.rglob("*")):
                os.chown(path, gamewire_tshark.NOBODY, gamewire_tshark.NOBODY)

    # ---- the process -----------------------------------------------------------------------------

    def is_alive(self):
        return self.process.poll() is None

    def check(self):
        """Raises Gone with what Wireshark printed, if it has ended."""
        if not self.is_alive():
            raise Gone(f"Wireshark ended with status {self.process.returncode}:\n{self.printed()}")

    def _may_end(self):
        """After an action without an answer: a process that crashes takes a moment to end."""
        end = time.monotonic() + 0.5
        while self.is_alive() and time.monotonic() < end:
            time.sleep(0.02)

    def printed(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def warnings(self):
        """What Wireshark printed, without lines that are printed without the plugin, too."""
        return [line for line in self.printed().splitlines() if line.strip() and not HARMLESS.fullmatch(line.strip())]

    def stop(self):
        self.process.kill()
        self.process.wait()

    def wait(self, condition, what, timeout=desktop.TIMEOUT):
        """The result of `condition` as soon as it is true. An error means that a node is gone: asked again."""

        def asked():
            try:
                return condition()
            except GLib.Error:
                return None

        return desktop.wait_for(asked, what, timeout, self.check)

    # ---- windows ---------------------------------------------------------------------------------

    def _find_app(self):
        root = Atspi.get_desktop(0)
        return next((app for app in children(root) if app.get_process_id() == self.process.pid), None)

    def titles(self):
        return [window.get_name() or "" for window in children(self.app)]

    def window(self, title):
        """Waits for the newest window whose title contains a text."""

        def find():
            found = [window for window in children(self.app) if title in (window.get_name() or "")]
            return found[-1] if found else None

        try:
            return self.wait(find, f'the window "{title}"')
        except Gone:
            raise
        except desktop.WindowError as error:
            raise desktop.WindowError(f"{error}; there are {self.titles()}") from None

    def close(self, window):
        """Closes a dialog with its button, and waits until it is gone."""
        title = window.get_name()
        self.press(self.find(window, ("Close", "Cancel"), "push button"))
        self.wait(lambda: title not in self.titles(), f'the end of the window "{title}"')

    # ---- what is in a window ---------------------------------------------------------------------

    def find(self, node, names, *roles):
        """The first node below one with one of some names, and with a role."""
        names = (names,) if isinstance(names, str) else names
        return self.wait(
            lambda: next((child for child in descendants(node, roles) if text_of(child) in names), None),
            f"{' or '.join(names)} in {node.get_name()!r}")

    def table(self, window, index=0):
        """The table or tree of a window that has column titles; see rows()."""

        def find():
            found = [node for node in descendants(window, ("tree", "table", "tree table"))]
            return found[index] if len(found) > index else None

        return self.wait(find, f"a table in {window.get_name()!r}")

    def press(self, node):
        """Does what a click does, as soon as the node is enabled. Where that opens a modal window there may be no answer
        until it is closed."""
        self.wait(lambda: is_enabled(node), f"the enabled {node.get_name()!r}")
        try:
            Atspi.Action.do_action(node, 0)
        except GLib.Error:
            self._may_end()
        self.check()

    def menu(self, *path):
        """Chooses an item of the main menu."""
        self.press(self.menu_item(*path))

    def menu_item(self, *path):
        node = next(child for child in children(self.main) if child.get_role_name() == "menu bar")
        for name in path:
            if node.get_role_name() == "menu item":
                node = self.wait(lambda parent=node: next(iter(children(parent)), None), f"the menu of {text_of(node)}")
            node = self.wait(
                lambda parent=node, wanted=name: next((item for item in children(parent) if text_of(item) == wanted), None),
                f"the menu item {' > '.join(path)}")
        return node
