# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A page in headless Chromium, by the WebDriver interface of Debian's chromedriver.

    with Browser(width, dark) as browser:
        browser.open(path)          the page; its messages on the console are in browser.console()
        browser.run(script)         what a script returns
        browser.picture(path)       the whole page as a PNG file
"""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

# No first-run page and no requests to Google's hosts. Root has no sandbox.
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars")


class Browser:
    def __init__(self, width=1366, dark=False, height=900):
        self.width, self.dark, self.height = width, dark, height

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
        options = {"binary": chromium, "args": [*FLAGS, f"--user-data-dir={self.folder}/profile", f"--window-size={self.width},{self.height}"]}
        asked = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self.send("POST", "/session", {"capabilities": {"alwaysMatch": asked}})
        self.base += f"/session/{made['sessionId']}"
        self.devtools("Emulation.setDeviceMetricsOverride", width=self.width, height=self.height, deviceScaleFactor=1,
                      mobile=self.width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme])

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
        self.send("POST", "/url", {"url": Path(path).resolve().as_uri()})
        time.sleep(0.5)  # charts are drawn after the page is loaded

    def run(self, script, *arguments):
        return self.send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def console(self):
        return [entry["message"] for entry in self.send("POST", "/se/log", {"type": "browser"})]

    def picture(self, path):
        height = int(self.run("return document.documentElement.scrollHeight"))
        shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                             clip={"x": 0, "y": 0, "width": self.width, "height": min(height, 6000), "scale": 1})
        Path(path).write_bytes(base64.b64decode(shot["data"]))
