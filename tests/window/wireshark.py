# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's window, used through AT-SPI: menus and buttons are pressed by name, tables and texts are read."""

import itertools
import os
import re
import shutil
import time
from collections import Counter
from pathlib import Path

import gi

import desktop
import gamewire_tshark

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # only after the line above

# Lines of stderr that have nothing to do with a plugin: no wireless devices, no OpenGL, what Qt and the code of the window say.
# A user without the right to capture has no interfaces.
HARMLESS = re.compile(r"nl80211 not found\.|.*\[GUI WARNING\] -- .*|.*(MESA|libEGL|libGL|XDG_|dconf).*"
                      r"|.*\[Capture MESSAGE\] -- .*|.*\[Capture WARNING\] .*There are no interfaces.*")

BUTTON = ("push button", "button")  # of Qt 5 and 6

OPENINGS = 4
OPENING_TIME = 2  # seconds
# A click without an effect is repeated after this many seconds.
CLICKS = 8
CLICK_TIME = 5


def cells(table):
    return [child for child in children(table) if "cell" in child.get_role_name()]


def content(node):
    """The text of a field."""
    return Atspi.Text.get_text(node, 0, Atspi.Text.get_character_count(node))


class Gone(desktop.WindowError):
    """Wireshark ended."""


def children(node):
    """The children of a node. One that is deleted in the meantime is left out."""
    found = (node.get_child_at_index(index) for index in range(node.get_child_count()))
    return [child for child in found if child is not None]


def is_enabled(node):
    return node.get_state_set().contains(Atspi.StateType.SENSITIVE)


