"""The results as tables in Markdown."""


def number(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def rows(value):
    """Two digits: more would be noise."""
    return f"{float(f'{value:.1e}'):,.0f}"


def cell(result, show):
    if "rate" in result:
        failed = f" ({result['failures']} failed)" if result["failures"] else ""
        return ("wrong flag; " if "wrong" in result else "") + show(result) + failed
    if "wrong" in result:
        return f"wrong {result['wrong']}"
    if "refusal" in result:
        return "–"
    return "error" if "error" in result else "right"


def table(results, workloads, show):
    peers = results["peers"]
    lines = ["| workload | " + " | ".join(peers) + " |", "|---|" + "---:|" * len(peers)]
    for workload in workloads:
        cells = [cell(found[workload.name], show) for found in peers.values()]
        lines.append(f"| {workload.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def remarks(results, key, text):
    """One line for each kind of remark of a peer, with the workloads that have it."""
    lines = []
    for name, found in results["peers"].items():
        kinds = {}
        for workload, result in found.items():
            if key in result:
                kinds.setdefault(text(result), []).append(workload)
        lines += [f"- **{name}**, {', '.join(names)}: {kind}" for kind, names in kinds.items()]
    return "\n".join(lines) or "None."


def report(results, workloads):
    loads = ", ".join(f"{load[0]:.1f}" for load in results["load"])
    versions = "; ".join(f"{name} {version}" for name, version in results["versions"].items())
    return f"""{results['rows']:,} tracks; {results['seconds']:g} s each; load average at the beginning and after each peer: {loads}

{versions}

Requests a second. After "wrong flag": `hasPreviousPage` was wrong, and the speed is that of the document without it.

{table(results, workloads, lambda one: number(one["rate"]))}

Milliseconds, median / 99th percentile:

{table(results, workloads, lambda one: f'{number(one["p50"])} / {number(one["p99"])}')}

Rows and entries of indexes that PostgreSQL reads for a request, about:

{table(results, workloads, lambda one: rows(one["read"]))}

Wrong:

{remarks(results, "wrong", lambda one: f"{one['wrong']}, {one['of']} requests: `{one['example']}`")}

Not expressible:

{remarks(results, "refusal", lambda one: one["refusal"])}

Errors:

{remarks(results, "error", lambda one: f"`{one['error']}`")}
"""
