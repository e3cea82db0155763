(* Records, variants with inline records, pattern matching of every shape, mutable state. *)
type suit = Clubs | Diamonds | Hearts | Spades
type card = { rank : int; suit : suit }
type account = { owner : string; mutable balance : int; history : event list ref }
and event = Deposit of int | Withdraw of { amount : int; fee : int } | Note of string | Closed

exception Insufficient of { needed : int; available : int }

let apply acc ev =
  (match ev with
   | Deposit n when n <= 0 -> invalid_arg "deposit"
   | Deposit n -> acc.balance <- acc.balance + n
   | Withdraw { amount; fee } ->
     let needed = amount + fee in
     if needed > acc.balance then raise (Insufficient { needed; available = acc.balance });
     acc.balance <- acc.balance - needed
   | Note _ -> ()
   | Closed -> acc.balance <- 0);
  acc.history := ev :: !(acc.history)

let describe = function
  | [] -> "empty"
  | [ { rank; _ } ] -> "one " ^ string_of_int rank
  | { rank = 1; suit = Spades } :: _ -> "ace of spades first"
  | { rank = (11 | 12 | 13) as r; suit } :: { suit = s2; _ } :: _ when suit = s2 ->
      Printf.sprintf "court %d then same suit" r
  | _ :: ({ rank = r; _ } as c) :: rest ->
      Printf.sprintf "second %d of %d, %d more" r (Obj.magic c.suit : int) (List.length rest)

let kind = function
  | 'a' .. 'z' -> 1
  | 'A' .. 'Z' -> 2
  | '0' .. '9' -> 3
  | ' ' | '\t' | '\n' -> 4
  | _ -> 5

let word = function
  | "one" -> 1 | "two" -> 2 | "three" -> 3 | "four" -> 4
  | "a longer string that needs more words" -> 5 | "" -> 0 | _ -> -1
let big = function
  | 0 -> 'a' | 1 -> 'b' | 5 -> 'c' | 100 -> 'd' | 101 -> 'e'
  | -7 -> 'f' | max when max = max_int -> 'g' | _ -> '?'
let triple = function
  | (0, _, "x") -> 1
  | (_, true, "x") -> 2
  | (n, false, s) when String.length s = n -> 3
  | _ -> 4
let floaty = function
  | 0. -> "zero"
  | 1.5 -> "one and a half"
  | x when x < 0. -> "negative"
  | _ -> "other"
let arr = function [||] -> 0 | [| x |] -> x | [| x; y |] -> x * y | a -> Array.length a

type big_variant =
  | V0 | V1 | V2 | V3 | V4
  | W0 of int | W1 of int * int | W2 of string | W3 of { a : int; mutable b : int }

let code = function
  | V0 -> 0 | V1 -> 1 | V2 -> 2 | V3 -> 3 | V4 -> 4
  | W0 n -> n | W1 (a, b) -> a - b | W2 s -> String.length s
  | W3 r -> r.b <- r.b + 1; r.a * r.b

let () =
  let acc = { owner = "ann"; balance = 10; history = ref [] } in
  List.iter
    (fun ev ->
      match apply acc ev with
      | () -> Printf.printf "%d " acc.balance
      | exception Insufficient { needed; available } -> Printf.printf "(%d>%d) " needed available
      | exception Invalid_argument m -> Printf.printf "(%s) " m)
    [ Deposit 50; Withdraw { amount = 20; fee = 1 }; Withdraw { amount = 100; fee = 0 };
      Deposit 0; Note "n"; Closed ];
  Printf.printf "%d %s\n" (List.length !(acc.history)) { acc with owner = "bob" }.owner;
  let c rank suit = { rank; suit } in
  List.iter (fun h -> print_endline (describe h))
    [ []; [ c 3 Hearts ]; [ c 1 Spades; c 2 Clubs ];
      [ c 12 Hearts; c 2 Hearts ]; [ c 12 Hearts; c 2 Diamonds; c 5 Clubs ] ];
  String.iter (fun ch -> print_int (kind ch)) "aZ5 \t-\200";
  print_newline ();
  List.iter (fun s -> Printf.printf "%d " (word s))
    [ "one"; "two"; "three"; "four"; "five"; ""; "a longer string that needs more words" ];
  List.iter (fun n -> print_char (big n)) [ 0; 1; 2; 5; 99; 100; 101; -7; max_int; min_int ];
  print_newline ();
  List.iter (fun t -> print_int (triple t))
    [ (0, false, "x"); (1, true, "x"); (2, false, "ab"); (3, true, "") ];
  List.iter (fun f -> print_string (floaty f ^ " ")) [ 0.; -0.; 1.5; -3.; nan ];
  List.iter (fun a -> print_int (arr a)) [ [||]; [| 5 |]; [| 2; 4 |]; [| 1; 1; 1 |] ];
  print_newline ();
  let w3 = W3 { a = 2; b = 1 } in
  List.iter (fun v -> Printf.printf "%d " (code v))
    [ V0; V4; V2; W0 7; W1 (9, 4); W2 "four"; w3; w3; V3; V1 ];
  print_newline ()
