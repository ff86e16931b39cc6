// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");

// Colors that differ in lightness too, for light and dark pages.
const COLORS = {
    light: ["#1f6fc5", "#d9730d", "#2c9155", "#b3367f", "#7a58c9", "#0c8b96", "#a88a00", "#c8453c", "#8a9199"],
    dark: ["#6cb0ff", "#ffa657", "#62d08f", "#f27fbf", "#b79cff", "#4fd0d8", "#e3c54a", "#ff8b83", "#8b949e"],
};

// ---- elements ------------------------------------------------------------------------------------------

function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {}))
        made.setAttribute(key, value);
    made.append(...children.filter((child) => child !== null));
    return made;
}

function copyButton(text, shown) {
    const button = element("button", { class: "copy", type: "button", title: "Copy: " + text }, shown ?? text);
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            // A page from a file may not have the clipboard: the text is selected for Ctrl+C.
            getSelection().selectAllChildren(button);
            return;
        }
        button.textContent = "copied";
        setTimeout(() => { button.textContent = shown ?? text; }, 900);
    });
    return button;
}

// `heads` begin with "#" for numbers. A cell is a text, an element, or [what is shown, the value by which the column is sorted].
function table(heads, rows, sorted) {
    const numbers = heads.map((head) => head.startsWith("#"));
    const value = (cell) => Array.isArray(cell) ? cell[1] : cell?.textContent ?? cell;
    const shown = (cell) => (Array.isArray(cell) ? cell[0] : cell) ?? "";
    const body = element("tbody");
    const made = rows.map((row) => [row, element("tr", null, ...row.map((cell, i) =>
        element("td", { class: numbers[i] ? "number" : "name" }, shown(cell))))]);
    body.append(...made.map(([, line]) => line));
    const columns = heads.map((text, i) => {
        const title = text.replace("#", "");
        return element("th", numbers[i] ? { class: "number" } : null, sorted ? element("button", { class: "sort", type: "button" }, title) : title);
    });
    let column = -1, direction = 1;
    for (const [i, each] of sorted ? columns.entries() : [])
        each.firstChild.addEventListener("click", () => {
            direction = column === i ? -direction : numbers[i] ? -1 : 1;
            column = i;
            made.sort(([one], [other]) => direction * compared(value(one[i]), value(other[i])));
            body.append(...made.map(([, line]) => line));
            columns.forEach((other) => other.removeAttribute("aria-sort"));
            each.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
        });
    return element("div", { class: "scroll" }, element("table", null, element("thead", null, element("tr", null, ...columns)), body));
}

// What is not known is less than any number.
function compared(one, other) {
    if (typeof one === "string" && typeof other === "string")
        return one.localeCompare(other);
    return (one ?? -1) - (other ?? -1);
}

const whole = (number) => number.toLocaleString("en-US");
const milliseconds = (seconds) => seconds === null ? "" : (seconds * 1000).toFixed(1) + " ms";

function amount(value, unit) {
    if (unit === "s")
        return value ? milliseconds(value) : "";
    return value ? whole(Math.round(value * 100) / 100) + (unit ? " " + unit : "") : "";
}

function fill(id, ...children) {
    document.getElementById(id).append(...(children.length ? children : [element("p", { class: "none" }, "None.")]));
}

// ---- the selected stretch -----------------------------------------------------------------------------

// Of the charts' time axis, in seconds, or null: the tables show what is in it.
let stretch = null;
const onSelect = [];

const isSelected = (time) => !stretch || time >= stretch[0] && time <= stretch[1];
const selectedBins = (bins) => bins.filter(([index]) => !stretch || (index + 1) * data.width > stretch[0] && index * data.width <= stretch[1]);
const lengthOf = () => Math.max(stretch ? stretch[1] - stretch[0] : data.duration, 1e-3);

function select(from, to) {
    const whole = from === undefined || from <= 0 && to >= data.duration;
    stretch = whole ? null : [Math.max(from, 0), to];
    for (const each of onSelect)
        each();
}

function addSelection() {
    const bar = document.getElementById("selection");
    onSelect.push(() => {
        bar.hidden = !stretch;
        if (!stretch)
            return;
        const all = element("button", { class: "copy", type: "button" }, "all");
        all.addEventListener("click", () => { select(); drawAll(); });
        bar.replaceChildren("Only " + stretch[0].toFixed(2) + " s to " + stretch[1].toFixed(2) + " s. Show ", all);
    });
}

