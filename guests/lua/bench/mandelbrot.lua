-- floats in variables
local n, inside = 1200, 0
for py = 0, n - 1 do
  local ci = 2.0 * py / n - 1.0
  for px = 0, n - 1 do
    local cr, zr, zi, k = 2.0 * px / n - 1.5, 0.0, 0.0, 0
    while k < 50 do
      local r2, i2 = zr * zr, zi * zi
      if r2 + i2 > 4.0 then break end
      zi = 2.0 * zr * zi + ci
      zr = r2 - i2 + cr
      k = k + 1
    end
    if k == 50 then inside = inside + 1 end
  end
end
print(inside)
