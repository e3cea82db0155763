(* Applications to more arguments than the callee takes, as deep as the stack allows. What follows
   them at the deepest place allocates. *)
let rec fixed n a b =
  if n = 0 then (Gc.minor (); fun _ _ _ -> 0)
  else
    let x = fixed (n - 1) a b 4 5 6 in
    fun _ _ _ -> x + 1

let table = Array.make 1 (fun _ _ _ _ _ _ -> 0)

let chosen n a b c d =
  if n = 0 then (Gc.minor (); fun _ -> 0)
  else
    let x = table.(0) (n - 1) a b c d (ref n) in
    fun _ -> x + 1

(* A partial application that is given more than the rest. *)
let rec waiting n a b c =
  if n = 0 then (Gc.minor (); fun _ _ -> 0)
  else
    let partial = Sys.opaque_identity (waiting (n - 1) a) in
    let x = partial b c n n in
    fun _ _ -> x + 1

let deep name f =
  let result = match f () with n -> string_of_int n | exception Stack_overflow -> "overflow" in
  print_endline (name ^ ": " ^ result)

let () =
  table.(0) <- chosen;
  deep "fixed" (fun () -> fixed 75_000 2 3 4 5 6);
  deep "chosen" (fun () -> table.(0) 75_000 1 1 1 1 (ref 1));
  deep "waiting" (fun () -> waiting 75_000 1 2 3 4 5);
  deep "without end" (fun () -> fixed (-1) 2 3 4 5 6);
  deep "without end" (fun () -> table.(0) (-1) 1 1 1 1 (ref 1));
  deep "without end" (fun () -> waiting (-1) 1 2 3 4 5)
