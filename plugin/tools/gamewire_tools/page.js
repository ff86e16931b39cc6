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

function table(heads, rows) {
    const numbers = heads.map((head) => head.startsWith("#"));
    const head = element("tr", null, ...heads.map((text, i) =>
        element("th", numbers[i] ? { class: "number" } : null, text.replace("#", ""))));
    const body = rows.map((row) => element("tr", null, ...row.map((cell, i) =>
        element("td", { class: numbers[i] ? "number" : "name" }, cell))));
    return element("div", { class: "scroll" }, element("table", null, element("thead", null, head), element("tbody", null, ...body)));
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

// ---- findings ------------------------------------------------------------------------------------------

function occurrences(finding) {
    const columns = [["Frame", (each) => copyButton("frame.number == " + each.frame, String(each.frame))],
        ["#Value", (each) => amount(each.value, finding.unit)], ["What", (each) => each.text]]
        .filter(([head]) => head === "Frame" || finding.worst.some((each) => head === "What" ? each.text : each.value));
    const rows = finding.worst.map((each) => columns.map(([, cell]) => cell(each) || ""));
    const count = rows.length < finding.count ? "The worst " + rows.length : "All " + rows.length;
    return element("details", finding.count <= 10 ? { open: "" } : null, element("summary", null, count),
        table(columns.map(([head]) => head), rows));
}

function finding(each) {
    return element("article", { class: "finding" },
        element("header", null, element("h3", null, each.title), element("span", { class: "count" }, whole(each.count))),
        each.remedy ? element("p", null, each.remedy) : null,
        each.filter ? element("p", null, "Filter: ", copyButton(each.filter)) : null,
        occurrences(each));
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

// The series with the largest sum is the first. Where no cursor shows values, each series has its largest one.
function addLegend(each, colors) {
    const { series, unit } = each.chart;
    each.time = element("span", { class: "value" }, "--");
    each.values = series.map(({ values }) => element("span", { class: "value" },
        withLibrary ? "--" : "up to " + amount(Math.max(...values), unit)));
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
            values[i].textContent = there && each.values[row] !== null ? amount(each.values[row], chart.unit) || "0" : "--";
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
    return new Dygraph(plot, chart.times.map((time, row) => [time, ...order.map((index) => chart.series[index].values[row])]), {
        labels: ["time", ...order.map(String)], colors: order.map((index) => colors[index]), legend: "never",
        stackedGraph: isStacked, fillAlpha: 0.4, strokeWidth: 1.5, drawPoints: !isStacked, pointSize: 2,
        connectSeparatedPoints: true, includeZero: true, axisLabelFontSize: 12,
        axisLineColor: propertyOf("--line"), gridLineColor: propertyOf("--line"), interactionModel: mouse,
        axes: { x: { axisLabelFormatter: seconds }, y: { axisLabelWidth: 60, axisLabelFormatter: (value) => axisLabel(value, chart.unit) } },
        highlightCallback: (event, time, points, row) => showValues(row), unhighlightCallback: () => showValues(),
        zoomCallback: (from, to) => drawn.filter((other) => other !== each)
            .forEach((other) => other.graph.updateOptions({ dateWindow: [from, to] })),
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
    const width = plot.clientWidth, highest = Math.max(...rows.flat()) * 1.05, last = chart.times[chart.times.length - 1];
    const x = (time) => 66 + time / last * (width - 86);
    const y = (value) => HEIGHT - 22 - value / highest * (HEIGHT - 30);
    const points = (row) => chart.times.map((time, i) => [x(time).toFixed(1), row[i] === null ? null : y(row[i]).toFixed(1)])
        .filter((point) => point[1] !== null);
    const shapes = rows.map((row, i) => {
        const line = points(row);
        const below = i ? points(rows[i - 1]).reverse() : [[x(last), y(0)], [x(0), y(0)]];
        return [
            ...(isStacked ? [shape("path", { class: "area", d: "M" + [...line, ...below].join("L") + "Z", fill: colors[i], "fill-opacity": 0.4 })]
                : line.map(([cx, cy]) => shape("circle", { cx, cy, r: 2, fill: colors[i] }))),
            shape("path", { class: "line", d: "M" + line.join("L"), fill: "none", stroke: colors[i], "stroke-width": 1.5 })];
    });
    plot.replaceChildren(shape("svg", { width, height: HEIGHT, role: "img", "aria-label": chart.title },
        ...grid(chart, highest, x, y, width), ...(isStacked ? shapes.reverse() : shapes).flat()));
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

// ---- tables --------------------------------------------------------------------------------------------

function connection(each) {
    const ends = each.ends.map((end, i) => each.names[i] ? each.names[i] + " (" + end + ")" : end);
    return [ends[0], ends[1], whole(each.frames), whole(each.sent[0]), whole(each.sent[1]), each.first.toFixed(2) + " s",
        each.duration.toFixed(2) + " s"];
}

function statistic(each) {
    const rows = each.rows.map(([depth, name, count]) => [" ".repeat(4 * depth) + name, whole(count)]);
    return element("details", null, element("summary", null, each.title), table(["Topic", "#Count"], rows));
}

fill("findings", ...data.findings.map(finding));
addCharts();
fill("times", ...(data.times.length ? [table(["Of", "#Number", "#Median", "#95 %", "#Largest"], data.times.map((each) =>
    [each.name, whole(each.count), milliseconds(each.median), milliseconds(each.p95), milliseconds(each.max)]))] : []));
fill("connections", ...(data.connections.length ? [table(["One end", "Other end", "#Frames", "#Bytes of one", "#Bytes of other", "#From",
    "#Duration"], data.connections.map(connection))] : []));
fill("statistics", ...data.statistics.map(statistic));
})();
