-- search with arrays and recursion
local function queens(n)
  local cols, up, down, count = {}, {}, {}, 0
  local function place(r)
    if r > n then count = count + 1 return end
    for c = 1, n do
      if not cols[c] and not up[r + c] and not down[r - c + n] then
        cols[c], up[r + c], down[r - c + n] = true, true, true
        place(r + 1)
        cols[c], up[r + c], down[r - c + n] = false, false, false
      end
    end
  end
  place(1)
  return count
end
print(queens(12))