// A section whose content depends on the selected stretch.
function fillSelected(id, content) {
    const inside = document.getElementById(id).appendChild(element("div"));
    const update = () => {
        const made = content();
        inside.replaceChildren(...(made.length ? made : [element("p", { class: "none" }, "None.")]));
    };
    onSelect.push(update);
    update();
}

// ---- what uses the bandwidth ---------------------------------------------------------------------------

const FEW = 25;
let together = false, showAll = false;

function amounts(row) {
    return selectedBins(row.stretches).reduce(([messages, bytes], [, count, size]) => [messages + count, bytes + size], [0, 0]);
}

function usageRows() {
    const found = new Map();
    for (const row of data.usage) {
        const key = together ? JSON.stringify([row.what, row.node]) : JSON.stringify([row.what, row.node, row.from, row.to]);
        const entry = found.get(key) ?? { row, messages: 0, bytes: 0 };
        const [messages, bytes] = amounts(row);
        found.set(key, { ...entry, messages: entry.messages + messages, bytes: entry.bytes + bytes });
    }
    return [...found.values()].filter((each) => each.messages || each.bytes).sort((one, other) => other.bytes - one.bytes);
}

function usage() {
    const rows = usageRows(), everything = rows.reduce((sum, each) => sum + each.bytes, 0) || 1;
    const heads = ["What", "Node", ...(together ? [] : ["From", "To"]), "#Messages", "#A second", "#Bytes", "#Bytes a message", "#Share"];
    const cells = ({ row, messages, bytes }) => [row.what, row.node, ...(together ? [] : [row.from, row.to]), [messages ? whole(messages) : "", messages],
        [messages ? (messages / lengthOf()).toFixed(1) : "", messages], [whole(bytes), bytes],
        messages ? [(bytes / messages).toFixed(1), bytes / messages] : ["", null], [(100 * bytes / everything).toFixed(1) + " %", bytes]];
    const box = element("input", { type: "checkbox", id: "together" });
    box.checked = together;
    box.addEventListener("change", () => { together = box.checked; select(...(stretch ?? [])); });
    const more = element("button", { class: "copy", type: "button" }, "all " + rows.length + " rows");
    more.addEventListener("click", () => { showAll = true; select(...(stretch ?? [])); });
    return rows.length ? [element("p", null, box, element("label", { for: "together" }, " all senders and receivers together")),
        table(heads, rows.slice(0, showAll ? undefined : FEW).map(cells), true), ...(showAll || rows.length <= FEW ? [] : [more])] : [];
}

// ---- peers ---------------------------------------------------------------------------------------------

function withTime(seconds) {
    return seconds === null ? ["", null] : [milliseconds(seconds), seconds];
}

function peers() {
    const rows = data.peers.filter((each) => !stretch || each.from <= stretch[1] && each.from + each.duration >= stretch[0]);
    const answers = rows.some((each) => each.answers);
    const heads = ["Peer", "Other end", "#Round trip, median", "#95 %", "#Jitter", ...(answers ? ["#Response, median", "#95 %"] : []), "#Lost",
        "#Sent again", "#Silent longest", "#Messages", "#Bytes", "How it ended"];
    return rows.length ? [table(heads, rows.map((each) => [
        each.peer === each.address ? each.peer : each.peer + " (" + each.address + ")", each.other, withTime(each.rtt_median), withTime(each.rtt_95),
        withTime(each.jitter), ...(answers ? [withTime(each.response_median), withTime(each.response_95)] : []), [whole(each.lost), each.lost],
        [whole(each.resent), each.resent], [each.silent.toFixed(2) + " s, from " + each.silent_from.toFixed(2) + " s on", each.silent],
        [whole(each.messages), each.messages], [whole(each.bytes), each.bytes], each.end ?? ""]), true)] : [];
}

// ---- findings ------------------------------------------------------------------------------------------

