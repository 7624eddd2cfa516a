"""A peer: its documents, and its server for as long as it is asked."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).parent

# Their folders. What follows a space is the argument of `peer.sh`.
PEERS = {
    "Bookends, discovered": "bookends discovered",
    "Bookends, declared": "bookends declared",
    "hand-written": "handwritten",
    "PostGraphile": "postgraphile",
    "Seaography": "seaography",
    "Strawberry-Django": "strawberry",
    "django-universal-paginator": "paginator",
}


class Peer:
    def __init__(self, name, database, log):
        self.name, self.database, self.log = name, database, log
        folder, *self.variant = PEERS[name].split()
        self.folder = HERE / folder
        self.documents = dict(documents(next(self.folder.glob("documents.*"))))

    def script(self, command):
        return [str(self.folder / "peer.sh"), command, *self.variant]

    def version(self):
        return subprocess.run(self.script("version"), capture_output=True, text=True, check=True).stdout.strip()

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = os.environ | {"DATABASE_URL": self.database, "PORT": str(self.port)}
        self.process = subprocess.Popen(self.script("serve"), env=environment, stdout=self.log, stderr=self.log,
                                        start_new_session=True)
        deadline = time.monotonic() + 120
        while not self.listens():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} does not serve: see {self.log.name}")
            time.sleep(0.2)
        self.connection = None
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def listens(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def refusal(self, operation):
        """Why it cannot express an operation, or nothing."""
        text = self.documents.get(operation, "not expressible: no document")
        return text.partition(":")[2].strip() if text.startswith("not expressible:") else None

    def request(self, operation, variables, without=""):
        """A method, a path and a body. A flag can be left out of a document."""
        text = self.documents[operation]
        if without and text.startswith("query"):
            text = text.replace(without, "")
        if text.startswith("GET "):
            path = text[4:]
            for name in re.findall(r"\{(\w+)\}", text):
                path = path.replace("{%s}" % name, quote(str(variables.get(name) or ""), safe=""))
            return "GET", path, ""
        if text.startswith("query"):
            used = {name: value for name, value in variables.items() if f"${name}" in text and value is not None}
            return "POST", "/graphql", json.dumps({"query": " ".join(text.split()), "variables": used})
        return "POST", "/" + quote(operation), json.dumps(variables)

    def ask(self, method, path, body):
        """The data of an answer."""
        self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            self.connection.request(method, path, body.replace("NONCE", "N") or None, {"Content-Type": "application/json"})
            response = self.connection.getresponse()
            text = response.read()
        except (http.client.HTTPException, OSError):
            self.connection = None
            raise
        try:
            answer = json.loads(text)
        except ValueError:
            raise RuntimeError(f"status {response.status}: {text[:300]!r}") from None
        if answer.get("errors") or not answer.get("data"):
            raise RuntimeError(json.dumps(answer.get("errors") or answer)[:600])
        return answer["data"]


def documents(file):
    """The sections of a file. Each begins with a comment: two equals signs, and the names of what it is for."""
    names, lines = [], []
    for line in file.read_text().splitlines() + ["# == "]:
        heading = re.match(r"(?:#|--) == ?(.*)", line)
        if heading is None:
            lines.append(line)
            continue
        for name in names:
            yield name, "\n".join(lines).strip()
        # Hand-written statements have the names of their parameters after a colon.
        names, lines = [name.strip() for name in heading[1].partition(":")[0].split(",") if name.strip()], []
