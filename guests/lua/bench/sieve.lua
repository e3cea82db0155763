-- an array of booleans
local n, total = 2000000, 0
for _ = 1, 6 do
  local p = {}
  for i = 2, n do p[i] = true end
  for i = 2, n do
    if p[i] then
      total = total + 1
      for j = i * i, n, i do p[j] = false end
    end
  end
end
print(total)
