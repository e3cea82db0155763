(* A script with arguments, files, functors, a loaded library and an uncaught exception. *)
#load "str.cma";;
#use "used.ml";;
module StringMap = Map.Make (String)

let counts words =
  List.fold_left
    (fun map word -> StringMap.update word (function None -> Some 1 | Some n -> Some (n + 1)) map)
    StringMap.empty words

let () =
  Array.iteri (fun i arg -> if i > 0 then Printf.printf "argument %d: %s\n" i arg) Sys.argv;
  StringMap.iter (Printf.printf "%s %d\n") (counts (Str.split (Str.regexp " ") "a b a c b a"));
  print_endline (from_used 3)

let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let () = Printf.printf "%b\n" (even 1_000_001)

(* Sorting calls compiled code that calls new code back. *)
let () =
  let a = Array.init 2000 (fun i -> i * 7919 mod 2003) in
  Array.sort (fun a b -> compare b a) a;
  let l = List.sort compare (Array.to_list a) in
  Printf.printf "%d %d %d\n" a.(0) (List.hd l) (List.length l)

let many a b c d e f g h i j = Printf.sprintf "%d%d%d%d%d%d%d%d%d%d" a b c d e f g h i j

let () =
  let partial = many 1 2 3 in
  print_endline (partial 4 5 6 7 8 9 0);
  print_endline (List.fold_left ( ^ ) "" (List.map (fun f -> f 9 8) [ partial 7 7 7 7 7 ]))

let () =
  let table = Hashtbl.create 10 in
  for i = 1 to 5000 do Hashtbl.replace table (string_of_int i) (List.init 5 (fun j -> i * j)) done;
  Gc.full_major ();
  print_int (Hashtbl.fold (fun _ l sum -> List.fold_left ( + ) sum l) table 0);
  print_newline ()

let () = at_exit (fun () -> print_endline "at exit")

let () =
  try ignore (List.find (fun x -> x > 3) [ 1; 2 ]) with Not_found -> print_endline "not found"

exception Custom of string

let () = raise (Custom "uncaught")
