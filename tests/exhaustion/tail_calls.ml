(* Tail calls of closures that nothing is known of, applied to too few, just as many and too many
   arguments: a million of each takes no stack. *)
let rounds = 1_000_000

type 'a closure = { mutable call : 'a }

let exact = { call = fun _ -> 0 }
let partial = { call = fun _ -> 0 }
let two_held = { call = fun _ _ -> 0 }
let over = { call = fun _ _ -> 0 }
let many = { call = fun _ _ _ _ _ _ _ _ _ -> 0 }

let () =
  exact.call <- (fun n -> if n = 0 then 1 else exact.call (n - 1));
  let step held n = if n = 0 then held else partial.call (n - 1) in
  partial.call <- Sys.opaque_identity step 2;
  let step a b m n = if n = 0 then a + b + m else two_held.call m (n - 1) in
  two_held.call <- Sys.opaque_identity step 1 2;
  over.call <- (fun m -> Sys.opaque_identity (fun n -> if n = 0 then m else over.call m (n - 1)));
  many.call <- (fun a b c d e f g h n ->
    if n = 0 then a + b + c + d + e + f + g + h else many.call b c d e f g h a (n - 1));
  Printf.printf "%d %d %d %d %d\n" (exact.call rounds) (partial.call rounds)
    (two_held.call 3 rounds) (over.call 4 rounds) (many.call 1 2 3 4 5 6 7 8 rounds)
