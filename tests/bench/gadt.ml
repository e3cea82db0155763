(* allocation: A typed expression language as a GADT: generated, simplified, evaluated, and compiled
   to a stack machine. *)
type _ expr =
  | Int : int -> int expr
  | Bool : bool -> bool expr
  | Add : int expr * int expr -> int expr
  | Mul : int expr * int expr -> int expr
  | Less : int expr * int expr -> bool expr
  | If : bool expr * 'a expr * 'a expr -> 'a expr
  | Pair : 'a expr * 'b expr -> ('a * 'b) expr
  | First : ('a * 'b) expr -> 'a expr
  | Second : ('a * 'b) expr -> 'b expr

let rec eval : type a. a expr -> a = function
  | Int n -> n
  | Bool b -> b
  | Add (a, b) -> (eval a + eval b) land 0xffffff
  | Mul (a, b) -> eval a * eval b land 0xffffff
  | Less (a, b) -> eval a < eval b
  | If (c, t, e) -> if eval c then eval t else eval e
  | Pair (a, b) -> let x = eval a in (x, eval b)
  | First p -> fst (eval p)
  | Second p -> snd (eval p)

let rec simplify : type a. a expr -> a expr = function
  | Add (a, b) -> (
    match simplify a, simplify b with
    | Int 0, e | e, Int 0 -> e
    | Int m, Int n -> Int ((m + n) land 0xffffff)
    | a, b -> Add (a, b))
  | Mul (a, b) -> (
    match simplify a, simplify b with
    | Int 1, e | e, Int 1 -> e
    | a, b -> Mul (a, b))
  | If (c, t, e) -> (
      match simplify c with
      | Bool true -> simplify t
      | Bool false -> simplify e
      | c -> If (c, simplify t, simplify e))
  | Less (a, b) -> (
      match simplify a, simplify b with
      | Int m, Int n -> Bool (m < n)
      | a, b -> Less (a, b))
  | First p -> ( match simplify p with Pair (a, _) -> a | p -> First p)
  | Second p -> ( match simplify p with Pair (_, b) -> b | p -> Second p)
  | Pair (a, b) -> Pair (simplify a, simplify b)
  | Int n -> Int n
  | Bool b -> Bool b

let rec size : type a. a expr -> int = function
  | Int _ | Bool _ -> 1
  | Add (a, b) -> 1 + size a + size b
  | Mul (a, b) -> 1 + size a + size b
  | Less (a, b) -> 1 + size a + size b
  | If (c, t, e) -> 1 + size c + size t + size e
  | Pair (a, b) -> 1 + size a + size b
  | First p -> 1 + size p
  | Second p -> 1 + size p

(* The stack's type is in the instruction's type. *)
type (_, _) code =
  | Halt : ('s, 's) code
  | Push : int * (int * 's, 't) code -> ('s, 't) code
  | Plus : (int * 's, 't) code -> (int * (int * 's), 't) code
  | Times : (int * 's, 't) code -> (int * (int * 's), 't) code
  | Branch : ('s, 'u) code * ('s, 'u) code * ('u, 't) code -> (int * 's, 't) code

let rec run : type s t. s -> (s, t) code -> t = fun stack code ->
  match code, stack with
  | Halt, s -> s
  | Push (n, k), s -> run (n, s) k
  | Plus k, (a, (b, s)) -> run ((a + b) land 0xffffff, s) k
  | Times k, (a, (b, s)) -> run (a * b land 0xffffff, s) k
  | Branch (t, e, k), (c, s) -> run (if c land 1 = 0 then run s t else run s e) k

let rec machine : type s t. int -> (int * s, t) code -> (s, t) code = fun n k ->
  if n = 0 then Push (3, k)
  else if n mod 3 = 0 then machine (n - 1) (Branch (Push (n, Halt), Push (n * 7, Halt), k))
  else machine (n - 1) (machine (n / 2) (if n land 1 = 0 then Plus k else Times k))

let rec build depth k =
  if depth = 0 then Int (k mod 5)
  else match k mod 4 with
    | 0 -> Add (build (depth - 1) (k + 1), build (depth - 1) (k * 3))
    | 1 -> Mul (build (depth - 1) (k + 2), build (depth - 1) (k * 5))
    | 2 ->
        If (Less (build (depth - 1) k, Int 2), build (depth - 1) (k + 3), build (depth - 1) (k / 2))
    | _ -> Second (Pair (Bool true, First (Pair (build (depth - 1) (k + 7), Int k))))

let () =
  let total = ref 0 in
  for k = 1 to 240 do
    let e = build 12 k in
    let s = simplify e in
    if eval e <> eval s then print_endline "differs";
    total := !total + eval s + size e - size s
  done;
  Printf.printf "%d\n" !total;
  let code = machine 40 Halt in
  let sum = ref 0 in
  for i = 1 to 1500 do
    let result, _ = run (i, ()) (Plus code |> fun k -> Push (i, k)) in
    sum := !sum + result
  done;
  Printf.printf "%d\n" !sum
