# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of gamewire-report in Chromium, with the chart library and without it: every chart is drawn, nothing is on the console,
and nothing is wider than the window."""

import functools
import itertools
import re
import shutil

import pytest

import gamewire_tshark as tshark
from plugin.tools.browser import Browser
from plugin.tools.programs import TOOLS, run

from gamewire_tools import charts  # noqa: E402  after programs.py, which names its folder

CHARTS = "return JSON.parse(document.getElementById('data').textContent).charts"

# One of each family, and a capture that has all charts.
CAPTURES = ("godot/multiplayer/godot-4.6.3-spawn-lossy", "godot/variant/godot-4.6.3-game", "godot/debugger/godot-4.6.3-debugger",
            "enet/lossy-client", "leviathan/session", "squirrel/session")

# The number of pixels of each chart that differ from the background, and of their colors: of its canvases, and of its picture on one.
DRAWN = """
async function canvasesOf(chart) {
    const picture = chart.querySelector("svg");
    if (!picture)
        return [...chart.querySelectorAll("canvas")];
    const image = new Image(), canvas = document.createElement("canvas");
    picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(picture));
    await image.decode();
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return [canvas];
}
function drawnOn(canvas, colors) {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let at = 0; at < pixels.length; at += 4)
        if (pixels[at + 3] > 200) {
            count++;
            const [high, low] = [Math.max(pixels[at], pixels[at + 1], pixels[at + 2]), Math.min(pixels[at], pixels[at + 1], pixels[at + 2])];
            if (high - low > 60)
                colors.add(pixels[at] >> 4 << 8 | pixels[at + 1] >> 4 << 4 | pixels[at + 2] >> 4);
        }
    return count;
}
return Promise.all([...document.querySelectorAll(".chart")].map(async (chart) => {
    const colors = new Set();
    const counts = (await canvasesOf(chart)).map((canvas) => drawnOn(canvas, colors));
    return [counts.reduce((sum, count) => sum + count, 0), colors.size];
}));"""

# The program where no library is found.
WITHOUT_LIBRARY = """import sys
sys.path.insert(0, {tools!r})
from gamewire_tools import charts, report_main
charts.PLACES = ()
sys.exit(report_main.main())
"""
LIBRARIES = pytest.mark.parametrize("library", [True, False], ids=["dygraphs", "pictures"])


@functools.lru_cache(maxsize=None)
def program_without_library():
    file = tshark.scratch() / "without_library.py"
    file.write_text(WITHOUT_LIBRARY.format(tools=str(tshark.readable(TOOLS))), encoding="utf-8")
    return file


@functools.lru_cache(maxsize=None)
def page(name, library=True):
    if library and not charts.find():
        pytest.skip("libjs-dygraphs is not installed")
    output = tshark.scratch() / "home" / f"{name.replace('/', '-')}-{library}.html"
    done = run("gamewire-report" if library else program_without_library(), "-q", tshark.readable(tshark.PCAPS / f"{name}.pcap"),
               "-o", output)
    assert done.returncode == 0, done.stderr
    return output


@pytest.fixture(scope="module", name="chromium")
def _chromium():
    """Its start takes longer than a page."""
    with Browser() as browser:
        yield browser


@pytest.fixture(name="browser")
def _browser(chromium):
    chromium.view()
    return chromium


@LIBRARIES
@pytest.mark.parametrize("width", [1366, 390], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_chart_is_drawn_and_nothing_is_reported(browser, width, dark, library):
    browser.view(width, dark)
    for name in CAPTURES:
        browser.open(page(name, library))
        assert browser.console() == [], name
        listed = browser.run(CHARTS)
        drawn = browser.run(DRAWN)
        assert len(drawn) == len(listed) > 0, name
        assert browser.run("return document.querySelectorAll('.chart canvas').length > 0") == library
        for chart, (pixels, colors) in zip(listed, drawn):
            assert pixels > 500 and colors > 0, (name, chart["title"])
        names = browser.run("return [...document.querySelectorAll('.chart')].map((chart) => "
                            "[...chart.querySelectorAll('.marker + .label')].map((label) => label.textContent))")
        assert names == [[series["name"] for series in chart["series"]] for chart in listed]
        assert browser.run("return document.documentElement.scrollWidth") <= width, name
        background = browser.run("return getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", background))) < 200) == dark, background


# Frame numbers, which are buttons, of more than one line; and the largest gap between a legend entry's color and its name, in lines.
BROKEN = """
const lines = (each) => new Set([...each.getClientRects()].map((box) => Math.round(box.top))).size;
const text = (each) => { const range = document.createRange(); range.selectNodeContents(each); return range; };
const numbers = [...document.querySelectorAll('.finding td:first-child .copy')].filter((each) => lines(text(each)) > 1);
const apart = [...document.querySelectorAll('.marker')].filter((each) =>
    text(each.parentElement.querySelector('.label')).getClientRects()[0].top >= each.getBoundingClientRect().bottom);
