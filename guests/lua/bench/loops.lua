-- integers and floats in loops
local s, f = 0, 0.0
for i = 1, 60000000 do s = s + (i & 7) * 3; f = f + i * 0.5 end
print(s, f)
