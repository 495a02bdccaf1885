-- A token bucket, as core/thread.Bucket counts. KEYS[1] holds: used, the tokens that were missing at the time at; paused, before which
-- nothing passes. Times are in microseconds of this server's clock. ARGV: what to do, the room in the bucket, the time between two tokens.
-- It returns how long to wait; what it returns 0 for is counted.
local key, act, room, every = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local state = redis.call('HMGET', key, 'used', 'at', 'paused')
local used, at, paused = tonumber(state[1]) or 0, tonumber(state[2]) or now, tonumber(state[3]) or 0

local function keep(lasting)
  -- A bucket that has had time to fill is as good as none.
  redis.call('PEXPIRE', key, math.ceil(math.max(lasting, paused - now) / 1000) + 60000)
end

if act == 'pause' then
  paused = math.max(paused, now + every)
  redis.call('HSET', key, 'paused', string.format('%.0f', paused))
  -- The tier is not known here; an hour is longer than any bucket takes to fill.
  keep(3600 * 1000000)
  return 0
end

local level = 0
if every > 0 then
  level = math.max(0, used - (now - at) / every)
end
local wait = math.max(0, paused - now)
if every > 0 and level + 1 > room then
  wait = math.max(wait, (level + 1 - room) * every)
end
if act == 'take' and wait > 0 then
  return math.ceil(wait)
end
redis.call('HSET', key, 'used', string.format('%.17g', level + 1), 'at', string.format('%.0f', now))
keep((level + 1) * every)
return 0
