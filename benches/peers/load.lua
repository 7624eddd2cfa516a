-- What wrk sends: the lines of a file again and again, each with a method, a path and a body. NONCE is another word each time. With
-- the argument `look`, it reads the responses and counts those with errors, which takes time.

local lines, number, sent = {}, 0, 0
local thread
errors = 0

function setup(one)
    thread = one
end

function init(arguments)
    for line in io.lines(arguments[1]) do
        local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
        lines[#lines + 1] = { method, path, body }
        lines[#lines].text = wrk.format(method, path, { ["Content-Type"] = "application/json" }, method == "POST" and body or nil)
        lines[#lines].changes = body:find("NONCE", 1, true)
    end
    sent = os.time() * 1000000
    if arguments[2] == "look" then
        function response(_, _, body)
            if body:find('"errors"', 1, true) then errors = errors + 1 end
        end
    end
end

function request()
    number = number % #lines + 1
    local line = lines[number]
    if not line.changes then return line.text end
    sent = sent + 1
    local body = line[3]:gsub("NONCE", string.format("N%016d", sent))
    return wrk.format(line[1], line[2], { ["Content-Type"] = "application/json" }, body)
end

-- Requests a second, milliseconds at the 50th and the 99th percentile, requests, failures.
function done(summary, latency)
    local found = summary.errors
    local failures = found.connect + found.read + found.write + found.status + found.timeout + thread:get("errors")
    io.write(string.format("result %.2f %.2f %.2f %d %d\n", summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, summary.requests, failures))
end
