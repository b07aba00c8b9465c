"""A headless Chromium, spoken to by its own protocol over two pipes: nothing else to install."""

import json
import os
import shutil
import subprocess
from base64 import b64decode
from select import select

FOUND = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")

QUIET = """
--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars
--disable-background-networking --disable-component-update --disable-sync
--remote-debugging-pipe
"""


PATIENCE = 60
"""Seconds without a word after which it is taken to have gone."""


class Chromium:
    """A browser with one tab; ``events`` is all that it told since the last page."""

    def __init__(self, profile):
        mine, its = os.pipe(), os.pipe()
        # Chromium reads commands from 3 and writes answers to 4, whatever these were before.
        pipes = f"exec {FOUND} {' '.join(QUIET.split())} --user-data-dir={profile} about:blank"
        pipes += f" 3<&{mine[0]} 4>&{its[1]}"
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", pipes],
            pass_fds=(mine[0], its[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(mine[0])
        os.close(its[1])
        self.commands, self.answers = os.fdopen(mine[1], "wb"), os.fdopen(its[0], "rb", 0)
        self.rest, self.sent, self.session, self.events = b"", 0, None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        """Send a command, wait for its answer, and keep what is told meanwhile."""
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": parameters}
        message |= {"sessionId": self.session} if self.session else {}
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while (answer := self._next()).get("id") != self.sent:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def open(self, path, width, height=900, *, media="screen", scheme="light", scripts=True):
        """Show a file at a width, on screen or as on paper."""
        self.events = []
        mobile = width < 600
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=mobile,
        )  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask("Page.navigate", url=path.as_uri())
        while not self.told("Page.loadEventFired"):
            self.events.append(self._next())

    def told(self, *methods):
        """Return what was told by these names since the page was opened."""
        return [event["params"] for event in self.events if event.get("method") in methods]

    def run(self, script):
        """Evaluate a script beside the page."""
        found = self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"])
        return found["result"].get("value")

    def screenshot(self, path, *, whole=True):
        """Save what is seen."""
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(b64decode(shot["data"]))

    def pdf(self, path):
        """Save what is printed, on A4."""
        printed = self.ask(
            "Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=False,
            preferCSSPageSize=False,
        )  # fmt: skip
        path.write_bytes(b64decode(printed["data"]))

    def close(self):
        """End it."""
        self.commands.close()
        self.answers.close()
        self.process.terminate()
        self.process.wait(timeout=20)

    def _next(self):
        while b"\0" not in self.rest:
            ready, _, _ = select([self.answers], [], [], PATIENCE)
            more = os.read(self.answers.fileno(), 65_536) if ready else b""
            if not more:
                raise EOFError
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)
