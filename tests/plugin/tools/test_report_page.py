# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of gamewire-report in Chromium: every chart is drawn, nothing is on the console, and nothing is wider than the window."""

import functools
import re
import shutil

import pytest

import gamewire_tshark as tshark
from plugin.tools.browser import Browser
from plugin.tools.programs import run

# One of each family, and a capture that has all charts.
CAPTURES = ("godot/multiplayer/godot-4.6.3-spawn-lossy", "godot/variant/godot-4.6.3-game", "godot/debugger/godot-4.6.3-debugger",
            "enet/lossy-client", "leviathan/session", "squirrel/session")

# The number of pixels of each canvas that differ from the background, and of their colors.
DRAWN = """
return [...document.querySelectorAll("canvas")].map((canvas) => {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const colors = new Set();
    let count = 0;
    for (let at = 0; at < pixels.length; at += 4)
        if (pixels[at + 3] > 200) {
            count++;
            const [high, low] = [Math.max(pixels[at], pixels[at + 1], pixels[at + 2]), Math.min(pixels[at], pixels[at + 1], pixels[at + 2])];
            if (high - low > 60)
                colors.add(pixels[at] >> 4 << 8 | pixels[at + 1] >> 4 << 4 | pixels[at + 2] >> 4);
        }
    return [count, colors.size];
});"""


@functools.lru_cache(maxsize=None)
def page(name):
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    output = tshark.scratch() / "home" / (name.replace("/", "-") + ".html")
    done = run("gamewire-report", "-q", tshark.readable(tshark.PCAPS / f"{name}.pcap"), "-o", output)
    assert done.returncode == 0, done.stderr
    return output


@pytest.mark.parametrize("width", [1366, 390], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_chart_is_drawn_and_nothing_is_reported(width, dark):
    with Browser(width, dark) as browser:
        for name in CAPTURES:
            browser.open(page(name))
            assert browser.console() == [], name
            charts = browser.run("return JSON.parse(document.getElementById('data').textContent).charts")
            drawn = browser.run(DRAWN)
            assert len(drawn) == len(charts) > 0, name
            for chart, (pixels, colors) in zip(charts, drawn):
                assert pixels > 500 and colors > 0, (name, chart["title"])
            assert browser.run("return document.documentElement.scrollWidth") <= width, name
            background = browser.run("return getComputedStyle(document.body).backgroundColor")
            assert (sum(map(int, re.findall(r"\d+", background))) < 200) == dark, background


# Frame numbers, which are buttons, of more than one line; and the largest gap between a legend entry's color and its name, in lines.
BROKEN = """
const lines = (each) => new Set([...each.getClientRects()].map((box) => Math.round(box.top))).size;
const text = (each) => { const range = document.createRange(); range.selectNodeContents(each); return range; };
const numbers = [...document.querySelectorAll('.finding td:first-child .copy')].filter((each) => lines(text(each)) > 1);
const apart = [...document.querySelectorAll('.u-marker')].filter((each) =>
    text(each.parentElement.querySelector('.u-label')).getClientRects()[0].top >= each.getBoundingClientRect().bottom);
return [numbers.length, apart.length];"""


def test_numbers_and_legends_are_whole_on_a_phone():
    """Names of nodes are longer than its lines; a number with six digits is in the first finding."""
    long = page(CAPTURES[0]).with_name("long.html")
    text = page(CAPTURES[0]).read_text(encoding="utf-8")
    long.write_text(re.sub(r"Main/Part/World2/", "Main/Part/World2/ANameThatIsLongerThanTheLineOfAPhone", text)
                    .replace('"frame": ', '"frame": 100'), encoding="utf-8")
    with Browser(390) as browser:
        browser.open(long)
        assert browser.run("return document.querySelectorAll('.finding td:first-child .copy').length") > 5
        assert browser.run("return document.querySelectorAll('.u-marker').length") > 20
        assert browser.run(BROKEN) == [0, 0]


@pytest.fixture(scope="module", name="opened")
def _opened():
    """A browser with the page of the first capture, which the tests only read."""
    with Browser() as browser:
        browser.open(page(CAPTURES[0]))
        yield browser


def test_a_time_that_is_not_known_is_not_shown_as_0(opened):
    """The first transmission of a retransmission in frame 224 was not captured."""
    rows = opened.run("return [...document.querySelectorAll('.finding tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
    unknown = [row for row in rows if row[-1] == "Retransmission: the first transmission was not captured"]
    assert unknown == [["224", "", "Retransmission: the first transmission was not captured"]]


def test_the_page_shows_the_figures_of_its_data(opened):
    titles = opened.run("return [...document.querySelectorAll('.finding')].map((each) => "
                        "[each.querySelector('h3').textContent, each.querySelector('.count').textContent])")
    data = opened.run("return JSON.parse(document.getElementById('data').textContent)")
    assert titles == [[each["title"], f"{each['count']:,}"] for each in data["findings"]] and len(titles) > 3
    texts = opened.run("return [...document.querySelectorAll('.copy')].map((each) => each.textContent)")
    assert set(each["filter"] for each in data["findings"] if each["filter"]) <= set(texts)


def test_names_of_a_capture_are_text_in_the_page(tmp_path):
    """A name that is a script is shown, not run."""
    name = "<img src=x onerror=document.title='run'></script><script>document.title='run'</script>.pcap"
    capture = tshark.scratch() / "home" / name.replace("/", "_")
    shutil.copy(tshark.PCAPS / "enet" / "channels.pcap", capture)
    capture.chmod(0o644)
    output = tshark.scratch() / "home" / "named.html"
    page(CAPTURES[0])
    assert run("gamewire-report", "-q", capture, "-o", output).returncode == 0
    with Browser() as browser:
        browser.open(output)
        assert browser.run("return document.title").startswith("<img") and browser.console() == []


def test_the_page_needs_no_other_file():
    text = page(CAPTURES[0]).read_text(encoding="utf-8")
    assert not re.search(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=[\"'](?!data:)", text.split("<script type")[0])
    assert "The MIT License (MIT)" in text and "Leon Sorokin" in text and "uPlot=function" in text


def test_the_reason_is_said_if_npm_cannot_get_the_charts():
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    env = {"npm_config_registry": "http://127.0.0.1:9", "XDG_CACHE_HOME": str(tshark.scratch() / "home" / "empty")}
    done = run("gamewire-report", "-q", tshark.readable(tshark.PCAPS / f"{CAPTURES[0]}.pcap"), "-o", "page.html", env=env)
    assert done.returncode == 2 and not (tshark.scratch() / "home" / "page.html").exists()
    assert "npm could not get uplot" in done.stderr and "ECONNREFUSED" in done.stderr and "--json needs no charts" in done.stderr
