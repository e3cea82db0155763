-- floats in fields of tables
local bodies = {
  {x = 0, y = 0, z = 0, vx = 0, vy = 0, vz = 0, m = 39.47},
  {x = 4.84, y = -1.16, z = -0.10, vx = 0.60, vy = 2.81, vz = -0.02, m = 0.037},
  {x = 8.34, y = 4.12, z = -0.40, vx = -1.01, vy = 1.82, vz = 0.008, m = 0.011},
  {x = 12.89, y = -15.11, z = -0.22, vx = 1.08, vy = 0.86, vz = -0.01, m = 0.0017},
  {x = 15.37, y = -25.91, z = 0.17, vx = 0.97, vy = 0.59, vz = -0.03, m = 0.002},
}
local function advance(dt)
  local n = #bodies
  for i = 1, n do
    local a = bodies[i]
    for j = i + 1, n do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local d2 = dx * dx + dy * dy + dz * dz
      local mag = dt / (d2 * math.sqrt(d2))
      local am, bm = a.m * mag, b.m * mag
      a.vx = a.vx - dx * bm; a.vy = a.vy - dy * bm; a.vz = a.vz - dz * bm
      b.vx = b.vx + dx * am; b.vy = b.vy + dy * am; b.vz = b.vz + dz * am
    end
  end
  for i = 1, n do
    local a = bodies[i]
    a.x = a.x + dt * a.vx; a.y = a.y + dt * a.vy; a.z = a.z + dt * a.vz
  end
end
for _ = 1, 500000 do advance(0.001) end
print(string.format("%.9f %.9f", bodies[1].x, bodies[2].y))
