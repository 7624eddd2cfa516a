-- What benches/load.sh has wrk send: the lines of a file, each a body, again and again.

local requests, number = {}, 0

function init(arguments)
    -- Mutations need a token: `wrk --header`.
    local headers = { ["Content-Type"] = "application/json", ["Accept"] = "application/graphql-response+json",
        ["Authorization"] = wrk.headers["Authorization"] }
    for body in io.lines(arguments[1]) do
        requests[#requests + 1] = wrk.format("POST", "/graphql", headers, body)
    end
end

function request()
    number = number % #requests + 1
    return requests[number]
end

-- Requests a second, milliseconds at the 50th and the 99th percentile, failures.
function done(summary, latency)
    local errors = summary.errors
    local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    local rate = summary.requests / summary.duration * 1e6
    io.write(string.format("result %.0f %.1f %.1f %d\n", rate, latency:percentile(50) / 1e3,
        latency:percentile(99) / 1e3, failures))
end
