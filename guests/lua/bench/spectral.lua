-- floats in arrays, a call for each element
local function a(i, j) local ij = i + j - 1 return 1.0 / (ij * (ij - 1) * 0.5 + i) end
local function av(x, y, n)
  for i = 1, n do
    local s = 0
    for j = 1, n do s = s + x[j] * a(i, j) end
    y[i] = s
  end
end
local function atv(x, y, n)
  for i = 1, n do
    local s = 0
    for j = 1, n do s = s + x[j] * a(j, i) end
    y[i] = s
  end
end
local n, u, v, t = 700, {}, {}, {}
for i = 1, n do u[i] = 1 end
for _ = 1, 10 do av(u, t, n) atv(t, v, n) av(v, t, n) atv(t, u, n) end
local vbv, vv = 0, 0
for i = 1, n do vbv = vbv + u[i] * v[i]; vv = vv + v[i] * v[i] end
print(string.format("%.9f", math.sqrt(vbv / vv)))