function occurrences(finding) {
    const listed = finding.worst.filter((each) => isSelected(each.time));
    const columns = [["Frame", (each) => copyButton("frame.number == " + each.frame, String(each.frame))],
        ["#When", (each) => each.time.toFixed(3) + " s"], ["Who", (each) => each.from + " → " + each.to],
        ["#Value", (each) => amount(each.value, finding.unit)], ["What", (each) => each.text]]
        .filter(([head]) => !["What", "#Value"].includes(head) || listed.some((each) => head === "What" ? each.text : each.value));
    const rows = listed.map((each) => columns.map(([, cell]) => cell(each) || ""));
    const count = stretch ? "Of the worst " + finding.worst.length + ", " + rows.length + " are here"
        : rows.length < finding.count ? "The worst " + rows.length : "All " + rows.length;
    return element("details", rows.length && finding.count <= 10 ? { open: "" } : null, element("summary", null, count),
        table(columns.map(([head]) => head), rows));
}

function finding(each) {
    const count = selectedBins(each.stretches).reduce((sum, [, number]) => sum + number, 0);
    return count ? element("article", { class: "finding " + each.severity },
        element("header", null, element("h3", null, each.title), element("span", { class: "count" }, each.severity + ", " + whole(count))),
        each.remedy ? element("p", null, each.remedy) : null,
        each.filter ? element("p", null, "Filter: ", copyButton(each.filter)) : null,
        occurrences(each)) : null;
}

// ---- charts --------------------------------------------------------------------------------------------

const HEIGHT = 240;
const withLibrary = typeof Dygraph !== "undefined";
const drawn = [];

function colorsOf(chart) {
    const colors = COLORS[dark.matches ? "dark" : "light"];
    return chart.series.map((each, index) => each.name === "(other)" ? colors[8] : colors[index % 8]);
}

const propertyOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const seconds = (value) => Math.round(value * 1e6) / 1e6 + " s";

function axisLabel(value, unit) {
    return unit === "s" ? Math.round(value * 1e6) / 1e3 + " ms"
        : value >= 1e6 ? value / 1e6 + " M" : value >= 1e3 ? value / 1e3 + " k" : String(Math.round(value * 1000) / 1000);
}

// A value, null where there is none, or "gap".
const numbersOf = (values) => values.filter((value) => typeof value === "number");
const plotted = (value) => value === "gap" ? NaN : value;

// The series with the largest sum is the first. Where no cursor shows values, each series has its largest one.
function addLegend(each, colors) {
    const { series, unit } = each.chart;
    each.time = element("span", { class: "value" }, "--");
    each.values = series.map(({ values }) => element("span", { class: "value" },
        withLibrary ? "--" : "up to " + amount(Math.max(...numbersOf(values)), unit)));
    each.legend.replaceChildren(
        ...(withLibrary ? [element("li", null, element("span", { class: "label" }, "time"), each.time)] : []),
        ...series.map(({ name }, i) => element("li", null, element("span", { class: "marker", style: "background: " + colors[i] }),
            element("span", { class: "label" }, name), each.values[i])));
}

// The values under the cursor, in all charts: they have the same times. Without a row there are none.
function showValues(row) {
    for (const { chart, graph, time, values } of drawn) {
        const there = row !== undefined;
        time.textContent = there ? chart.times[row].toFixed(2) + " s" : "--";
        for (const [i, each] of chart.series.entries())
            values[i].textContent = there && typeof each.values[row] === "number" ? amount(each.values[row], chart.unit) || "0" : "--";
        if (there)
            graph.setSelection(row);
        else
            graph.clearSelection();
    }
}

// dygraphs stacks the last series first. Its touch handlers would keep a finger on a chart from scrolling the page.
function drawGraph(each, colors) {
    const { chart, plot } = each;
    const isStacked = chart.kind === "stacked";
    const order = [...chart.series.keys()];
    if (isStacked)
        order.reverse();
    const { touchstart, touchmove, touchend, ...mouse } = Dygraph.defaultInteractionModel;
    return new Dygraph(plot, chart.times.map((time, row) => [time, ...order.map((index) => plotted(chart.series[index].values[row]))]), {
        labels: ["time", ...order.map(String)], colors: order.map((index) => colors[index]), legend: "never",
        stackedGraph: isStacked, fillAlpha: 0.4, strokeWidth: 1.5, drawPoints: !isStacked, pointSize: 2,
        connectSeparatedPoints: true, includeZero: true, axisLabelFontSize: 12,
        axisLineColor: propertyOf("--line"), gridLineColor: propertyOf("--line"), interactionModel: mouse,
        axes: { x: { axisLabelFormatter: seconds }, y: { axisLabelWidth: 60, axisLabelFormatter: (value) => axisLabel(value, chart.unit) } },
        highlightCallback: (event, time, points, row) => showValues(row), unhighlightCallback: () => showValues(),
        zoomCallback: (from, to) => {
            drawn.filter((other) => other !== each).forEach((other) => other.graph.updateOptions({ dateWindow: [from, to] }));
            select(from, to);
        },
    });
}

