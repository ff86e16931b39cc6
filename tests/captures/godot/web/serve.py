#!/usr/bin/python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: serve.py PORT SITE

Serve the files of SITE on loopback, with the headers that the engine's web build needs, and append what page.html posts to a path to
the file of that name in the working directory.
"""

import http.server
import sys
from pathlib import Path


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def do_POST(self):
        with open(Path(self.path).name, "ab") as file:
            file.write(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def main(port, site):
    Handler.extensions_map[".wasm"] = "application/wasm"
    http.server.ThreadingHTTPServer(("127.0.0.1", port), lambda *args: Handler(*args, directory=site)).serve_forever()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(int(sys.argv[1]), sys.argv[2])
