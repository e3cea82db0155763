(* arrays: Longest Collatz chain below a limit: integer arithmetic in a tail-recursive loop. *)
let rec length n acc =
  if n = 1 then acc else length (if n land 1 = 0 then n lsr 1 else (3 * n) + 1) (acc + 1)

let () =
  let best = ref 0 and arg = ref 0 in
  for i = 1 to 400_000 do
    let l = length i 1 in
    if l > !best then begin best := l; arg := i end
  done;
  Printf.printf "%d %d\n" !arg !best
