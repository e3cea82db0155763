(* Calls with more and fewer arguments than the callee takes, of every small arity. *)
let trace = Buffer.create 64
let log s = Buffer.add_string trace s; Buffer.add_char trace ' '

let one a = log "one"; fun b -> log "two"; fun c d -> log "three"; [ a; b; c; d ]
let id x = x
let const a _ = a
let pick n = match n with 0 -> ( + ) | 1 -> ( * ) | 2 -> ( - ) | _ -> fun a b -> (a * 100) + b
let curried a = if a > 0 then fun b c -> a + b + c else fun b -> fun c -> a - b - c

let rec vary n = if n = 0 then fun x -> x else fun x -> vary (n - 1) (x + n)

let nine a b c d e f g h i =
  a + (2 * b) + (3 * c) + (4 * d) + (5 * e) + (6 * f) + (7 * g) + (8 * h) + (9 * i)
let nine_then a b c d e f g h i = let s = nine a b c d e f g h i in fun j k -> (s * j) + k

let show l = String.concat "," (List.map string_of_int l)

let () =
  print_endline (show (one 1 2 3 4));
  let f = one 5 in
  let g = f 6 in
  print_endline (show (g 7 8));
  print_endline (Buffer.contents trace);
  print_endline (string_of_int (id id id id 3));
  print_endline (string_of_int (const const 1 2 3));
  print_endline (string_of_int (id (fun x -> x + 39) 3))

let () =
  for i = 0 to 3 do
    Printf.printf "%d " (pick i 9 4)
  done;
  print_newline ();
  Printf.printf "%d %d\n" (curried 1 2 3) (curried (-1) 2 3);
  Printf.printf "%d\n" (vary 5 0);
  Printf.printf "%d\n" (nine 1 2 3 4 5 6 7 8 9);
  let p = nine 1 2 3 in
  let q = p 4 5 6 in
  let r = q 7 8 in
  Printf.printf "%d %d %d\n" (p 4 5 6 7 8 9) (q 7 8 9) (r 9);
  Printf.printf "%d\n" (nine_then 1 1 1 1 1 1 1 1 1 10 7);
  let rec feed f = function [] -> 0 | [ x ] -> f x 0 0 | x :: rest -> f x 1 2 + feed f rest in
  Printf.printf "%d\n"
    (feed
       (fun a -> if a mod 2 = 0 then fun b c -> a + b + c else fun b -> fun c -> a * (b + c))
       [ 1; 2; 3; 4 ])

(* Six and seven arguments at once, to functions that take fewer, and to some that take more. *)
let () =
  let one a = let f b c d e f = Printf.sprintf "1:%d%d%d%d%d%d" a b c d e f in f in
  let two a b = let f c d e f = Printf.sprintf "2:%d%d%d%d%d%d" a b c d e f in f in
  let four a b c d = let f e f = Printf.sprintf "4:%d%d%d%d%d%d" a b c d e f in f in
  let six a b c d e f = Printf.sprintf "6:%d%d%d%d%d%d" a b c d e f in
  List.iter (fun f -> print_endline (Sys.opaque_identity f 1 2 3 4 5 6)) [one; two; four; six];
  let five a b c d e = let f f g = Printf.sprintf "5:%d%d%d%d%d%d%d" a b c d e f g in f in
  let three a b c = let f d e f g = Printf.sprintf "3:%d%d%d%d%d%d%d" a b c d e f g in f in
  let nine a b c d e f g h i = Printf.sprintf "9:%d%d%d%d%d%d%d%d%d" a b c d e f g h i in
  List.iter (fun f -> print_endline (Sys.opaque_identity f 1 2 3 4 5 6 7)) [five; three];
  let held = Sys.opaque_identity nine 1 2 in
  print_endline (Sys.opaque_identity held 3 4 5 6 7 8 9);
  let held = Sys.opaque_identity nine 1 2 3 4 5 6 in
  print_endline (Sys.opaque_identity held 7 8 9);
  let held = Sys.opaque_identity nine 1 2 3 4 5 6 7 in
  print_endline (Sys.opaque_identity held 8 9)
