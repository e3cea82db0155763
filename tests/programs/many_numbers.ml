(* Loops over more numbers than there are parameters of compiled functions: where one collects as it
   begins again, its arguments are in memory. *)
let rec floats n a b c d e f g h =
  if n = 0 then [ a; b; c; d; e; f; g; h ]
  else
    let x = (a *. 0.5) +. h and kept = ref (float_of_int n) in
    floats (n - 1) (x +. !kept) a b (c +. 1.) d e f (g *. 0.25)

let rec integers n a b c d e f g h =
  if n = 0 then [ a; b; c; d; e; f; g; h ]
  else
    let x = Int32.add (Int32.mul a 31l) h in
    integers (n - 1) x a b (Int32.logxor c x) d e f (Int32.shift_right g 1)

let () =
  List.iter (Printf.printf "%h ") (floats 100_000 1. 2. 3. 4. 5. 6. 7. 8.);
  print_newline ();
  List.iter (Printf.printf "%ld ") (integers 100_000 1l 2l 3l 4l 5l 6l 7l 8l);
  print_newline ()
