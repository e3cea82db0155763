(* allocation: Hindley-Milner type inference with mutable type variables, levels and path
   compression. *)
type ty = Const of string | Arrow of ty * ty | Pair of ty * ty | Tvar of tvar ref
and tvar = Unbound of int * int | Link of ty | Generic of int

type expr =
  | Var of string
  | Lam of string * expr
  | App of expr * expr
  | Let of string * expr * expr
  | Lit of int
  | Tuple of expr * expr

exception Mismatch of string

let counter = ref 0
let fresh level = incr counter; Tvar (ref (Unbound (!counter, level)))

let rec repr = function
  | Tvar ({ contents = Link t } as r) ->
    let t = repr t in
    r := Link t;
    t
  | t -> t

let rec adjust id level t =
  match repr t with
  | Tvar ({ contents = Unbound (id', level') } as r) ->
    if id = id' then raise (Mismatch "cyclic");
    if level' > level then r := Unbound (id', level)
  | Arrow (a, b) | Pair (a, b) -> adjust id level a; adjust id level b
  | Const _ | Tvar _ -> ()

let rec unify a b =
  let a = repr a and b = repr b in
  if a != b then
    match a, b with
    | Tvar ({ contents = Unbound (id, level) } as r), t
    | t, Tvar ({ contents = Unbound (id, level) } as r) ->
      adjust id level t;
      r := Link t
    | Arrow (a, b), Arrow (c, d) | Pair (a, b), Pair (c, d) -> unify a c; unify b d
    | Const a, Const b when a = b -> ()
    | _ -> raise (Mismatch "types")

let rec generalize level t =
  match repr t with
  | Tvar { contents = Unbound (id, level') } when level' > level -> Tvar (ref (Generic id))
  | Arrow (a, b) -> Arrow (generalize level a, generalize level b)
  | Pair (a, b) -> Pair (generalize level a, generalize level b)
  | t -> t

let instantiate level t =
  let map = Hashtbl.create 8 in
  let rec go t =
    match repr t with
    | Tvar { contents = Generic id } -> (
      try Hashtbl.find map id with Not_found -> let v = fresh level in Hashtbl.add map id v; v)
    | Arrow (a, b) -> Arrow (go a, go b)
    | Pair (a, b) -> Pair (go a, go b)
    | t -> t
  in
  go t

let rec infer env level = function
  | Lit _ -> Const "int"
  | Var x ->
      instantiate level (try List.assoc x env with Not_found -> raise (Mismatch ("unbound " ^ x)))
  | Lam (x, body) ->
    let v = fresh level in
    Arrow (v, infer ((x, v) :: env) level body)
  | App (f, x) ->
    let tf = infer env level f in
    let tx = infer env level x in
    let result = fresh level in
    unify tf (Arrow (tx, result));
    result
  | Let (x, e, body) -> infer ((x, generalize level (infer env (level + 1) e)) :: env) level body
  | Tuple (a, b) -> let ta = infer env level a in Pair (ta, infer env level b)

let rec size t =
  match repr t with
  | Arrow (a, b) | Pair (a, b) -> 1 + size a + size b
  | Const _ | Tvar _ -> 1

let compose = Lam ("f", Lam ("g", Lam ("x", App (Var "f", App (Var "g", Var "x")))))
let twice = Lam ("f", Lam ("x", App (Var "f", App (Var "f", Var "x"))))
let pair = Lam ("x", Tuple (Var "x", Var "x"))

let rec tower n e =
  if n = 0 then e
  else
    Let ("t" ^ string_of_int n, compose,
         tower (n - 1) (App (App (Var ("t" ^ string_of_int n), twice), e)))
let rec pairs n =
  if n = 0 then Lit 1
  else
    Let ("p", Lam ("y", App (pair, App (Var "p", Var "y"))),
         if n = 1 then Var "p" else pairs (n - 1))

let () =
  for round = 1 to 240 do
    let e = tower (20 + round) twice in
    let t = infer [] 0 e in
    if round mod 80 = 0 then
      Printf.printf "%d: type of size %d, %d variables\n" round (size t) !counter
  done;
  let t = infer [] 0 (Let ("p", pair, pairs 14)) in
  Printf.printf "%d\n" (size t);
  List.iter
    (fun e ->
      try Printf.printf "size %d\n" (size (infer [] 0 e))
      with Mismatch m -> print_endline m)
    [ Lam ("x", App (Var "x", Var "x")); App (Lit 1, Lit 2);
      Var "nowhere"; App (twice, Lam ("x", Var "x")) ]
