# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A page in headless Chromium, by the WebDriver interface of Debian's chromedriver.

    with Browser() as browser:
        browser.view(width, dark)   the window and the color scheme of the pages that are opened from then on
        browser.open(path)          the page; its messages on the console are in browser.console()
        browser.run(script)         what a script returns
        browser.picture(path)       the whole page as a PNG file
"""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import pytest

# No first-run page and no requests to Google's hosts. Root has no sandbox.
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars")


WIDTH, HEIGHT = 1366, 900
# Charts are drawn when the page is loaded, and once more where that changes their width.
DRAWN = "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"


class Browser:
    def __enter__(self):
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
        if not driver or not chromium:
            pytest.skip("chromium and chromium-driver are not installed")
        self.folder = tempfile.mkdtemp(prefix="gamewire-browser-")
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                       env={"PATH": "/usr/bin:/bin", "HOME": self.folder, "TMPDIR": self.folder})
        try:
            self.start(chromium)
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, chromium):
        port = next(line.rsplit(" ", 1)[1].strip(". \n") for line in self.driver.stdout if "started successfully" in line)
        self.base = f"http://127.0.0.1:{port}"
        options = {"binary": chromium, "args": [*FLAGS, f"--user-data-dir={self.folder}/profile", f"--window-size={WIDTH},{HEIGHT}"]}
        asked = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self.send("POST", "/session", {"capabilities": {"alwaysMatch": asked}})
        self.base += f"/session/{made['sessionId']}"
        self.view()

    def view(self, width=WIDTH, dark=False):
        self.width = width
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __exit__(self, *_):
        try:
            if "/session/" in getattr(self, "base", ""):
                self.send("DELETE", "")
        finally:
            self.driver.kill()
            self.driver.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def devtools(self, command, **parameters):
        return self.send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path):
        self.console()  # of the page before
        self.send("POST", "/url", {"url": Path(path).resolve().as_uri()})
        self.run(DRAWN)

    def run(self, script, *arguments):
        return self.send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def console(self):
        """Without warnings about points outside the stretch that a chart shows: the dygraphs of Debian trixie, a build for development,
        has them."""
        messages = [entry["message"] for entry in self.send("POST", "/se/log", {"type": "browser"})]
        return [message for message in messages if not re.search(r'"\d+ points out of [XY] bounds:', message)]

    def picture(self, path):
        height = int(self.run("return document.documentElement.scrollHeight"))
        shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                             clip={"x": 0, "y": 0, "width": self.width, "height": min(height, 6000), "scale": 1})
        Path(path).write_bytes(base64.b64decode(shot["data"]))
