(* Boxed integers that change places from round to round, by functions that are called in place:
   first rounds are split off until each variable is a box, and calls in them are the same as in
   those that follow. *)
let ( +% ) = Int32.add and ( ^% ) = Int32.logxor and ( &% ) = Int32.logand
let rotr x n = Int32.logor (Int32.shift_right_logical x n) (Int32.shift_left x (32 - n))

let rounds h n =
  let a = ref h.(0) and b = ref h.(1) and c = ref h.(2) and d = ref h.(3) in
  let e = ref h.(4) and f = ref h.(5) and g = ref h.(6) and k = ref h.(7) in
  for i = 1 to n do
    let choose = (!e &% !f) ^% (Int32.lognot !e &% !g) in
    let most = (!a &% !b) ^% (!a &% !c) ^% (!b &% !c) in
    let t = !k +% (rotr !e 6 ^% rotr !e 11 ^% rotr !e 25) +% choose +% Int32.of_int i in
    let u = (rotr !a 2 ^% rotr !a 13 ^% rotr !a 22) +% most in
    k := !g; g := !f; f := !e; e := !d +% t; d := !c; c := !b; b := !a; a := t +% u
  done;
  Array.iteri (fun i x -> h.(i) <- h.(i) +% x) [| !a; !b; !c; !d; !e; !f; !g; !k |]

let ( +~ ) a b = a +. (b *. 0.5)

let turn p n =
  let x = ref p.(0) and y = ref p.(1) and z = ref p.(2) in
  for i = 1 to n do
    let t = !x +~ (!y +~ !z) in
    x := !y; y := !z; z := if i land 7 = 0 then t /. 16. else t
  done;
  [ !x; !y; !z ]

let () =
  let h = Array.init 8 Int32.of_int in
  for n = 0 to 20 do
    rounds h n;
    if n mod 5 = 0 then Array.iter (Printf.printf "%lx ") h
  done;
  print_newline ();
  List.iter
    (fun n -> List.iter (Printf.printf "%h ") (turn [| 1.; 2.; 3. |] n))
    [ 0; 1; 2; 3; 4; 9; 100 ];
  print_newline ()
