-- closures and variables that they share
local function counter(step)
  local n = 0
  return function() n = n + step return n end
end
local function compose(f, g) return function(x) return f(g(x)) end end
local inc = function(x) return x + 1 end
local double = function(x) return x * 2 end
local f = compose(compose(inc, double), compose(double, inc))
local c, s = counter(3), 0
for i = 1, 5000000 do s = (s + f(i) + c()) & 0xffffff end
local fs = {}
for i = 1, 100 do fs[i] = function(x) return x + i end end
for _ = 1, 50000 do for i = 1, 100 do s = fs[i](s) & 0xffffff end end
print(s, c())
