-- quicksort in Lua, and table.sort with a comparison in Lua
local seed = 42
local function random() seed = (seed * 1103515245 + 12345) & 0x7fffffff return seed end
local function quick(t, lo, hi)
  while lo < hi do
    local p, i, j = t[(lo + hi) // 2], lo, hi
    while i <= j do
      while t[i] < p do i = i + 1 end
      while t[j] > p do j = j - 1 end
      if i <= j then t[i], t[j] = t[j], t[i]; i = i + 1; j = j - 1 end
    end
    if j - lo < hi - i then quick(t, lo, j); lo = i else quick(t, i, hi); hi = j end
  end
end
local a, b = {}, {}
for i = 1, 1200000 do a[i] = random() end
quick(a, 1, #a)
for i = 1, 250000 do b[i] = random() end
table.sort(b, function(x, y) return x > y end)
print(a[1], a[600000], a[1200000], b[1], b[250000])
