(* One function reads literals of integers, of floats and of other numbers: what it reads of one is
   not what it reads of another. *)

let first a = a.(0)
let integer = first [| 7; 7 |]
let float = first [| 1.5; 2.5 |]
let large = first [| 123456789; 123456789 |]

(* A tuple of a primitive's beside one of the program's. *)
let exponent own x = snd (if own then (x, 3) else Float.frexp x)
let parts own x = if own then (x, 2.) else Float.modf x

(* Through variables of closures. *)
let rec fold f a i = if i < Array.length a then begin f a.(i); fold f a (i + 1) end
let shown = ref []
let () = fold (fun n -> shown := (fun () -> print_int n) :: !shown) [| 3; 4 |] 0
let () = fold (fun x -> shown := (fun () -> print_float (x +. 1.)) :: !shown) [| 1.5; 2.5 |] 0

(* Too long to be evaluated where it is called: its result has a box, of one kind or the other. *)
let rec last a i =
  let skip n = ignore (Sys.opaque_identity (ref n)) in
  skip 1; skip 2; skip 3; skip 4; skip 5; skip 6; skip 7; skip 8; skip 9; skip 10; skip 11; skip 12;
  skip 13; skip 14; skip 15; skip 16; skip 17; skip 18; skip 19; skip 20; skip 21; skip 22; skip 23;
  skip 24; skip 25; skip 26; skip 27; skip 28; skip 29; skip 30; skip 31; skip 32; skip 33; skip 34;
  if i + 1 < Array.length a then last a (i + 1) else a.(i)

let of_integers x = Int64.add (last [| x; Int64.add x 1L |] 0) 1L
let of_floats x = last [| x; x *. 2. |] 0 +. 1.

let main () =
  Printf.printf "%d %.2f %d\n" integer (float +. 1.) large;
  Printf.printf "%d %d\n" (exponent true 40.) (exponent false 40.);
  let whole, part = parts false 2.75 and own, two = parts true 2.75 in
  Printf.printf "%.2f %.2f %.2f %.2f\n" whole part own two;
  List.iter (fun show -> show (); print_char ' ') !shown;
  print_newline ();
  let integer = Int64.of_string "41" and float = float_of_string "1.5" in
  Printf.printf "%Ld %.2f\n" (of_integers integer) (of_floats float)

let () = main ()
