"""Asks each peer each workload, compares the answers with SQL's, and measures those that are right. `run.sh` starts it."""

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

import shop
import university
from answer import cursor, differences, plain
from peer import HERE, PEERS, Peer
from report import report

CONNECTIONS = 16
# A request that takes longer, in seconds, is measured over as many connections as there are cores, and for longer.
SLOW = 0.2
OPTIONAL = "hasPreviousPage"


class Database:
    def __init__(self, url):
        self.url = url

    def lines(self, sql):
        done = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url, "-c", sql],
                              capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.splitlines()

    def read(self):
        """How many rows and entries of indexes PostgreSQL has read. A connection tells it once a second."""
        return int(self.lines("SELECT tup_returned FROM pg_stat_database WHERE datname = current_database()")[0])


def check(peer, workload, cases, database, without=""):
    """The requests of a workload, how long one took, and where the answers differ from SQL's, apart from a flag that is left out."""
    requests, times, wrong, after = [], [], [], None
    for number, (variables, expected) in enumerate(cases):
        variables = dict(variables)
        key, place = f"{workload.name} id", f"{workload.name} place"
        if workload.before:
            database.lines(workload.before)
        try:
            if key in peer.documents:
                # Its objects have ids of its own, which a client has had before.
                variables["id"] = peer.ask(*peer.request(key, variables))["one"]["nodes"][0]["id"]
            if workload.is_walk:
                variables["after"] = after
            elif place in peer.documents and variables.get("id") is not None:
                variables["after"] = cursor(peer.ask(*peer.request(place, variables)))
        finally:
            if workload.after:
                database.lines(workload.after)
        request = peer.request(workload.name, variables, without)
        began = time.perf_counter()
        answer = peer.ask(*request)
        times.append(time.perf_counter() - began)
        requests.append(request)
        after = cursor(answer)
        found = differences(plain(answer), plain(expected))
        wrong += [(number, text) for text in found if not without or without not in text]
    times.sort()
    return requests, times[len(times) // 2], wrong


def verdict(wrong, cases):
    """What is wrong, in a word, and its first example."""
    rows = [found for found in wrong if "pageInfo" not in found[1]]
    of = len({number for number, _ in rows or wrong})
    kind = "rows" if rows else "flags"
    return {"wrong": kind, "of": f"{of} of {len(cases)}", "example": (rows or wrong)[0][1][:300]}


def measure(peer, requests, latency, seconds, folder, database):
    """Requests a second, milliseconds at the 50th and the 99th percentile, and the rows that a request reads. Before, there is so
    much load that errors would show."""
    (folder / "requests").write_text("".join(f"{' '.join(request)}\n" for request in requests))
    slow = latency > SLOW
    failures = 0 if slow else load(peer, folder, CONNECTIONS, 1, "look")["failures"]
    read = database.read()
    if slow:
        result = load(peer, folder, os.cpu_count(), min(max(seconds, 10 * latency), 60), "look")
    else:
        result = load(peer, folder, CONNECTIONS, seconds)
    read = (database.read() - read) / max(result["requests"], 1)
    return result | {"failures": result["failures"] + failures, "read": read}


def load(peer, folder, connections, seconds, *arguments):
    done = subprocess.run(
        ["wrk", "--threads", "1", "--connections", str(connections), "--duration", f"{round(seconds)}s", "--timeout", "60s",
         "--latency", "--script", str(HERE / "load.lua"), f"http://127.0.0.1:{peer.port}", "--", str(folder / "requests"), *arguments],
        capture_output=True, text=True, check=True)
    rate, p50, p99, count, failures = next(line for line in done.stdout.splitlines() if line.startswith("result ")).split()[1:]
    return {"rate": float(rate), "p50": float(p50), "p99": float(p99), "requests": int(count), "failures": int(failures),
            "connections": connections}


def try_out(peer, workload, cases, database, options):
    """The result of one workload of one peer."""
    refusal = peer.refusal(workload.name)
    if refusal:
        return {"refusal": refusal}
    try:
        result = {}
        requests, latency, wrong = check(peer, workload, cases, database)
        if wrong:
            result = verdict(wrong, cases)
            # Relay lets a server answer `false` to this flag where it does not look. Its speed without it is told apart.
            if workload.before or any(OPTIONAL not in text for _, text in wrong):
                return result
            requests, latency, wrong = check(peer, workload, cases, database, without=OPTIONAL)
            if wrong:
                return verdict(wrong, cases)
            result["without"] = OPTIONAL
        if options.check:
            return result | {"latency": latency * 1e3}
        return result | measure(peer, requests, latency, options.seconds, options.out, database)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        return {"error": str(error)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--database", required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--peers", default=",".join(PEERS.values()))
    parser.add_argument("--workloads", default="")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    database = Database(options.database)
    wanted = [name for name in options.workloads.split(",") if name]
    workloads = [one for one in shop.WORKLOADS + university.WORKLOADS if not wanted or one.name in wanted]
    cases = {one.name: [json.loads(line) for line in database.lines(one.sql)] for one in workloads}
    if missing := [name for name, found in cases.items() if not found]:
        raise SystemExit(f"too few rows for {', '.join(missing)}")
    results = {"load": [os.getloadavg()], "rows": options.rows, "seconds": options.seconds, "versions": {}, "peers": {}}
    for name in [name for name, folder in PEERS.items() if folder in options.peers.split(",")]:
        with open(options.out / f"{PEERS[name].replace(' ', '-')}.log", "w") as log, Peer(name, options.database, log) as peer:
            results["versions"][name] = peer.version()
            found = results["peers"][name] = {}
            for workload in workloads:
                found[workload.name] = try_out(peer, workload, cases[workload.name], database, options)
                print(f"{name}: {workload.name}: {json.dumps(found[workload.name])}", flush=True)
        results["load"].append(os.getloadavg())
        (options.out / "results.json").write_text(json.dumps(results, indent=1))
    table = report(results, workloads)
    (options.out / "report.md").write_text(table)
    print(table)
    if options.check and any(one.keys() & {"wrong", "error"} for found in results["peers"].values() for one in found.values()):
        raise SystemExit("a peer is wrong")


if __name__ == "__main__":
    main()
