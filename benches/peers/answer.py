"""What a peer answers, in the one form that all answers are compared in."""


def plain(value):
    """An answer without cursors, with lists of nodes instead of edges, and with numbers as numbers."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, str):
        try:
            return round(float(value), 6)
        except ValueError:
            return value
    if not isinstance(value, dict):
        return value
    found = {}
    for key, inner in value.items():
        if key in ("cursor", "startCursor", "endCursor"):
            continue
        if key == "edges":
            found["nodes"] = [plain(edge["node"]) for edge in inner if "node" in edge]
        elif key == "paginationInfo":
            found["totalCount"] = inner["total"]
        elif key == "one" and isinstance(inner, dict) and set(inner) <= {"nodes", "edges"}:
            # A peer without a field for one object has a list with one.
            nodes = plain(inner)["nodes"]
            found["one"] = nodes[0] if len(nodes) == 1 else nodes
        elif key in ("aggregates", "aggregate"):
            found |= aggregates(inner)
        else:
            found[key] = plain(inner)
    return found


def aggregates(value):
    """Aggregates of one column: {"average": {"age": 1}} and {"age": {"average": 1}} are both {"average": 1}."""
    leaves = {}
    for outer, inner in value.items():
        if outer in ("aggregates", "aggregate"):
            leaves |= aggregates(inner)
        elif isinstance(inner, dict):
            for name, leaf in inner.items():
                leaves[outer if name == "age" else name] = plain(leaf)
        else:
            leaves[outer] = plain(inner)
    return leaves


def differences(found, expected, path=""):
    """The paths at which two plain values differ."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted(found.keys() | expected.keys()):
            missing = object()
            yield from differences(found.get(key, missing), expected.get(key, missing), f"{path}.{key}")
    elif isinstance(found, list) and isinstance(expected, list):
        if len(found) != len(expected):
            yield f"{path}: {len(found)} rows instead of {len(expected)}"
        for index, (one, other) in enumerate(zip(found, expected)):
            yield from differences(one, other, f"{path}[{index}]")
    elif found != expected:
        yield f"{path}: {found!r} instead of {expected!r}"


def cursor(value):
    """The last cursor of an answer."""
    found = None
    if isinstance(value, list):
        for item in value:
            found = cursor(item) or found
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in ("cursor", "endCursor"):
                found = inner or found
            else:
                found = cursor(inner) or found
    return found