// ---- charts without the library: the same ones as pictures --------------------------------------------

function shape(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value);
    made.append(...children);
    return made;
}

function stacked(series) {
    const sums = [];
    for (const [index, each] of series.entries())
        sums.push(each.values.map((value, i) => value + (index ? sums[index - 1][i] : 0)));
    return sums;
}

// Round numbers from 0 on, at most `count` and one.
function marks(highest, count) {
    const power = 10 ** Math.floor(Math.log10(highest / count));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each * count >= highest);
    return Array.from({ length: Math.floor(highest / step) + 1 }, (_, i) => i * step);
}

function grid(chart, highest, x, y, width) {
    const line = propertyOf("--line");
    const text = { fill: propertyOf("--soft"), "font-size": 12, "font-family": "sans-serif" };
    const last = chart.times[chart.times.length - 1];
    return [
        ...marks(highest, 5).flatMap((value) => [
            shape("line", { x1: x(0), x2: x(last), y1: y(value), y2: y(value), stroke: line }),
            shape("text", { ...text, x: x(0) - 6, y: y(value) + 4, "text-anchor": "end" }, axisLabel(value, chart.unit))]),
        ...marks(last, Math.max(2, Math.floor(width / 120))).map((time) =>
            shape("text", { ...text, x: x(time), y: HEIGHT - 4, "text-anchor": "middle" }, seconds(time)))];
}

function drawPicture(each, colors) {
    const { chart, plot } = each;
    const isStacked = chart.kind === "stacked";
    const rows = isStacked ? stacked(chart.series) : chart.series.map((series) => series.values);
    const width = plot.clientWidth, highest = Math.max(...numbersOf(rows.flat())) * 1.05, last = chart.times[chart.times.length - 1];
    const x = (time) => 66 + time / last * (width - 86);
    const y = (value) => HEIGHT - 22 - value / highest * (HEIGHT - 30);
    const points = (row) => chart.times.map((time, i) => [x(time).toFixed(1), typeof row[i] === "number" ? y(row[i]).toFixed(1) : row[i]])
        .filter((point) => point[1] !== null);
    const pieces = (line) => line.reduce((path, point, i) => point[1] === "gap" ? path
        : path + (i && line[i - 1][1] !== "gap" ? "L" : "M") + point, "");
    const shapes = rows.map((row, i) => {
        const line = points(row);
        const below = i ? points(rows[i - 1]).reverse() : [[x(last), y(0)], [x(0), y(0)]];
        return [
            ...(isStacked ? [shape("path", { class: "area", d: "M" + [...line, ...below].join("L") + "Z", fill: colors[i], "fill-opacity": 0.4 })]
                : line.filter(([, cy]) => cy !== "gap").map(([cx, cy]) => shape("circle", { cx, cy, r: 2, fill: colors[i] }))),
            shape("path", { class: "line", d: pieces(line), fill: "none", stroke: colors[i], "stroke-width": 1.5 })];
    });
    const mark = stretch ? [shape("rect", { class: "stretch", x: x(stretch[0]), width: Math.max(1, x(stretch[1]) - x(stretch[0])), y: 0,
        height: HEIGHT - 22, fill: propertyOf("--accent"), "fill-opacity": 0.12 })] : [];
    const svg = shape("svg", { width, height: HEIGHT, role: "img", "aria-label": chart.title },
        ...grid(chart, highest, x, y, width), ...(isStacked ? shapes.reverse() : shapes).flat(), ...mark);
    const timeAt = (event) => (event.clientX - svg.getBoundingClientRect().left - 66) / (width - 86) * last;
    svg.addEventListener("mousedown", (event) => {
        const from = timeAt(event);
        event.preventDefault();
        addEventListener("mouseup", (up) => {
            const to = timeAt(up);
            select(...(Math.abs(to - from) < last / 200 ? [] : [Math.min(from, to), Math.max(from, to)]));
            drawAll();
        }, { once: true });
    });
    plot.replaceChildren(svg);
}