return [numbers.length, apart.length];"""


@LIBRARIES
def test_numbers_and_legends_are_whole_on_a_phone(browser, library):
    """Names of nodes are longer than its lines; a number with six digits is in the first finding."""
    long = page(CAPTURES[0], library).with_name("long.html")
    text = page(CAPTURES[0], library).read_text(encoding="utf-8")
    long.write_text(re.sub(r"Main/Part/World2/", "Main/Part/World2/ANameThatIsLongerThanTheLineOfAPhone", text)
                    .replace('"frame": ', '"frame": 100'), encoding="utf-8")
    browser.view(390)
    browser.open(long)
    assert browser.run("return document.querySelectorAll('.finding td:first-child .copy').length") > 5
    assert browser.run("return document.querySelectorAll('.marker').length") > 20
    assert browser.run(BROKEN) == [0, 0]


TABLE = "return [...document.querySelectorAll('#' + arguments[0] + ' tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))"
SORT = """const heads = [...document.querySelectorAll('#usage th')];
    const i = heads.findIndex((each) => each.textContent === arguments[0]);
    heads[i].querySelector('button').click();
    return i;"""


def test_a_click_on_a_title_sorts_the_table(opened):
    column = opened.run(SORT, "Bytes a message")
    values = [float(row[column] or -1) for row in opened.run(TABLE, "usage")]
    assert values == sorted(values, reverse=True) and len(set(values)) > 3
    opened.run(SORT, "Bytes a message")
    values = [float(row[column] or -1) for row in opened.run(TABLE, "usage")]
    assert values == sorted(values)
    opened.run(SORT, "Node")
    opened.run(SORT, "Bytes")
    assert [row[6] for row in opened.run(TABLE, "usage")] == sorted((row[6] for row in opened.run(TABLE, "usage")),
                                                                    key=lambda text: -int(text.replace(",", "")))


def drag(browser, begin, end):
    """Over the first chart, from one part of its width to another."""
    box = browser.run("document.getElementById('charts').scrollIntoView(); const plot = document.querySelector('.chart canvas, .chart svg')"
                      ".getBoundingClientRect(); return [plot.left, plot.top, plot.width, plot.height]")
    for kind, part in (("mousePressed", begin), ("mouseMoved", (begin + end) / 2), ("mouseMoved", end), ("mouseReleased", end)):
        browser.devtools("Input.dispatchMouseEvent", type=kind, x=box[0] + box[2] * part, y=box[1] + box[3] / 2, button="left",
                         buttons=1 if kind != "mouseReleased" else 0, clickCount=1)


@LIBRARIES
def test_a_selected_stretch_of_a_chart_selects_the_rows_of_the_tables(browser, library):
    browser.open(page(CAPTURES[0], library))
    data = browser.run("return JSON.parse(document.getElementById('data').textContent)")
    before = browser.run(TABLE, "usage")
    drag(browser, 0.6, 0.8)
    text = browser.run("return document.getElementById('selection').textContent")
    begin, end = map(float, re.findall(r"([\d.]+) s", text)[:2])
    assert 0 < begin < end < data["duration"]
    bins = [index for index in range(500) if (index + 1) * data["width"] > begin + 0.006 and index * data["width"] <= end - 0.006]
    expected = sum(size for row in data["usage"] for index, _, size in row["stretches"] if index in bins)
    browser.run("document.getElementById('usage').querySelector('button.copy')?.click()")
    shown = sum(int(row[6].replace(",", "")) for row in browser.run(TABLE, "usage"))
    assert shown == pytest.approx(expected, rel=0.1) and 0 < shown < sum(row["bytes"] for row in data["usage"])
    times = [float(row[1].removesuffix(" s")) for row in browser.run(TABLE, "findings")]
    assert times and all(begin - 0.01 <= time <= end + 0.01 for time in times)
    browser.run("document.querySelector('#selection button').click()")
    assert browser.run(TABLE, "usage")[:5] == before[:5] and browser.run("return document.getElementById('selection').hidden")
    assert browser.console() == []


def test_two_captures_are_compared_on_one_page(browser):
    output = tshark.scratch() / "home" / "compared.html"
    one, other = (tshark.readable(tshark.PCAPS / f"{name}.pcap") for name in (CAPTURES[0], "godot/multiplayer/godot-4.6.3-late"))
    assert run("gamewire-report", "-q", one, other, "-o", output).returncode == 0
    browser.open(output)
    assert browser.console() == [] and browser.run("return document.documentElement.scrollWidth") <= 1366
    data = browser.run("return JSON.parse(document.getElementById('data').textContent)")
    rows = browser.run(TABLE, "compared-figures")
    assert [row[:2] for row in rows][0] == ["Messages", f"{data['before']['messages']:,}"]
    assert len(browser.run(TABLE, "compared-usage")) == len(data["compared_usage"]) > 10
    assert len(browser.run(TABLE, "compared-findings")) == len(data["compared_findings"]) > 3


def test_without_a_game_the_page_says_what_to_do(browser, udp_capture):
    output = tshark.scratch() / "home" / "nothing.html"
    assert run("gamewire-report", "-q", tshark.readable(udp_capture(tshark.request(b"hello"))), "-o", output).returncode == 0
    browser.open(output)
    assert browser.console() == []
    text = browser.run("return document.getElementById('unrecognized').textContent")
    assert "choose the protocol" in text and " -- -d udp.port==41" in text


@pytest.fixture(name="opened")
def _opened(browser):
    """With the page of the first capture. Its findings and tables do not depend on the library."""
    browser.open(page(CAPTURES[0], False))
    return browser


def test_a_time_that_is_not_known_is_not_shown_as_0(opened):
    """The first transmission of some retransmissions was not captured."""
    cells = opened.run("return [...document.querySelectorAll('.finding td.number')].map((cell) => cell.textContent)")
    assert len(cells) > 20 and not {"0", "0.0 ms"} & set(cells)


def test_the_page_shows_the_figures_of_its_data(opened):
    titles = opened.run("return [...document.querySelectorAll('.finding')].map((each) => "
                        "[each.querySelector('h3').textContent, each.querySelector('.count').textContent])")
    data = opened.run("return JSON.parse(document.getElementById('data').textContent)")
    assert titles == [[each["title"], f"{each['severity']}, {each['count']:,}"] for each in data["findings"]] and len(titles) > 3
    rows = opened.run(TABLE, "usage")
    assert [row[6] for row in rows] == [f"{row['bytes']:,}" for row in data["usage"]][:len(rows)]
    peers = opened.run(TABLE, "peers")
    assert [row[1] for row in peers] == [each["other"] for each in data["peers"]]
    headings = opened.run("return [...document.querySelectorAll('h2')].map((each) => each.textContent)")
    assert headings == ["What uses the bandwidth", "Peers", "Findings", "Over time", "Statistics"]
    texts = opened.run("return [...document.querySelectorAll('.copy')].map((each) => each.textContent)")
    assert set(each["filter"] for each in data["findings"] if each["filter"]) <= set(texts)


def test_names_of_a_capture_are_text_in_the_page(browser, tmp_path):
    """A name that is a script is shown, not run."""
    name = "<img src=x onerror=document.title='run'></script><script>document.title='run'</script>.pcap"
    capture = tshark.scratch() / "home" / name.replace("/", "_")
    shutil.copy(tshark.PCAPS / "enet" / "channels.pcap", capture)
    capture.chmod(0o644)
    output = tshark.scratch() / "home" / "named.html"
    assert run("gamewire-report", "-q", capture, "-o", output).returncode == 0
    browser.open(output)
    assert browser.run("return document.title").startswith("<img") and browser.console() == []


@LIBRARIES
def test_the_page_needs_no_other_file(library):
    text = page(CAPTURES[0], library).read_text(encoding="utf-8")
    assert not re.search(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=[\"'](?!data:)", text.split("<script type")[0])
    assert "sourceMappingURL" not in text
    for part in ("Permission is hereby granted, free of charge", "Dan Vanderkam", ".Dygraph=", ".dygraph-axis-label{"):
        assert (part in text) == library, part


@LIBRARIES
def test_the_page_says_whether_its_charts_are_pictures(library):
    text = page(CAPTURES[0], library).read_text(encoding="utf-8")
    assert ("Debian has as <code>libjs-dygraphs</code>, was not found" in text) != library
    assert ('Charts: <a href="https://dygraphs.com/">dygraphs</a>, under the MIT license' in text) == library


def test_the_legends_of_all_charts_have_the_values_under_the_cursor(browser):
    browser.open(page(CAPTURES[0]))
    box = browser.run("document.getElementById('charts').scrollIntoView(); const box = "
                      "document.querySelector('.chart canvas').getBoundingClientRect(); return [box.left, box.top, box.width, box.height]")
    browser.devtools("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + box[2] * 0.7, y=box[1] + box[3] / 2)
    legends = browser.run("return [...document.querySelectorAll('.legend')].map((legend) => "
                          "[...legend.querySelectorAll('.value')].map((value) => value.textContent))")
    listed = browser.run(CHARTS)
    time = float(legends[0][0].removesuffix(" s"))
    row = min(range(len(listed[0]["times"])), key=lambda index: abs(listed[0]["times"][index] - time))
    assert 0.5 < time / listed[0]["times"][-1] < 0.8 and len(legends) == len(listed) == 6
    for chart, (shown, *values) in zip(listed, legends):
        assert shown == legends[0][0]
        found = [number_of(value) for value in values]
        expected = [series["values"][row] for series in chart["series"]]
        assert found == pytest.approx([None if value == "gap" else value for value in expected], abs=0.006), chart["title"]
    browser.devtools("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    assert browser.run("return [...document.querySelectorAll('.value')].every((value) => value.textContent === '--')")


def number_of(value):
    """Of a legend, in the unit of the data."""
    if value == "--":
        return None
    number, _, unit = value.partition(" ")
    return float(number.replace(",", "")) / (1000 if unit == "ms" else 1)


# Of each picture: the heights of its marks with their labels, and the points of its lines.
PICTURES = """
const numbers = (points) => points.slice(1).split(/[LM]/).map((point) => point.split(",").map(Number));
return [...document.querySelectorAll(".chart svg")].map((svg) => [
    [...svg.querySelectorAll("line")].map((line) => [Number(line.getAttribute("y1")), line.nextSibling.textContent]),
    [...svg.querySelectorAll(".line")].map((line) => numbers(line.getAttribute("d")))]);"""
FACTORS = {"M": 1e6, "k": 1e3, "ms": 1e-3, "": 1}


def test_a_picture_has_the_values_of_its_data(browser):
    """Read from the heights of its points, between its lowest and highest marks. The first series is the last one that is drawn
    where they are stacked."""
    browser.open(page(CAPTURES[0], False))
    listed = browser.run(CHARTS)
    for chart, (marks, lines) in zip(listed, browser.run(PICTURES), strict=True):
        named = [(y, float(label.partition(" ")[0]) * FACTORS[label.partition(" ")[2]]) for y, label in marks]
        scale = (named[-1][1] - named[0][1]) / (named[0][0] - named[-1][0])
        expected = [[value for value in series["values"] if value not in (None, "gap")] for series in chart["series"]]
        if chart["kind"] == "stacked":
            expected = list(map(list, zip(*(itertools.accumulate(values) for values in zip(*expected)))))
            lines.reverse()
        found = [[(named[0][0] - y) * scale for _, y in line] for line in lines]
        assert named[0][1] == 0 and len(named) > 2 and len(found) == len(expected)
        for row, wanted in zip(found, expected):
            assert row == pytest.approx(wanted, abs=scale), chart["title"]


def test_the_library_of_an_archive_is_found_before_debians(tmp_path, monkeypatch):
    archive, debian = charts.in_archive(tmp_path / "charts"), charts.in_debian(tmp_path / "root")
    monkeypatch.setattr(charts, "PLACES", (archive, debian))
    assert charts.find() is None
    for place, files in ((debian, debian), (archive, archive[:2]), (archive, archive[2:])):
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        # One without its license is not used.
        assert charts.find() == (archive if place is archive and files == archive[2:] else debian)
