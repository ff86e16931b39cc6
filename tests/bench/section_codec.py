# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The codecs without Wireshark, compared with libcbor, msgpack-c, msgpuck and the engine itself."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import documents
import frames
from frames import SOURCE
from measure import median
from table import Goal, Line

HERE = Path(__file__).resolve().parent

GODOT_JOBS = (
    "godot decode",
    "godot validate",
    "godot encode",
    "libcbor decode",
    "libcbor decode, UTF-8 checked",
    "msgpack-c decode",
    "msgpack-c decode, UTF-8 checked",
    "msgpuck encode",
)
SESSION_UNITS = {"leviathan": "ns/node", "squirrel": "ns/event"}
SESSION_JOBS = ("leviathan decode", "leviathan validate", "squirrel decode", "squirrel validate")

SHAPES = ("mixed", "2001")
# libcbor and msgpack-c leave the validation of texts to their callers: the goals are for the same work.
DECODE_LIBCBOR = 1.15
DECODE_MSGPACK_C = 0.85
UNCHECKED = "msgpack-c does not check that texts are UTF-8; see the row in which it does"
ENGINE_IS_FASTER = "the engine takes less time than when it was set; it would be less than libcbor takes with the same checks"
DECODE_ENGINE = {"mixed": Goal("faster", 10, ENGINE_IS_FASTER), "2001": Goal("faster", 25, ENGINE_IS_FASTER)}
VALIDATE = 0.8
ENCODE_MSGPUCK = 1.2
READER_STATE = 2048
SQUIRREL_DECODE = 150  # instructions an event

# The number of documents; there are some 600 times as many nodes.
COUNTS = {"mixed": 1000, "2001": 500}
LEAST_COUNTS = {"mixed": 20, "2001": 20}
SESSION_COPIES = 1000

# Names of functions that a codec must not call.
HEAP = {"malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "free", "strdup", "strndup", "alloca"}


def measure(bench):
    corpora = bench.machine.folder("corpora")
    write_corpora(corpora, *((LEAST_COUNTS, 1) if bench.least else (COUNTS, SESSION_COPIES)))
    lines = []
    for shape in bench.few(SHAPES):
        times = run_jobs(bench.codec, corpora, shape, bench.rounds * 3, GODOT_JOBS)
        lines += godot_lines(shape, times)
        lines.append(engine_line(bench, corpora, shape, times))
    lines += session_lines(run_jobs(bench.codec, corpora, "session", bench.rounds * 3, SESSION_JOBS))
    return lines + memory_lines(bench)


def write_corpora(folder, counts, copies=SESSION_COPIES):
    for shape, count in counts.items():
        for form in ("godot", "cbor", "msgpack"):
            encoded = documents.payloads(form, shape, count)
            documents.write_corpus(folder / f"{form}-{shape}.corpus", encoded)
    for family in ("leviathan", "squirrel"):
        session = frames.read_capture(SOURCE / "pcaps" / family / "session.pcap")
        datagrams = [frames.udp_payload(frame) for frame in session] * copies
        documents.write_corpus(folder / f"{family}-session.corpus", datagrams)


def run_jobs(program, corpora, shape, rounds, jobs):
    """{job: [ns per node of each round]}; what decodes the same must have met as many nodes."""
    command = [program, corpora, shape, str(rounds), *jobs]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"error: bench_codec: {done.stderr}")
    counted, elapsed = {}, {}
    for line in done.stdout.splitlines():
        job, nodes, *samples = line.split("\t")
        counted[job], elapsed[job] = int(nodes), [int(sample) for sample in samples]
    return {job: [ns / nodes_of(job, counted) for ns in elapsed[job]] for job in elapsed}


def nodes_of(job, counted):
    """The number of nodes is the count of the family's decoder; other jobs that count nodes must have the same
    number."""
    family = job.split()[0]
    nodes = counted.get(f"{family} decode") or counted["godot decode"]
    if counted[job] not in (0, nodes):
        sys.exit(f"error: {job} met {counted[job]} nodes, another {nodes}")
    return nodes


# For each job: its function in ours.c or peers.c, and the job with which it is compared.
COUNTED_JOBS = {
    "godot decode": ("decode_godot", "libcbor decode, UTF-8 checked"),
    "godot validate": ("validate_godot", "godot decode"),
    "godot encode": ("encode_godot", "msgpuck encode"),
    "libcbor decode, UTF-8 checked": ("decode_libcbor_utf8", None),
    "msgpuck encode": ("encode_msgpuck", None),
    "leviathan decode": ("decode_leviathan", None),
    "leviathan validate": ("validate_leviathan", "leviathan decode"),
    "squirrel decode": ("decode_squirrel", None),
    "squirrel validate": ("validate_squirrel", "squirrel decode"),
}
INSTRUCTION_GOALS = {
    "squirrel decode": Goal("value", SQUIRREL_DECODE),
    "squirrel validate": Goal("ratio", VALIDATE),
    "leviathan validate": Goal("ratio", VALIDATE),
}


def instruction_lines(bench, corpora):
    """Instructions a node under callgrind; of Squirrel an event."""
    lines = []
    for shape in bench.few((*SHAPES, "session")):
        compared = bench.few(tuple(job for job in COUNTED_JOBS if (job in SESSION_JOBS) == (shape == "session")))
        jobs = dict.fromkeys([*compared, *(COUNTED_JOBS[job][1] for job in compared if COUNTED_JOBS[job][1])])
        nodes = nodes_counted(bench, corpora, shape)
        counts = {
            job: bench.machine.instructions([bench.codec, str(corpora), shape, "0", job], [COUNTED_JOBS[job][0]])
            / nodes[job.split()[0] if shape == "session" else "godot"]
            for job in jobs
        }
        for job in jobs:
            peer = COUNTED_JOBS[job][1]
            if peer or shape == "session":
                ratio = f"{counts[job] / counts[peer]:.2f} ×" if peer else ""
                peers = [round(counts[peer], 1)] if peer else []
                what = f"{job.capitalize()}, {shape}"
                unit = "instructions an event" if job.startswith("squirrel") else "instructions a node"
                lines.append(Line(what, unit, [round(counts[job], 1)], INSTRUCTION_GOALS.get(job), peer or "", peers, ratio))
    return lines