def is_showing(node):
    return node.get_state_set().contains(Atspi.StateType.SHOWING)


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
    """A running Wireshark, with the profile "Gamewire" and a capture, or one that captures from a pipe. `title`: of the window to wait
    for, if it is another one."""

    def __init__(self, screen, capture=None, options=(), recent=(), pipe=None, profile="Gamewire", environment=(), title=None):
        self.screen = screen
        self.config = screen.folder / "home" / f"config-{time.monotonic_ns()}"
        self._write_settings(recent, profile)
        self.log = screen.folder / f"{self.config.name}.log"
        screen.env["WIRESHARK_CONFIG_DIR"] = str(self.config)
        # No question whether to save packets, no search for a newer version.
        command = ["wireshark", *(("-C", profile) if profile else ()), "-o", "gui.update.enabled:FALSE", "-o", "gui.ask_unsaved:FALSE", *options]
        if capture:
            command += ["-r", str(capture)]
        title = title or (Path(capture).name if capture else "The Wireshark Network Analyzer")
        if pipe:
            command += ["-k", "-i", str(pipe)]
            title = "Capturing from"
        with open(self.log, "wb") as log:
            self.process = screen.run(*command, stderr=log, env={**screen.env, **screen.preload, **dict(environment)})
        Atspi.set_timeout(3000, 3000)
        self.app = self.wait(self._find_app, "Wireshark's start")
        # What AT-SPI's library keeps would be old: changes are reported to programs with a main loop.
        self.app.set_cache_mask(Atspi.Cache.NONE)
        self.main = self.window(title)

    def _write_settings(self, recent, profile):
        profiles = self.config / "profiles"
        profiles.mkdir(parents=True)
        # Where the profile is installed, later versions select it by themselves.
        if profile != "Default":
            shutil.copytree(gamewire_tshark.SOURCE / "plugin" / "profile" / "Gamewire", profiles / "Gamewire")
        lines = "gui.geometry_main_width: 1366\ngui.geometry_main_height: 768\ngui.geometry_main_maximized: TRUE\n"
        lines += "".join(f"recent.capture_file: {capture}\n" for capture in recent)
        (self.config / "recent_common").write_text(lines, encoding="utf-8")
        if gamewire_tshark.is_root():
            for path in (self.config, *self.config.rglob("*")):
                os.chown(path, gamewire_tshark.NOBODY, gamewire_tshark.NOBODY)

    # ---- the process -----------------------------------------------------------------------------

    def is_alive(self):
        return self.process.poll() is None

    def shows(self, name):
        return self.is_alive() and (self.main.get_name() or "").startswith(name)

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

    def _newest(self, title):
        found = [window for window in children(self.app) if title in (window.get_name() or "")]
        return found[-1] if found else None

    def window(self, title, timeout=desktop.TIMEOUT):
        """Waits for the newest window whose title contains a text."""
        try:
            return self.wait(lambda: self._newest(title), f'the window "{title}"', timeout)
        except Gone:
            raise
        except desktop.WindowError as error:
            raise desktop.WindowError(f"{error}; there are {self.titles()}") from None

    def open(self, title, *path):
        """Chooses an item of the main menu that opens a window, and returns the window. Chooses it again where Qt does not
        list the window, which happens if it has the address in memory of one that was closed; the next one has another."""
        for _ in range(OPENINGS - 1):
            self.menu(*path)
            try:
                return self.window(title, OPENING_TIME)
            except Gone:
                raise
            except desktop.WindowError:
                pass
        self.menu(*path)
        return self.window(title)

    def close(self, window, *names):
        """Closes a dialog with its button, and waits until it is gone."""
        title = window.get_name()
        count = self.titles().count(title)
        self.press(self.find(window, names or ("Close", "Cancel"), *BUTTON))
        self.wait(lambda: self.titles().count(title) < count, f'the end of the window "{title}"')

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

    def described(self, node, descriptions):
        """The first node below one with one of some descriptions, as tools without a text have."""
        descriptions = (descriptions,) if isinstance(descriptions, str) else descriptions
        return self.wait(
            lambda: next((child for child in descendants(node) if child.get_description() in descriptions), None),
            f"{descriptions} in {node.get_name()!r}")

    def click(self, node, times=1):
        """Clicks on a node at its place on the screen, for what cannot be pressed by name."""
        self.wait(lambda: is_showing(node), f"{node.get_name()!r} on the screen")
        place = Atspi.Component.get_extents(node, Atspi.CoordType.SCREEN)
        self.screen.xdotool("mousemove", place.x + min(place.width // 2, 30), place.y + place.height // 2,
                            "click", "--repeat", times, 1)

    def choose_in_context_menu(self, node, *keys):
        """Chooses an item of the menu that a click with the right button opens: AT-SPI has no such menus, so it is chosen with
        keys."""
        self.click(node)
        self.screen.xdotool("click", 3)
        time.sleep(1)  # nothing says that the menu is there
        self.keys(*keys)

    def _filter_box(self):
        return next(child for child in descendants(self.main, ("text",))
                    if (child.get_description() or "").startswith("Apply a display filter"))

    def display_filter(self):
        """The text of the display filter."""
        return content(self._filter_box())

    def apply_filter(self, text):
        box = self._filter_box()
        Atspi.EditableText.set_text_contents(box, text)
        self.click(box)
        self.keys("Return")

    def pixels(self, node):
        """The rows of pixels of a node on the screen, each (red, green, blue)."""
        place = Atspi.Component.get_extents(node, Atspi.CoordType.SCREEN)
        return self.screen.pixels(place.x, place.y, place.width, place.height)

    def shape(self, node):
        """The places of the pixels that differ from a node's background: equal texts have equal ones, whatever their colors."""
        rows = self.pixels(node)
        background, _ = Counter(itertools.chain.from_iterable(rows)).most_common(1)[0]
        return frozenset((x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel != background)

    def colors(self, node):
        """{(red, green, blue): number of pixels} of a node on the screen."""
        return Counter(itertools.chain.from_iterable(self.pixels(node)))

    def click_until(self, node, condition, what, keys=()):
        """Clicks on a node, and presses keys, until a condition is true: a new dialog may not take the first click. What a
        click does is awaited before the next one, which would make it a double click."""
        for _ in range(CLICKS):
            self.click(node)
            self.keys(*keys)
            try:
                return self.wait(condition, what, CLICK_TIME)
            except Gone:
                raise
            except desktop.WindowError:
                pass
        raise desktop.WindowError(f"{what}: not after {CLICKS} clicks")

    def edit(self, cell):
        """Clicks on a cell, and waits until what is typed goes to it."""
        self.click_until(cell, lambda: cell.get_state_set().contains(Atspi.StateType.FOCUSED), f"the keyboard for {cell.get_name()!r}")

    def keys(self, *names):
        if names:
            self.screen.xdotool("key", *names)

    def type(self, text):
        self.screen.xdotool("type", "--delay", 5, text)

    def choose(self, node, current, text):
        """Chooses a text in the combo box that has the text `current`."""
        box = self.find(node, current, "combo box")
        self.click(box)
        self.wait(lambda: any(text_of(item) == text and is_showing(item) for item in descendants(box, inside_tables=True)),
                  f"the list with {text!r}")
        self.type(text)
        self.keys("Return")
        self.wait(lambda: text_of(box) == text, f"{text!r} in the combo box")

    def packet_list(self):
        return next(tree for tree in descendants(self.main, ("tree",)) if tree.get_name() == "Packet list")

    def packet_count(self):
        """Of the list of packets."""
        packets = self.packet_list()
        count, width = packets.get_child_count(), 0
        while width < count and "header" in packets.get_child_at_index(width).get_role_name():
            width += 1
        return count // width - 1 if width else 0

    def go_to(self, number):
        """Selects a packet."""
        self.menu("Go", "Go to Packet…")
        button = self.find(self.main, "Go to packet", *BUTTON)
        box = next(child for child in children(button.get_parent()) if child.get_role_name() == "text")
        Atspi.EditableText.set_text_contents(box, str(number))
        self.press(button)
        self.wait(lambda: any((cell.get_name() or "").startswith(f"Frame {number}:")
                              for tree in descendants(self.main, ("tree",)) if tree.get_name() != "Packet list"
                              for cell in children(tree)[:4]), f"the details of packet {number}")

    def menu(self, *path):
        """Chooses an item of the main menu."""
        self.press(self.menu_item(*path))

    def open_recent(self, name):
        """Opens one of the files of the menu "Open Recent"."""
        parent = self.menu_item("File", "Open Recent")
        item = self.wait(lambda: next((item for item in descendants(parent, ("menu item",)) if name in text_of(item)), None),
                         f"{name} in the menu")
        self.press(item)

    def menu_item(self, *path):
        node = next(child for child in children(self.main) if child.get_role_name() == "menu bar")
        for name in path:
            if node.get_role_name() == "menu item":
                node = self.wait(lambda parent=node: next(iter(children(parent)), None), f"the menu of {text_of(node)}")
            node = self.wait(
                lambda parent=node, wanted=name: next((item for item in children(parent) if text_of(item) == wanted), None),
                f"the menu item {' > '.join(path)}")
        return node
