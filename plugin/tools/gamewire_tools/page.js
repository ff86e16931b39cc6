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

const drawn = [];

function stacked(series) {
    const sums = [];
    for (const [index, each] of series.entries())
        sums.push(each.values.map((value, i) => value + (index ? sums[index - 1][i] : 0)));
    return sums;
}

// A series with the largest sum first in the legend, and drawn last, below the others' areas.
function seriesOptions(chart, colors) {
    return chart.series.map((each, index) => {
        const color = each.name === "(other)" ? colors[8] : colors[index % 8];
        const value = (plot, drawnValue, seriesIndex, i) =>
            i === null || i === undefined ? "--" : amount(each.values[i], chart.unit) || "0";
        return { label: each.name, stroke: color, width: 1.5, value, spanGaps: true,
            fill: chart.kind === "stacked" ? color + "66" : undefined, points: { show: chart.kind === "lines", size: 4, fill: color } };
    });
}

function axes() {
    const style = getComputedStyle(document.documentElement);
    const common = { stroke: style.getPropertyValue("--soft").trim(), grid: { stroke: style.getPropertyValue("--line").trim(), width: 1 },
        ticks: { stroke: style.getPropertyValue("--line").trim(), width: 1 } };
    return [{ ...common, values: (plot, marks) => marks.map((mark) => mark + " s") }, { ...common, size: 70 }];
}

function valueLabels(chart) {
    return (plot, marks) => marks.map((mark) => chart.unit === "s" ? Math.round(mark * 1e6) / 1e3 + " ms"
        : mark >= 1e6 ? mark / 1e6 + " M" : mark >= 1e3 ? mark / 1e3 + " k" : String(Math.round(mark * 1000) / 1000));
}

function draw(chart, place) {
    const colors = COLORS[dark.matches ? "dark" : "light"];
    const rows = chart.kind === "stacked" ? stacked(chart.series) : chart.series.map((each) => each.values);
    const [x, y] = axes();
    const bands = chart.kind === "stacked" ? rows.slice(1).map((row, i) => ({ series: [i + 2, i + 1] })) : [];
    const options = {
        width: place.clientWidth, height: 240, bands, axes: [x, { ...y, values: valueLabels(chart) }],
        scales: { x: { time: false }, y: { range: (plot, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
        series: [{ label: "time", value: (plot, time) => time === null ? "--" : time.toFixed(2) + " s" }, ...seriesOptions(chart, colors)],
        cursor: { sync: { key: "time" } },
    };
    return new uPlot(options, [chart.times, ...rows], place);
}

function drawAll() {
    for (const each of drawn) {
        each.plot?.destroy();
        each.plot = draw(each.chart, each.place);
    }
    document.documentElement.dataset.charts = drawn.length;
}

function addCharts() {
    const section = document.getElementById("charts");
    for (const chart of data.charts) {
        const place = element("div");
        section.append(element("div", { class: "chart" },
            element("h3", null, chart.title + (chart.unit && chart.unit !== "s" ? ", " + chart.unit : "")), place));
        drawn.push({ chart, place });
    }
    if (!drawn.length)
        fill("charts");
    drawAll();
    dark.addEventListener("change", drawAll);
    let width = document.body.clientWidth;
    addEventListener("resize", () => {
        if (document.body.clientWidth !== width) {
            width = document.body.clientWidth;
            for (const each of drawn)
                each.plot.setSize({ width: each.place.clientWidth, height: 240 });
        }
    });
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