// ---- charts of either kind ----------------------------------------------------------------------------

function drawAll() {
    for (const each of drawn) {
        const colors = colorsOf(each.chart);
        each.graph?.destroy();
        addLegend(each, colors);
        each.graph = withLibrary ? drawGraph(each, colors) : drawPicture(each, colors);
    }
}

function addCharts() {
    const section = document.getElementById("charts");
    for (const chart of data.charts) {
        const plot = element("div", { class: "plot" }), legend = element("ul", { class: "legend" });
        section.append(element("div", { class: "chart" },
            element("h3", null, chart.title + (chart.unit && chart.unit !== "s" ? ", " + chart.unit : "")), plot, legend));
        drawn.push({ chart, plot, legend });
    }
    if (!drawn.length)
        fill("charts");
    drawAll();
    dark.addEventListener("change", drawAll);
    if (!withLibrary)
        addEventListener("resize", drawAll); // dygraphs does this by itself
}

// ---- other sections ------------------------------------------------------------------------------------

function statistic(each) {
    const rows = each.rows.map(([depth, name, count]) => ["\u00a0".repeat(4 * depth) + name, whole(count)]);
    return element("details", null, element("summary", null, each.title), table(["Topic", "#Count"], rows));
}

// What to do about a capture in which nothing was recognized.
function unrecognized() {
    const rows = data.unrecognized.map((each) => [each.transport.toUpperCase() + " " + each.port, [whole(each.bytes), each.bytes],
        copyButton("gamewire-report " + data.capture + " -- " + each.option)]);
    return [element("p", null, "No packet of this capture was recognized as one of a game."),
        element("ul", null,
            element("li", null, "Is the game's traffic in the capture? Capture on the interface that the game uses: the loopback interface if both ends "
                + "run on this machine."),
            element("li", null, "Was the beginning captured? Start the capture before the game: some protocols are recognized from their first "
                + "packets only."),
            element("li", null, "Is it encrypted (WSS, DTLS)? Give tshark the keys: see capturing.md."),
            element("li", null, "Otherwise choose the protocol of the game's port; my-game.md, Nothing is recognized, has the names. The ports with the "
                + "most bytes are:")),
        rows.length ? table(["Port", "#Bytes", "Command"], rows) : element("p", { class: "none" }, "The capture has no UDP and no TCP.")];
}

// ---- two captures --------------------------------------------------------------------------------------

function change([before, after], shown) {
    const part = before ? (100 * (after - before) / before).toFixed(0) + " %" : after ? "new" : "";
    return [[shown(before), before], [shown(after), after], [part.startsWith("-") || !before || after === before ? part : "+" + part, after - before]];
}

function comparison() {
    const number = (value) => whole(Math.round(value * 10) / 10);
    fill("compared-usage", table(["What", "Node", "#Bytes a second before", "#after", "#change", "#Messages a second before", "#after", "#change"],
        data.compared_usage.slice(0, 200).map((each) => [each.what, each.node, ...change(each.bytes_per_second, number),
            ...change(each.messages_per_second, number)]), true));
    fill("compared-figures", table(["Figure", "#Before", "#After", "#Change"], data.figures.map((each) =>
        [each.title, ...change(each.values, (value) => each.unit === "s" ? milliseconds(value) : number(value))]), true));
    fill("compared-findings", ...(data.compared_findings.length ? [table(["Finding", "Severity", "#Before", "#After", "#Change", "Filter"],
        data.compared_findings.map((each) => [each.title, each.severity, ...change(each.counts, whole), each.filter ? copyButton(each.filter) : ""]),
        true)] : []));
}

function report() {
    addSelection();
    if (data.unrecognized)
        fill("unrecognized", ...unrecognized());
    fillSelected("usage", usage);
    fillSelected("peers", peers);
    fillSelected("findings", () => data.findings.map(finding).filter((each) => each));
    addCharts();
    fill("statistics", ...data.statistics.map(statistic));
}

if (data.before)
    comparison();
else
    report();
})();
