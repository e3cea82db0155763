(* Polymorphic comparisons of floats, of which one is known at least: literals, sums, elements of
   arrays, what primitives return; NaN, zeros, infinities; and of what only looks like a float. *)
let truth b = print_char (if b then '1' else '0')

let all a b =
  truth (a = b); truth (a <> b); truth (a < b); truth (a <= b); truth (a > b); truth (a >= b);
  print_string (string_of_int (compare a b)); print_char ' '

(* Called with floats alone, and with anything. *)
let largest a b = if a >= b then a else b
let least a b = if a <= b then a else b
let order a b = compare a b
let values = [| nan; neg_infinity; -1.5; -0.; 0.; 1.5; infinity; -.nan |]

let () =
  Array.iter (fun x -> all x 0.; all 0. x; all (x +. 1.) nan; all nan (x *. 2.)) values;
  print_newline ();
  Array.iter (fun x -> Array.iter (fun y -> all (x +. 0.) y; all x (y -. 0.)) values) values;
  print_newline ();
  for i = 0 to Array.length values - 1 do
    let x = values.(i) in
    Printf.printf "%h %h %d %h %h|" (largest 0. x) (least (x +. 1.) 2.) (order (-.x) x) (max x 1.)
      (min (sqrt x) 0.5)
  done;
  print_newline ();
  print_string (largest "a" "b");
  print_int (largest 3 4);
  print_int (order (Some 1.) (Some 2.));
  print_int (order [1.; nan] [1.; 2.]);
  print_int (order (Obj.repr 1.) (Obj.repr 1));
  print_int (order (Obj.repr 1) (Obj.repr (1. +. Sys.opaque_identity 0.)));
  print_int (order (Obj.repr (2. *. Sys.opaque_identity 1.)) (Obj.repr "string"));
  print_newline ()

let () =
  let sum = ref 0. in
  for i = 1 to 1000 do
    let x = float_of_int (i mod 17) -. 8. in
    sum := !sum +. max 0. x;
    if x <> !sum && compare x !sum < 0 then sum := min !sum (x *. 100.)
  done;
  Printf.printf "%g\n" !sum
