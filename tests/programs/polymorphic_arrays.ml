(* Accesses to arrays whose kind is known only at run time, and conditions of several parts without
   an [else], whose value [ocamlc] makes. *)
let get a i = a.(i)
let set a i x = a.(i) <- x
let swap a i j = let t = a.(i) in a.(i) <- a.(j); a.(j) <- t

let reverse a =
  let n = Array.length a in
  for i = 0 to (n / 2) - 1 do swap a i (n - 1 - i) done

let rotate a =
  let last = Array.length a - 1 in
  let first = Array.unsafe_get a 0 in
  for i = 0 to last - 1 do Array.unsafe_set a i (Array.unsafe_get a (i + 1)) done;
  Array.unsafe_set a last first

let largest a = Array.fold_left max a.(0) a
let outside f = try f (); "inside" with Invalid_argument m -> m

(* Boxes that were read stay what they were when the array changes. *)
let keep a =
  let kept = ref [] in
  for i = 0 to Array.length a - 1 do
    kept := get a i :: !kept;
    set a i (get a (Array.length a - 1))
  done;
  !kept

let floats = Array.map (Printf.sprintf "%h")
let print a = print_endline (String.concat " " (Array.to_list a))

let () =
  let f = [| 1.5; -0.; nan; infinity; 4.25; 1e-310 |] in
  reverse f; rotate f; print (floats f);
  let s = [| "a"; "b"; "c"; "d" |] in
  reverse s; rotate s; print s;
  let n = Array.init 7 (fun i -> i * i) in
  reverse n; rotate n; print (Array.map string_of_int n);
  Printf.printf "%h %s %d\n" (largest [| 1.; 3.; 2. |]) (largest s) (largest n);
  print (floats (Array.of_list (keep [| 1.; 2.; 3. |])));
  List.iter (fun i ->
      print_endline (outside (fun () -> ignore (get f i)));
      print_endline (outside (fun () -> set f i 1.));
      print_endline (outside (fun () -> set s i "e")))
    [ -1; 0; 5; 6; max_int; min_int ];
  print (floats f);
  (* Floats in an array of values stay boxes. *)
  let mixed = [| Obj.repr 1; Obj.repr 2.5; Obj.repr "x" |] in
  for i = 0 to 999 do set mixed (i mod 3) (Obj.repr (float_of_int i *. 0.5)) done;
  print (Array.map (fun x -> Printf.sprintf "%g" (Obj.obj x : float)) mixed);
  (* Enough boxes for many collections, of which some stay. *)
  let a = Array.init 1000 float_of_int and kept = ref [] in
  for i = 0 to 99_999 do
    let x = get a (i mod 1000) in
    if i mod 997 = 0 then kept := x :: !kept;
    set a (i mod 1000) (x +. 1.)
  done;
  Printf.printf "%g %g\n" (List.fold_left ( +. ) 0. !kept) (Array.fold_left ( +. ) 0. a)

type ball = { mutable x : float; mutable y : float; mutable turns : int }

let bounce b =
  if b.x < 0. || b.x > 1. then b.turns <- b.turns + 1;
  if b.y >= 0. && b.y <= 1. then b.turns <- b.turns + 100;
  if not (b.x < b.y || b.y < b.x) then b.turns <- b.turns + 10_000

let count p l =
  let n = ref 0 in
  List.iter (fun x -> if p x || x = 0 then incr n; if p x && x <> 3 then n := !n + 10) l;
  !n

let () =
  let values = [ -1.; -0.; 0.; 0.5; 1.; 1.5; nan; infinity; neg_infinity ] in
  List.iter (fun x ->
      let b = { x; y = 0.; turns = 0 } in
      List.iter (fun y -> b.y <- y; bounce b) values;
      Printf.printf "%d " b.turns)
    values;
  let l = List.init 20 (fun i -> i - 5) in
  Printf.printf "%d %d %d\n" (count (fun x -> x land 1 = 1) l) (count (fun x -> x > 3) l)
    (count (fun _ -> l == []) l)
