-- What wrk asks for. Arguments: the address's prefix, a token, the number of customers, and a word
-- that no other turn has, which makes every document a new one; without it documents have no name.

local prefix, customers, word
local sent = 0

function init(arguments)
   prefix, customers, word = arguments[1], tonumber(arguments[3]), arguments[4]
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/json"
   wrk.headers["Authorization"] = "Token " .. arguments[2]
end

function request()
   sent = sent + 1
   -- A prime apart, so that neighbours in the table do not follow each other.
   local path = string.format("/%s/customers/customer-%06d/check/", prefix, sent * 7919 % customers)
   local body = word and string.format('{"document":"%s-%d"}', word, sent) or "{}"
   return wrk.format(nil, path, nil, body)
end

function done(summary)
   local errors = summary.errors
   io.write(string.format(
      '{"requests": %d, "microseconds": %d, "refused": %d, "broken": %d}\n',
      summary.requests, summary.duration, errors.status,
      errors.connect + errors.read + errors.write + errors.timeout))
end
