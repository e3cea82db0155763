-- small tables and their collection
local function make(d) if d == 0 then return {} end return {make(d - 1), make(d - 1)} end
local function count(t) if t[1] then return 1 + count(t[1]) + count(t[2]) end return 1 end
local long = make(17)
local total = 0
for d = 4, 16, 4 do
  for _ = 1, 1 << (17 - d + 2) do total = total + count(make(d)) end
end
print(total, count(long))
