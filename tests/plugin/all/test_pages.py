# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The protocols' pages equal the output of tshark: packets, preferences and their defaults, filters, names, links.

GAMEWIRE_UPDATE_GOLDEN=1 writes the packets in them again.
"""

import re
import subprocess

import pytest

import gamewire_tshark as tshark
from plugin.all.documents import assert_known, code_spans, names_in, preferences

DOCS = tshark.SOURCE / "plugin" / "docs"
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
OTHER_PAGES = {"README.md", "cannot-be-seen.md", "capturing.md", "decoded.md", "elasticsearch.md", "filters.md",
               "first-ten-minutes.md", "godot-addon.md", "in-ci.md", "installing.md", "life-of-a-packet.md", "many-captures.md",
               "messages.md", "my-game.md", "own-bytes.md", "packs.md", "recording.md", "report.md", "sharkd.md", "window.md"}
PROTOCOL_PAGES = [name for name in PAGES if name not in OTHER_PAGES]
EXAMPLE = re.compile(r"^<!-- example: (\S+) (\d+) (\S+) -->\n```text\n(.*?)```$", re.DOTALL | re.MULTILINE)

# The module of the preferences in a page.
MODULES = {
    "enet.md": "enet",
    "godot.md": "godot",
    "multiplayer.md": "godot_mp",
    "streams.md": "godot_stream",
    "leviathan.md": "leviathan",
    "squirrel.md": "squirrel",
}


def test_each_protocol_has_a_page():
    assert set(MODULES) | {"debugger.md", "remote-fs.md"} == set(PROTOCOL_PAGES)


@pytest.mark.parametrize("name", PROTOCOL_PAGES)
def test_a_page_has_the_common_sections(name):
    wanted = {"## Dependencies", "## Example", "## Sample captures", "## Filters"}
    assert wanted <= set(re.findall(r"^## .*", PAGES[name], re.MULTILINE))
    assert EXAMPLE.search(PAGES[name])


# ---- the packets -----------------------------------------------------------------------------------------


def decoded(capture, number, protocols):
    lines = tshark.run(
        ["-2", "-P", "-O", protocols, "-Y", f"frame.number == {number}"], tshark.PCAPS / f"{capture}.pcap"
    ).stdout.splitlines()
    others = r"(Frame|Ethernet|Internet Protocol|User Datagram|Transmission Control) "
    return "".join(f"{line}\n" for line in lines if line and not re.match(others, line))


def comparable(text):
    """Since 4.4 a duration has a suitable unit, and the Info column escapes other characters."""
    text = re.sub(r"[\d.]+ (seconds|milliseconds|microseconds)", "TIME", text)
    return text if tshark.wireshark_version() < (4, 4) else text.split("\n", 1)[1]


@pytest.mark.parametrize("name", PROTOCOL_PAGES)
def test_the_packets_in_the_page_are_decoded_like_this(name):
    page = PAGES[name]
    if tshark.updating_golden():
        page = EXAMPLE.sub(
            lambda found: "<!-- example: {} {} {} -->\n```text\n".format(*found.groups()[:3])
            + decoded(*found.groups()[:3]) + "```",
            page,
        )
        tshark.rewrite_golden(DOCS / name, page)
    for capture, number, protocols, shown in EXAMPLE.findall(page):
        assert comparable(shown) == comparable(decoded(capture, number, protocols)), (capture, number)


# ---- preferences -----------------------------------------------------------------------------------------


def defaults():
    """Those of the plugin, except ports: most belong to Decode As and are not printed."""
    return {preference: default for preference, default in preferences().items()
            if re.fullmatch(r"(enet|godot\w*|leviathan|squirrel)\.[\w.]+", preference) and not preference.endswith("p.port")}


@pytest.mark.parametrize("name", MODULES)
def test_the_page_lists_all_preferences(name):
    rows = re.findall(r"^\| `([\w.]+)` \| (.*?) ?\| [^|]*\|$", PAGES[name].split("## Preferences")[1].split("\n## ")[0],
                      re.MULTILINE)
    listed = {preference: default for preference, default in rows if not preference.endswith("p.port")}
    module = re.escape(MODULES[name])
    assert listed == {key: value for key, value in defaults().items() if re.fullmatch(rf"{module}\.\w+", key)}
    for port in (preference for preference, _ in rows if preference.endswith("p.port")):
        assert tshark.run(["-c", "1"], SAMPLE, prefs={port: 7777}, check=False).returncode == 0


def test_no_preference_is_without_a_page():
    modules = {key.rpartition(".")[0] for key in defaults()}
    assert modules == set(MODULES.values())


# ---- filters, names, links -------------------------------------------------------------------------------

SAMPLE = tshark.PCAPS / "godot" / "variant" / "godot-4.6.3-game.pcap"


def filters():
    """The code of the first column of each table of filters."""
    for name in PROTOCOL_PAGES:
        for line in PAGES[name].split("## Filters")[1].split("\n\n")[1].splitlines()[2:]:
            yield from ((name, code) for code in code_spans(line.split(" | ")[0]))


def samples(name):
    return [tshark.SOURCE / path for path in re.findall(r"`(pcaps/[^`]+\.pcap(?:ng)?)`", PAGES[name])]


# Fields that no capture of the page has, and names that need the profile's tables.
NOWHERE = {"enet.checksum.bad", "leviathan.unanswered", 'godot_mp.sync.property == "position"',
           'godot_mp.from == "Anna"', "godot_mp.path.confirmation.missing", "godot_mp.rpc.reliable.too_many",
           "godot_mp.unreliable.too_long", "leviathan.analysis.number_reused"}


@pytest.mark.parametrize("name", PROTOCOL_PAGES)
def test_each_filter_finds_packets_in_the_page_s_captures(name):
    texts = [text for page, text in filters() if page == name]
    capture, _ = tshark.together(tuple(samples(name)))
    counts = dict(zip(texts, tshark.counts(capture, texts), strict=True))
    assert counts and {text for text, count in counts.items() if not count} <= NOWHERE


@pytest.mark.parametrize("name", [*PAGES, "reference/engine-errors.md"])
def test_a_name_is_of_a_field_a_preference_or_a_dissector(name):
    for word in names_in((DOCS / name).read_text(encoding="utf-8")):
        if not word.endswith("p.port"):
            assert_known(word)


def headings(path):
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    }


@pytest.mark.parametrize("name", [*PAGES, "reference/fields.md", "reference/findings.md", "reference/engine-errors.md", "../../README.md", "../../codecs/README.md"])
def test_links_and_captures_are_there(name):
    page = (DOCS / name).resolve()
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith("http"):
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            assert file.exists(), target
            assert not anchor or anchor in headings(file), target
    for capture in re.findall(r"`(pcaps/[^`]+\.pcap(?:ng)?)`", text):
        assert (tshark.SOURCE / capture).exists(), capture


def test_each_capture_has_one_row_with_its_number_of_packets():
    page = (tshark.PCAPS / "README.md").read_text(encoding="utf-8")
    # The number of packets is the first column that has a number alone.
    rows = re.findall(r"^\| `([^`]+\.pcap(?:ng)?)` \|(?:[^|]*[^|\d ][^|]*\|| \|)? (\d+) \|", page, re.MULTILINE)
    captures = [path for path in tshark.PCAPS.rglob("*.pcap*") if path.suffix in (".pcap", ".pcapng")]
    assert sorted(name for name, _ in rows) == sorted(path.relative_to(tshark.PCAPS).as_posix() for path in captures)
    listed = subprocess.run(["capinfos", "-T", "-M", "-r", "-c", *captures], text=True, check=True, stdout=subprocess.PIPE).stdout
    counts = dict(line.rsplit("\t", 1) for line in listed.splitlines())
    assert {name: counts[str(tshark.PCAPS / name)] for name, _ in rows} == dict(rows)


def test_each_page_is_reached_from_the_readme():
    reached, todo = set(), [tshark.SOURCE / "README.md"]
    while todo:
        page = todo.pop()
        links = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text(encoding="utf-8"))
        new = {(page.parent / link).resolve() for link in links if not link.startswith("http")} - reached
        reached |= new
        todo += new
    assert {*DOCS.rglob("*.md")} <= reached
