(* allocation: A call-by-need-free evaluator of the lambda calculus with de Bruijn indices and
   environments. *)
type term =
  | Var of int
  | Lam of term
  | App of term * term
  | Lit of int
  | Add of term * term
  | If0 of term * term * term
type value = Int of int | Closure of term * value list

let rec eval env = function
  | Var n -> List.nth env n
  | Lam b -> Closure (b, env)
  | Lit n -> Int n
  | App (f, x) -> (
    match eval env f with
    | Closure (b, cenv) -> let v = eval env x in eval (v :: cenv) b
    | Int _ -> failwith "not a function")
  | Add (a, b) -> (
      match eval env a, eval env b with
      | Int x, Int y -> Int (x + y)
      | _ -> failwith "not a number")
  | If0 (c, t, e) -> (
      match eval env c with
      | Int 0 -> eval env t
      | Int _ -> eval env e
      | Closure _ -> failwith "not a number")

(* The call-by-value fixed point of a function of one argument. *)
let z =
  Lam (App (Lam (App (Var 1, Lam (App (App (Var 1, Var 1), Var 0)))),
            Lam (App (Var 1, Lam (App (App (Var 1, Var 1), Var 0))))))

let fib =
  App
    ( z,
      Lam
        (Lam
           (If0 (Var 0, Lit 0,
                 If0 (Add (Var 0, Lit (-1)), Lit 1,
                      Add (App (Var 1, Add (Var 0, Lit (-1))),
                           App (Var 1, Add (Var 0, Lit (-2)))))))) )

let church n = Lam (Lam (let rec go n = if n = 0 then Var 0 else App (Var 1, go (n - 1)) in go n))
let power = App (church 6, church 7)

let show = function Int n -> string_of_int n | Closure _ -> "<fun>"

let () =
  print_endline (show (eval [] (App (fib, Lit 29))));
  print_endline (show (eval [] (App (App (power, Lam (Add (Var 0, Lit 1))), Lit 0))))
