(* Hashtbl.hash and its relatives must give the same numbers as the reference runtime. *)
type t = A | B of int | C of t * t | D of { x : float; y : string }
let h x = Printf.printf "%d " (Hashtbl.hash x)
let line () = print_newline ()

let rec deep n = if n = 0 then A else C (B n, deep (n - 1))

let () =
  List.iter h [ 0; 1; -1; 42; max_int; min_int; 1 lsl 32; 1 lsl 31; -(1 lsl 31) ]; line ();
  List.iter h [ 0.; -0.; 1.; nan; infinity; neg_infinity; 1e-300; 0.1 ]; line ();
  h (0. /. 0.); h (-.nan); line ();
  List.iter h
    [ ""; "a"; "ab"; "abc"; "abcd"; "abcde"; "hello world"; String.make 1000 'x'; "\255\254" ];
  line ();
  List.iter h [ 'a'; 'z'; '\000' ]; h true; h false; h (); line ();
  List.iter h [ A; B 3; C (A, B 1); D { x = 1.5; y = "y" }; deep 5; deep 50; deep 500 ]; line ();
  List.iter h [ []; [ 1 ]; [ 1; 2; 3 ]; List.init 100 Fun.id ]; line ();
  h [| 1; 2; 3 |]; h [| 1.; 2. |]; h [||]; h (1, "a", 2.5); line ();
  List.iter h [ 0l; 1l; -1l ];
  List.iter h [ 0L; 1L; -1L; 0x123456789abcdefL ];
  List.iter h [ 0n; -1n ]; line ();
  h (Some (Some None)); h (Ok 1 : (int, int) result); h (Error 1 : (int, int) result);
  h `Foo; h (`Bar 3); line ();
  h (ref 5); h (Bytes.of_string "bytes"); h (lazy 3); line ();
  Printf.printf "%d %d\n" (Hashtbl.seeded_hash 7 "seeded") (Hashtbl.seeded_hash 0 "seeded");
  Printf.printf "%d %d %d\n" (Hashtbl.hash_param 3 10 (deep 20)) (Hashtbl.hash_param 1 1 [ 1; 2 ])
    (Hashtbl.hash_param 100 200 (deep 90));
  Printf.printf "%d\n" (Hashtbl.hash (Array.init 300 (fun i -> (i, string_of_int i))));
  Printf.printf "%b\n" (Hashtbl.hash (1, 2) = Hashtbl.hash [| 1; 2 |])
