(* Derivatives of expressions, simplified, again and again: variants, pattern matching,
   allocation, exceptions, polymorphic comparison. *)

type expr =
  | Const of int
  | X
  | Add of expr * expr
  | Mul of expr * expr
  | Power of expr * int

exception Unchanged

let add a b =
  match (a, b) with
  | Const 0, e | e, Const 0 -> e
  | Const m, Const n -> Const (m + n)
  | a, b -> if a = b then Mul (Const 2, a) else Add (a, b)

let mul a b =
  match (a, b) with
  | Const 0, _ | _, Const 0 -> Const 0
  | Const 1, e | e, Const 1 -> e
  | Const m, Const n -> Const (m * n)
  | a, b -> Mul (a, b)

let rec derive = function
  | Const _ -> Const 0
  | X -> Const 1
  | Add (a, b) -> add (derive a) (derive b)
  | Mul (a, b) -> add (mul (derive a) b) (mul a (derive b))
  | Power (_, 0) -> Const 0
  | Power (e, n) -> mul (mul (Const n) (if n = 1 then Const 1 else Power (e, n - 1))) (derive e)

let rec size = function
  | Const _ | X -> 1
  | Power (e, _) -> 1 + size e
  | Add (a, b) | Mul (a, b) -> 1 + size a + size b

(* The value modulo a prime, so that numbers stay small. *)
let rec value x = function
  | Const n -> n mod 10007
  | X -> x
  | Add (a, b) -> (value x a + value x b) mod 10007
  | Mul (a, b) -> value x a * value x b mod 10007
  | Power (e, n) ->
    let base = value x e in
    let rec power result n = if n = 0 then result else power (result * base mod 10007) (n - 1) in
    power 1 n

let rec replace old = function
  | e when e = old -> Const 1
  | Add (a, b) -> (
    try Add (replace old a, b) with Unchanged -> Add (a, replace old b))
  | Mul (a, b) -> (
    try Mul (replace old a, b) with Unchanged -> Mul (a, replace old b))
  | Power (e, n) -> Power (replace old e, n)
  | Const _ | X -> raise Unchanged

let () =
  let start = Mul (Power (Add (X, Const 3), 15), Add (Power (X, 12), Mul (Const 7, X))) in
  let rec go n e =
    let shown = try value 5 (replace (Const 7) e) with Unchanged -> value 5 e in
    print_string
      ("derivative " ^ string_of_int n ^ ": " ^ string_of_int (size e) ^ " nodes, value "
      ^ string_of_int shown ^ "\n");
    if n < 14 then go (n + 1) (derive e)
  in
  go 0 start
