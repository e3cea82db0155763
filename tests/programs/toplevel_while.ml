(* What only a loop of the program's own code calls: its body lies before its condition. *)
let square n = n * n
let () =
  let rounds = ref 0 in
  while !rounds < 3 do
    incr rounds;
    Printf.printf "%d %b\n" (square !rounds) (Gc.minor_words () > 0.)
  done
