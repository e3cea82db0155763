(* Loops whose variables change places: each round leaves one boxed number more where the loop began
   with pointers. *)

let fibonacci (a, b) n =
  let a = ref a and b = ref b in
  for _ = 1 to n do
    let sum = Float.rem (!a +. !b) 1e6 in
    a := !b;
    b := sum
  done;
  (!a, !b)

let rotate x n =
  Int32.logor (Int32.shift_left x n) (Int32.shift_right_logical x (32 - n))

(* Four variables, as MD5 has; the loop ends where it likes. *)
let four (a, b, c, d) words stop =
  let a = ref a and b = ref b and c = ref c and d = ref d and i = ref 0 in
  while !i < 64 && !d <> stop do
    let mixed =
      if !i < 32 then Int32.logor (Int32.logand !b !c) (Int32.logand (Int32.lognot !b) !d)
      else Int32.logxor !b (Int32.logxor !c !d)
    in
    let mixed = Int32.add mixed (Int32.add !a words.(!i land 7)) in
    a := !d;
    d := !c;
    c := !b;
    b := Int32.add !b (rotate mixed (3 + (!i * 5 mod 17)));
    incr i
  done;
  (!a, !b, !c, !d, !i)

(* Ten, more than there are versions for; every third round throws one away. *)
let ten numbers rounds =
  match Array.map ref numbers with
  | [| a; b; c; d; e; f; g; h; i; j |] ->
      let va = ref !a and vb = ref !b and vc = ref !c and vd = ref !d and ve = ref !e in
      let vf = ref !f and vg = ref !g and vh = ref !h and vi = ref !i and vj = ref !j in
      for round = 1 to rounds do
        let sum = Int64.add !va (Int64.mul !vj 31L) in
        let sum = if round mod 3 = 0 then Int64.of_int round else sum in
        va := !vb; vb := !vc; vc := !vd; vd := !ve; ve := !vf;
        vf := !vg; vg := !vh; vh := !vi; vi := !vj; vj := sum
      done;
      [ !va; !vb; !vc; !vd; !ve; !vf; !vg; !vh; !vi; !vj ]
  | _ -> []

(* A loop in a loop; what is kept of each round is a box that exists. *)
let nested (x, y, z) n =
  let x = ref x and y = ref y and z = ref z and kept = ref [] in
  for i = 1 to n do
    let start = !x in
    for j = 1 to i do
      let next = (!x *. 0.5) +. (!z /. Float.of_int j) in
      x := !y;
      y := !z;
      z := next
    done;
    if i mod 2 = 0 then kept := start :: !y :: !kept
  done;
  !z :: !kept

let () =
  List.iter
    (fun n ->
      let a, b = fibonacci (1.0, Float.of_int n) n in
      Printf.printf "%d: %.3f %.3f\n" n a b)
    [ 0; 1; 2; 3; 100 ];
  let words = Array.init 8 (fun i -> Int32.of_int (i * 104729 * 7919)) in
  List.iter
    (fun stop ->
      let a, b, c, d, i = four (1l, 0x7fffffffl, -3l, 4l) words stop in
      Printf.printf "%lx %lx %lx %lx after %d\n" a b c d i)
    [ 0l; -3l; 0x7fffffffl; 1l ];
  List.iter
    (fun rounds ->
      let result = ten (Array.init 10 (fun i -> Int64.of_int (i * i))) rounds in
      print_endline (String.concat " " (List.map Int64.to_string result)))
    [ 0; 1; 9; 10; 11; 200 ];
  List.iter (Printf.printf "%.6f ") (nested (1.0, 2.0, 3.0) 9);
  print_newline ()
