-- methods and inheritance
local Account = {} Account.__index = Account
function Account.new(b) return setmetatable({balance = b, n = 0}, Account) end
function Account:deposit(v) self.balance = self.balance + v; self.n = self.n + 1 end
function Account:get() return self.balance end
local Saving = setmetatable({}, {__index = Account}) Saving.__index = Saving
function Saving.new(b) local a = Account.new(b) return setmetatable(a, Saving) end
function Saving:interest() self:deposit(self:get() // 1000) end
local a, b = Account.new(0), Saving.new(100000)
for i = 1, 10000000 do a:deposit(i & 3); if i % 4 == 0 then b:interest() end end
print(a:get(), b:get() % 1000007, b.n)
