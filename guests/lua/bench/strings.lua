-- strings: concatenation, patterns, formats
local words, seen, n = {}, {}, 0
for i = 1, 2000000 do
  local w = "w" .. (i * 7919 % 1013) .. "x"
  words[#words + 1] = w:upper()
  local c = seen[w]
  if c then seen[w] = c + 1 else seen[w] = 1; n = n + 1 end
end
local text = table.concat(words, " ")
local hits = 0
for w in text:gmatch("%u%d+%u") do if w:byte(2) == 49 then hits = hits + 1 end end
print(n, #text, hits, (text:gsub("W1", "%0")):sub(1, 20))
