(* Handlers inside handlers, raising from a handler, Fun.protect, values live across a try. *)
exception A of int
exception B of string
exception C

let log = ref []
let note s = log := s :: !log

let inner n =
  try
    note (Printf.sprintf "in%d" n);
    if n mod 4 = 0 then raise (A n);
    if n mod 4 = 1 then raise (B (string_of_int n));
    if n mod 4 = 2 then raise C;
    n * 10
  with A k when k > 4 -> note "A>4"; k + 1000

let middle n =
  try
    let before = n * 7 in
    let r = inner n in
    before + r
  with
  | A k -> note "A"; (try raise (B "from A") with B s -> note s; k + 1)
  | B s -> note ("B" ^ s); raise C

let outer n = try middle n with C -> note "C"; -n

let protect_test () =
  let r =
    try Fun.protect ~finally:(fun () -> note "finally") (fun () -> raise (A 99)) with A n -> n
  in
  let ok = Fun.protect ~finally:(fun () -> note "finally2") (fun () -> 5) in
  let bad =
    try Fun.protect ~finally:(fun () -> failwith "oops") (fun () -> 5)
    with Fun.Finally_raised (Failure m) -> String.length m
  in
  (r, ok, bad)

let rec countdown n =
  try if n = 0 then raise C else countdown (n - 1) + 1 with C when n = 50 -> 1000

(* The variables around a handler must be those at the time of the raise. *)
let mutated () =
  let x = ref 0 and trail = Buffer.create 16 in
  (try
     for i = 1 to 10 do
       x := !x + i;
       Buffer.add_string trail (string_of_int i);
       if !x > 20 then raise Exit
     done
   with Exit -> Buffer.add_char trail '!');
  Printf.sprintf "%d %s" !x (Buffer.contents trail)

let through_map () =
  List.map
    (fun i -> try 100 / i with Division_by_zero -> (try List.nth [ 1 ] i + raise C with C -> -1))
    [ 5; 0; 2 ]

let () =
  for n = 0 to 12 do Printf.printf "%d " (outer n) done;
  print_newline ();
  print_endline (String.concat " " (List.rev !log));
  log := [];
  let a, b, c = protect_test () in
  Printf.printf "%d %d %d %s\n" a b c (String.concat " " (List.rev !log));
  Printf.printf "%d\n" (countdown 100);
  print_endline (mutated ());
  List.iter (Printf.printf "%d ") (through_map ());
  print_newline ();
  let handled =
    try (try (try raise (A 1) with B _ -> 1) with C -> 2) with A n -> 30 + n
  in
  Printf.printf "%d\n" handled;
  let e = try raise (B "reraise") with e -> (try raise e with B s -> "again " ^ s) in
  print_endline e
