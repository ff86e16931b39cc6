# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures over time, distributions and lists of the worst, each in memory that does not depend on the length of a capture."""

import heapq
import math
import operator

BINS = 480
FIRST_WIDTH = 0.001  # seconds of a bin
READABLE_WIDTH = 0.05  # bins of longer captures are at least as wide: datagrams are not single peaks
FEW = 60
MOST_KEYS = 2000    # of one timeline; the others count as OTHER
OTHER = "(other)"


class Clock:
    """The common time axis: at most BINS bins, whose width is doubled whenever the capture is longer."""

    def __init__(self):
        self.start = None
        self.latest = None
        self.width = FIRST_WIDTH
        self.last = 0
        self.timelines = []
        self.time, self.index = None, 0  # the time before and its bin, for Timeline.add(): a message is in several timelines

    def bin(self, time):
        if self.start is None:
            self.start = self.latest = time
        self.latest = max(self.latest, time)
        index = max(0, int((time - self.start) / self.width))
        while index >= BINS:
            self.widen()
            index //= 2
        self.last = max(self.last, index)
        self.time, self.index = time, index
        return index

    def widen(self):
        self.width *= 2
        self.time = None
        self.last //= 2
        for timeline in self.timelines:
            timeline.halve()

    def end(self):
        while self.width < READABLE_WIDTH and self.last > FEW:
            self.widen()
        self.last = max(self.last, 1)  # a chart needs two

    def duration(self):
        """From the first message to the last, in seconds."""
        return self.latest - self.start if self.start is not None else 0

    def times(self):
        """The beginning of each bin, in seconds since the first message."""
        return [round(index * self.width, 6) for index in range(self.last + 1)] if self.start is not None else []


class Timeline:
    """Amounts over time for each of several keys. `combine` is how two bins become one: the sum or the maximum."""

    def __init__(self, clock, combine=operator.add):
        self.clock = clock
        self.combine = combine
        self.keys = {}
        clock.timelines.append(self)

    def add(self, key, time, amount):
        clock = self.clock
        index = clock.index if time == clock.time else clock.bin(time)
        bins = self.keys.get(key)
        if bins is None:
            bins = self.keys.setdefault(key if len(self.keys) < MOST_KEYS else OTHER, {})
        before = bins.get(index)
        bins[index] = amount if before is None else self.combine(before, amount)

    def halve(self):
        for key, bins in self.keys.items():
            halved = {}
            for index, amount in bins.items():
                half = index // 2
                halved[half] = self.combine(halved[half], amount) if half in halved else amount
            self.keys[key] = halved

    def totals(self):
        return {key: sum(bins.values()) for key, bins in self.keys.items()}

    def largest(self, count, per_second=False):
        """[(key, values of all bins)] of the keys with the largest sums, and the others together as the last."""
        ordered = sorted(self.totals().items(), key=lambda item: (item[0] == OTHER, -item[1]))
        named = [key for key, _ in ordered[:count]]
        rows = [(key, self.values(self.keys[key], per_second)) for key in named]
        rest = [self.values(self.keys[key], per_second) for key, _ in ordered[count:]]
        if rest:
            rows.append((OTHER, [sum(column) for column in zip(*rest)]))
        return rows

    def values(self, bins, per_second=False, empty=0):
        factor = 1 / self.clock.width if per_second else 1
        return [bins[index] * factor if index in bins else empty for index in range(self.clock.last + 1)]


class Distribution:
    """Percentiles of positive numbers, exact to one percent: numbers are counted in classes whose limits grow by that."""

    STEP = math.log(1.01)

    def __init__(self):
        self.classes = {}
        self.count = 0
        self.largest = 0.0

    def add(self, number):
        index = math.floor(math.log(max(number, 1e-9)) / self.STEP)
        self.classes[index] = self.classes.get(index, 0) + 1
        self.count += 1
        self.largest = max(self.largest, number)

    def percentile(self, part):
        """None of no numbers."""
        wanted = part * self.count
        seen = 0
        for index in sorted(self.classes):
            seen += self.classes[index]
            if seen >= wanted:
                return min(math.exp((index + 0.5) * self.STEP), self.largest)
        return None


class Worst:
    """The entries with the largest values."""

    def __init__(self, count=10):
        self.count = count
        self.heap = []
        self.order = 0

    def add(self, value, **entry):
        self.order += 1
        item = (value, -self.order, entry)
        if len(self.heap) < self.count:
            heapq.heappush(self.heap, item)
        elif item[:2] > self.heap[0][:2]:
            heapq.heapreplace(self.heap, item)

    def entries(self):
        return [{"value": value, **entry} for value, _, entry in sorted(self.heap, key=lambda item: (-item[0], -item[1]))]


class Rates:
    """The largest number of events in one second for each key. Seconds are those of the clock."""

    def __init__(self):
        self.seconds = {}
        self.most = {}

    def add(self, key, time, frame):
        if key not in self.seconds and len(self.seconds) >= MOST_KEYS:
            return
        second = int(time)
        before, count = self.seconds.get(key, (second, 0))
        count = count + 1 if before == second else 1
        self.seconds[key] = (second, count)
        if count > self.most.get(key, (0, 0))[0]:
            self.most[key] = (count, frame)
