(* allocation: Symbolic differentiation: derivatives taken, simplified, printed and evaluated. *)
type expr =
  | Const of int
  | X
  | Sum of expr * expr
  | Product of expr * expr
  | Power of expr * int
  | Sin of expr
  | Cos of expr
  | Exp of expr

let rec derive = function
  | Const _ -> Const 0
  | X -> Const 1
  | Sum (a, b) -> Sum (derive a, derive b)
  | Product (a, b) -> Sum (Product (derive a, b), Product (a, derive b))
  | Power (_, 0) -> Const 0
  | Power (a, n) -> Product (Product (Const n, Power (a, n - 1)), derive a)
  | Sin a -> Product (Cos a, derive a)
  | Cos a -> Product (Product (Const (-1), Sin a), derive a)
  | Exp a -> Product (Exp a, derive a)

let rec simplify e =
  match e with
  | Const _ | X -> e
  | Sum (a, b) -> (
    match simplify a, simplify b with
    | Const m, Const n -> Const (m + n)
    | Const 0, e | e, Const 0 -> e
    | a, b when a = b -> simplify (Product (Const 2, a))
    | a, b -> Sum (a, b))
  | Product (a, b) -> (
    match simplify a, simplify b with
    | Const m, Const n -> Const (m * n land 0xffff)
    | Const 0, _ | _, Const 0 -> Const 0
    | Const 1, e | e, Const 1 -> e
    | Const m, Product (Const n, e) -> simplify (Product (Const (m * n land 0xffff), e))
    | e, (Const _ as c) -> Product (c, e)
    | a, b -> Product (a, b))
  | Power (a, n) -> ( match simplify a, n with _, 0 -> Const 1 | a, 1 -> a | a, n -> Power (a, n))
  | Sin a -> Sin (simplify a)
  | Cos a -> Cos (simplify a)
  | Exp a -> Exp (simplify a)

let rec eval x = function
  | Const n -> float_of_int n
  | X -> x
  | Sum (a, b) -> eval x a +. eval x b
  | Product (a, b) -> eval x a *. eval x b
  | Power (a, n) -> eval x a ** float_of_int n
  | Sin a -> sin (eval x a)
  | Cos a -> cos (eval x a)
  | Exp a -> exp (eval x a)

let rec size = function
  | Const _ | X -> 1
  | Sum (a, b) | Product (a, b) -> 1 + size a + size b
  | Power (a, _) | Sin a | Cos a | Exp a -> 1 + size a

let rec print b = function
  | Const n -> Buffer.add_string b (string_of_int n)
  | X -> Buffer.add_char b 'x'
  | Sum (a, c) -> Printf.bprintf b "(%a + %a)" print a print c
  | Product (a, c) -> Printf.bprintf b "%a * %a" print a print c
  | Power (a, n) -> Printf.bprintf b "%a^%d" print a n
  | Sin a -> Printf.bprintf b "sin(%a)" print a
  | Cos a -> Printf.bprintf b "cos(%a)" print a
  | Exp a -> Printf.bprintf b "exp(%a)" print a

let () =
  let start = Product (Sin (Product (X, X)), Sum (Exp (Cos X), Power (Sum (X, Const 3), 4))) in
  let e = ref start in
  for n = 1 to 8 do
    e := simplify (derive !e);
    Printf.printf "%d: size %d, at 0.5: %.4e\n" n (size !e) (eval 0.5 !e)
  done;
  let b = Buffer.create 10_000 and sum = ref 0. in
  for i = 1 to 80 do sum := !sum +. eval (float_of_int i /. 100.) !e done;
  Printf.printf "%.5e\n" !sum;
  print b (simplify (derive (derive start)));
  Printf.printf "%s...\n" (Buffer.sub b 0 70)
