(* calls: Takeuchi's function and Ackermann's: calls with three and two arguments, deep
   recursion. *)
let rec tak x y z = if y >= x then z else tak (tak (x - 1) y z) (tak (y - 1) z x) (tak (z - 1) x y)
let rec ack m n =
  if m = 0 then n + 1 else if n = 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))

let () =
  let total = ref 0 in
  for _ = 1 to 60 do total := !total + tak 20 12 6 done;
  Printf.printf "%d %d\n" !total (ack 3 10)
