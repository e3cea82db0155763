(* Polymorphic comparison, structural and physical equality over every kind of value. *)
type shape =
  | Point
  | Line
  | Circle of float
  | Rect of float * float
  | Tagged of { id : int; label : string }
type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
type weird = A of int | B | C of string | D

let sign n = if n < 0 then "<" else if n > 0 then ">" else "="
let matrix values =
  List.iter
    (fun a ->
      List.iter (fun b -> print_string (sign (compare a b))) values;
      print_string " ")
    values;
  print_newline ()
let attempt f = match f () with b -> string_of_bool b | exception Invalid_argument m -> m

let rec deep n = if n = 0 then Leaf else Node (Leaf, n, deep (n - 1))

let () =
  matrix
    [ Point; Line; Circle 1.; Circle 2.; Rect (1., 2.);
      Tagged { id = 1; label = "a" }; Tagged { id = 1; label = "b" } ];
  matrix [ A 1; B; C "x"; D; A 0; C "" ];
  matrix [ []; [ 1 ]; [ 1; 2 ]; [ 2 ]; [ 1; 1; 1 ] ];
  matrix [ [||]; [| 1 |]; [| 1; 2 |]; [| 2 |]; [| 0; 0; 0 |] ];
  matrix [ "b"; "ab"; "abc"; ""; "\000"; "b\000" ];
  matrix [ 0.; -0.; 1.; nan; infinity; neg_infinity ];
  matrix [ Some 1; None; Some (-1) ];
  matrix [ (1, "a", 2.); (1, "a", 1.); (1, "b", 0.); (0, "z", 9.) ];
  matrix [ 1l; -1l; Int32.max_int ];
  matrix [ 1L; -1L; Int64.min_int ];
  matrix [ 1n; -1n; 0n ];
  matrix [ 'a'; 'b'; '\000' ];
  matrix [ [| 1.; 2. |]; [| 1. |]; [| nan; 0. |]; [| 1.; nan |] ];
  matrix [ `A; `B; `C ];
  matrix [ lazy 1 |> Lazy.force; 2 ];
  Printf.printf "%b %b %b\n" (nan = nan) (compare nan nan = 0) (nan <> nan);
  Printf.printf "%b %b %b\n" ([ nan ] = [ nan ]) (compare [ nan ] [ nan ] = 0) ([ nan ] == [ nan ]);
  Printf.printf "%b %b\n" (deep 20000 = deep 20000) (deep 20000 < deep 19999);
  print_endline (attempt (fun () -> (fun x -> x) = (fun x -> x + 0)));
  print_endline (attempt (fun () -> [ 1, sin ] < [ 1, cos ]));
  print_endline (attempt (fun () -> [ 1, sin ] < [ 2, cos ]));
  let f x = x + 1 in
  print_endline (attempt (fun () -> compare f f = 0));
  print_endline (attempt (fun () -> f = f));
  let a = [ 1; 2 ] in
  Printf.printf "%b %b %b\n" (a == a) (a == [ 1; 2 ]) (a = [ 1; 2 ]);
  Printf.printf "%d %s %g\n" (min 3 (-2)) (max "abc" "abd") (min 1.5 0.5);
  let r = ref 1 and s = ref 1 in
  Printf.printf "%b %b\n" (r = s) (r == s);
  let sorted = List.sort compare [ (3, "c"); (1, "z"); (3, "a"); (2, "m") ] in
  List.iter (fun (i, s) -> Printf.printf "%d%s " i s) sorted;
  print_newline ();
  Printf.printf "%b %b\n" (compare (1, 2) (1, 3) < 0) (Stdlib.compare "x" "x" = 0)
