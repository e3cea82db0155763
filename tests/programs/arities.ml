(* Functions of one to nine parameters, called with all arguments, with fewer and with more. The
   last has as many as are passed directly. *)

let f1 a = [ a ]
let f2 a b = [ a; b ]
let f3 a b c = [ a; b; c ]
let f4 a b c d = [ a; b; c; d ]
let f5 a b c d e = [ a; b; c; d; e ]
let f6 a b c d e f = [ a; b; c; d; e; f ]
let f8 a b c d e f g h = [ a; b; c; d; e; f; g; h ]
let f9 a b c d e f g h i = [ a; b; c; d; e; f; g; h; i ]
let show list = print_endline (String.concat " " (List.map string_of_int list))
let id = Sys.opaque_identity

let more a b c d e f g =
  let seven = a + b + c + d + e + f + g in
  fun h i -> seven + (h * i)

let f7 a b c d e f g = [ a; b; c; d; e; f; g ]

let () =
  show ((id f1) 1);
  show ((id f2) 1 2);
  show ((id f3) 1 2 3);
  show ((id f4) 1 2 3 4);
  show ((id f5) 1 2 3 4 5);
  show ((id f6) 1 2 3 4 5 6);
  show ((id f7) 1 2 3 4 5 6 7);
  show ((id f8) 1 2 3 4 5 6 7 8);
  show ((id f9) 1 2 3 4 5 6 7 8 9);
  let six = (id f7) 1 2 3 4 5 6 in
  show (six 7);
  show (six 8);
  let two = (id f9) 9 8 in
  let five = two 7 6 5 in
  show (five 4 3 2 1);
  show (two 1 2 3 4 5 6 7);
  Printf.printf "%d %d\n" ((id more) 1 2 3 4 5 6 7 8 9) ((id more) 7 6 5 4 3 2 1 0 1)