def nodes_counted(bench, corpora, shape):
    """{family: nodes of its corpus}"""
    families = ("leviathan", "squirrel") if shape == "session" else ("godot",)
    command = [bench.codec, str(corpora), shape, "0", *(f"{family} decode" for family in families)]
    return {line.split()[0]: int(line.split("\t")[1]) for line in bench.machine.output(command).splitlines()}


def godot_lines(shape, times):
    def line(what, ours, goal, peer):
        return Line(f"{what}, {shape}", "ns/node", times[ours], goal, peer, times[peer])

    decode = "godot decode"
    return [
        line("Godot decode", decode, Goal("ratio", DECODE_LIBCBOR), "libcbor decode, UTF-8 checked"),
        line("Godot decode", decode, None, "libcbor decode"),
        line("Godot decode", decode, Goal("ratio", DECODE_MSGPACK_C), "msgpack-c decode, UTF-8 checked"),
        line("Godot decode", decode, Goal("ratio", DECODE_MSGPACK_C, UNCHECKED), "msgpack-c decode"),
        line("Godot validate", "godot validate", Goal("ratio", VALIDATE), decode),
        # Documents of one shape only are no goal: msgpuck then runs without a mispredicted branch.
        line(
            "Godot encode",
            "godot encode",
            Goal("ratio", ENCODE_MSGPUCK) if shape == "mixed" else None,
            "msgpuck encode",
        ),
    ]


def session_lines(times):
    """Their goals are in instructions."""
    lines = []
    for family in ("leviathan", "squirrel"):
        name, decode, unit = family.capitalize(), times[f"{family} decode"], SESSION_UNITS[family]
        lines.append(Line(f"{name} decode, recorded session", unit, decode))
        validate = times[f"{family} validate"]
        lines.append(Line(f"{name} validate, recorded session", unit, validate, None, f"{family} decode", decode))
    return lines


# ---- the engine ----------------------------------------------------------------------------------


def engine_line(bench, corpora, shape, times):
    """bytes2var of godot3-server: what a run of many rounds takes longer than a run of none."""
    rounds = 4
    project = bench.machine.folder("engine")
    (project / "project.godot").write_text("config_version=4\n")
    script = bench.machine.readable(HERE / "engine.gd", project)
    command = ["godot3-server", "--path", str(project), "-s", str(script)]
    values = {"CORPUS": str(corpora / f"godot-{shape}.corpus")}
    said = bench.machine.output(command, {**values, "ROUNDS": "0"})
    found = re.search(r"(\d+) documents, (\d+) encoded back to the same bytes", said)
    if not found or found.group(1) != found.group(2):
        sys.exit(f"error: the engine reads something else:\n{said}")
    used = bench.machine.interleaved(
        {count: (command, {**values, "ROUNDS": str(count)}) for count in (0, rounds)}, bench.rounds
    )
    count = (LEAST_COUNTS if bench.least else COUNTS)[shape]
    different = min(count, documents.DIFFERENT[shape])
    nodes = sum(map(documents.count_nodes, documents.documents(shape, different))) * (count // different)
    start = median([usage.seconds for usage in used[0]])
    engine = [(usage.seconds - start) / rounds / nodes * 1e9 for usage in used[rounds]]
    return Line(
        f"Godot decode, {shape}",
        "ns/node",
        times["godot decode"],
        DECODE_ENGINE[shape],
        "bytes2var of Godot 3",
        engine,
    )


# ---- memory --------------------------------------------------------------------------------------


def memory_lines(bench):
    sizes = subprocess.run([bench.codec, "sizes"], capture_output=True, text=True, check=True).stdout
    lines = []
    for line in sizes.splitlines():
        family, size = line.split("\t")
        lines.append(Line(f"Reader state, {family}", "bytes", [int(size)], Goal("value", READER_STATE)))
    calls = call_graph(bench.few(tuple(sorted(SOURCE.glob("codecs/**/*.c")))))
    reaching = {caller for caller, called in calls.items() if called & HEAP}
    recursive = {function for function in calls if function in reachable(calls, function)}
    lines.append(Line("Functions that use the heap", "", [len(reaching)], Goal("value", 0)))
    names = ", ".join(sorted(function.split(":")[-1] for function in recursive))
    lines.append(
        Line(
            f"Functions that may recurse {names and f'({names})'}".rstrip(),
            "",
            [len(recursive)],
            Goal("value", 0),
        )
    )
    return lines


def call_graph(sources):
    """{function: the ones it calls} of sources of the codecs, from gcc's -fcallgraph-info."""
    calls = {}
    includes = [f"-I{folder}" for folder in sorted(SOURCE.glob("codecs/*/include"))]
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            output = Path(folder) / f"{source.parent.parent.name}-{source.parent.name}-{source.stem}.o"
            command = ["gcc", "-std=c11", "-O1", "-fcallgraph-info", *includes, "-c", source, "-o", output]
            subprocess.run(command, check=True)
            graph = output.with_suffix(".ci").read_text()
            for caller, called in re.findall(r'sourcename: "([^"]+)" targetname: "([^"]+)"', graph):
                calls.setdefault(caller, set()).add(called)
    return calls


def reachable(calls, function):
    seen, waiting = set(), [function]
    while waiting:
        new = calls.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen
