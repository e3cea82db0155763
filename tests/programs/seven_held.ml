(* Partial applications that hold as many arguments as are passed in registers, and a few more or
   less: each argument is looked at, after collections. *)

let five a b c d e = !a ^ !b ^ !c ^ !d ^ !e
let six a b c d e f = five a b c d e ^ !f
let seven a b c d e f g = six a b c d e f ^ !g
let eight a b c d e f g h = seven a b c d e f g ^ !h
let nine a b c d e f g h i = eight a b c d e f g h ^ !i
let ten a b c d e f g h i j = nine a b c d e f g h i ^ !j

let apply f x = f x
let twice f x y = f x y

let text n = ref (String.make 1 (Char.chr (Char.code 'a' + n)))

let () =
  for round = 0 to 9 do
    let t n = text (n + round) in
    let held =
      [ five (t 0) (t 1) (t 2) (t 3);
        six (t 0) (t 1) (t 2) (t 3) (t 4);
        seven (t 0) (t 1) (t 2) (t 3) (t 4) (t 5);
        eight (t 0) (t 1) (t 2) (t 3) (t 4) (t 5) (t 6);
        nine (t 0) (t 1) (t 2) (t 3) (t 4) (t 5) (t 6) (t 7) ]
    in
    let two_missing =
      [ seven (t 0) (t 1) (t 2) (t 3) (t 4);
        eight (t 0) (t 1) (t 2) (t 3) (t 4) (t 5);
        nine (t 0) (t 1) (t 2) (t 3) (t 4) (t 5) (t 6);
        ten (t 0) (t 1) (t 2) (t 3) (t 4) (t 5) (t 6) (t 7) ]
    in
    if round mod 3 = 0 then Gc.minor ();
    List.iter (fun f -> print_endline (f (t 9))) held;
    List.iter (fun f -> print_endline (f (t 9) (t 10))) two_missing;
    print_endline (apply (eight (t 0) (t 1) (t 2) (t 3) (t 4) (t 5) (t 6)) (t 7));
    print_endline (twice (nine (t 0) (t 1) (t 2) (t 3) (t 4) (t 5) (t 6)) (t 7) (t 8))
  done
