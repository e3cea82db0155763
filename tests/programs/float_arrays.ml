(* Unboxed float arrays, float records, Float.Array, and arrays whose kind is known only at run
   time. *)
type point = { x : float; y : float; mutable z : float }

let dot a b =
  let s = ref 0. in
  Array.iteri (fun i x -> s := !s +. (x *. b.(i))) a;
  !s

let matmul a b n =
  Array.init n (fun i -> Array.init n (fun j -> dot a.(i) (Array.init n (fun k -> b.(k).(j)))))

let generic_make x = [| x; x; x |]
let generic_swap a i j = let t = a.(i) in a.(i) <- a.(j); a.(j) <- t
let show a = String.concat " " (Array.to_list (Array.map (Printf.sprintf "%g") a))

let () =
  let a = Array.init 6 (fun i -> float_of_int i /. 2.) in
  print_endline (show a);
  Printf.printf "%g\n" (dot a a);
  let m = Array.init 3 (fun i -> Array.init 3 (fun j -> float_of_int ((i * 3) + j))) in
  Array.iter (fun r -> print_endline (show r)) (matmul m m 3);
  let g = generic_make 1.5 in
  g.(1) <- 2.5;
  generic_swap g 0 1;
  print_endline (show g);
  let ints = generic_make 4 in
  generic_swap ints 0 2;
  Printf.printf "%d %b %b\n" ints.(0) (Obj.tag (Obj.repr g) = Obj.double_array_tag)
    (Obj.tag (Obj.repr ints) = 0);
  let p = { x = 1.; y = 2.; z = 3. } in
  p.z <- p.x +. (p.y *. 10.);
  let q = { p with y = 0.5 } in
  Printf.printf "%g %g %g %b\n" q.x q.y q.z (Obj.tag (Obj.repr q) = Obj.double_array_tag);
  Array.fill a 2 3 9.;
  Array.blit a 0 a 1 4;
  print_endline (show a);
  print_endline (show (Array.sub a 1 3));
  print_endline (show (Array.append a [| 7. |]));
  print_endline (show (Array.concat [ a; [||]; [| 1.; 2. |] ]));
  let s = [| 3.; 1.; 2.; nan; -1. |] in
  Array.sort compare s;
  print_endline (show s);
  Printf.printf "%b %d\n" ([| 1.; 2. |] = [| 1.; 2. |]) (compare [| 1.; 3. |] [| 1.; 2. |]);
  let fa = Float.Array.init 5 (fun i -> float_of_int (i * i)) in
  Float.Array.set fa 0 0.5;
  Printf.printf "%g %d %g\n" (Float.Array.fold_left ( +. ) 0. fa) (Float.Array.length fa)
    (Float.Array.get fa 4);
  print_endline (show (Float.Array.map_to_array (fun x -> x *. 2.) fa));
  (try ignore (a.(100)) with Invalid_argument m -> print_endline m);
  (try ignore (Float.Array.get fa (-1)) with Invalid_argument m -> print_endline m);
  let acc = ref 0. in
  for i = 0 to 999 do acc := !acc +. (a.(i mod 6) *. 0.5) done;
  Printf.printf "%g\n" !acc
