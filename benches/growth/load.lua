-- benches/load.lua, whose path is the second argument, with more digits: a page may take a tenth of a millisecond, or a second.

local first = init

function init(arguments)
    dofile(arguments[2])
    init(arguments)
end

-- Requests a second, milliseconds at the 50th and the 99th percentile, failures.
function done(summary, latency)
    local errors = summary.errors
    local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("result %.3f %.3f %.3f %d\n", summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, failures))
end
