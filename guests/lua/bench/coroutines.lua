-- generators by coroutines
local function numbers(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local function filter(p, g)
  return coroutine.wrap(function() for x in g do if p(x) then coroutine.yield(x) end end end)
end
local s = 0
for x in filter(function(x) return x % 3 == 0 end, numbers(2500000)) do s = s + x end
print(s)
