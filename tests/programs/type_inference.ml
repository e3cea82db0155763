(* Hindley-Milner inference by unification over mutable type variables, with let-polymorphism. *)
type ty = Var of var ref | Arrow of ty * ty | Con of string | Pair of ty * ty | List of ty
and var = Unbound of int * int | Link of ty
type scheme = Forall of int list * ty
type expr =
  | V of string | L of string * expr | A of expr * expr | Let of string * expr * expr
  | I of int | B of bool | P of expr * expr | Nil | Cons of expr * expr | If of expr * expr * expr

exception Clash of ty * ty
exception Occurs

let counter = ref 0
let level = ref 0
let fresh () = incr counter; Var (ref (Unbound (!counter, !level)))
let rec repr = function
  | Var ({ contents = Link t } as r) -> let t = repr t in r := Link t; t
  | t -> t

let rec occurs r lvl t = match repr t with
  | Var r' when r == r' -> raise Occurs
  | Var ({ contents = Unbound (n, l) } as r') -> if l > lvl then r' := Unbound (n, lvl)
  | Arrow (a, b) | Pair (a, b) -> occurs r lvl a; occurs r lvl b
  | List a -> occurs r lvl a
  | Var _ | Con _ -> ()

let rec unify a b = match repr a, repr b with
  | Var r, Var s when r == s -> ()
  | Var ({ contents = Unbound (_, l) } as r), t
  | t, Var ({ contents = Unbound (_, l) } as r) -> occurs r l t; r := Link t
  | Arrow (a, b), Arrow (c, d) | Pair (a, b), Pair (c, d) -> unify a c; unify b d
  | List a, List b -> unify a b
  | Con a, Con b when a = b -> ()
  | a, b -> raise (Clash (a, b))

let generalise t =
  let rec vars acc t = match repr t with
    | Var { contents = Unbound (n, l) } when l > !level -> if List.mem n acc then acc else n :: acc
    | Arrow (a, b) | Pair (a, b) -> vars (vars acc a) b
    | List a -> vars acc a
    | _ -> acc in
  Forall (vars [] t, t)

let instantiate (Forall (vs, t)) =
  let map = List.map (fun v -> (v, fresh ())) vs in
  let rec go t = match repr t with
    | Var { contents = Unbound (n, _) } as t -> (try List.assoc n map with Not_found -> t)
    | Arrow (a, b) -> Arrow (go a, go b)
    | Pair (a, b) -> Pair (go a, go b)
    | List a -> List (go a)
    | t -> t in
  go t

let show t =
  let names = Hashtbl.create 8 in
  let name n =
    match Hashtbl.find_opt names n with
    | Some s -> s
    | None ->
        let s = Printf.sprintf "'%c" (Char.chr (97 + Hashtbl.length names)) in
        Hashtbl.add names n s; s in
  let rec go p t = match repr t with
    | Var { contents = Unbound (n, _) } -> name n
    | Var { contents = Link t } -> go p t
    | Con s -> s
    | List a -> go 2 a ^ " list"
    | Pair (a, b) -> let l = go 2 a in wrap (p > 1) (l ^ " * " ^ go 2 b)
    | Arrow (a, b) -> let l = go 1 a in wrap (p > 0) (l ^ " -> " ^ go 0 b)
  and wrap b s = if b then "(" ^ s ^ ")" else s in
  go 0 t

let rec infer env = function
  | V x ->
      (match List.assoc_opt x env with Some s -> instantiate s | None -> failwith ("unbound " ^ x))
  | I _ -> Con "int"
  | B _ -> Con "bool"
  | L (x, e) -> let a = fresh () in let b = infer ((x, Forall ([], a)) :: env) e in Arrow (a, b)
  | A (f, x) ->
      let tf = infer env f in
      let tx = infer env x in
      let r = fresh () in
      unify tf (Arrow (tx, r)); r
  | Let (x, e, b) ->
      incr level;
      let t = infer env e in
      decr level;
      infer ((x, generalise t) :: env) b
  | P (a, b) -> let ta = infer env a in Pair (ta, infer env b)
  | Nil -> List (fresh ())
  | Cons (x, l) -> let t = infer env x in unify (List t) (infer env l); List t
  | If (c, a, b) ->
      unify (infer env c) (Con "bool");
      let t = infer env a in
      unify t (infer env b); t

let rec pairs n = if n = 0 then V "x" else Let ("x", P (V "x", V "x"), pairs (n - 1))

let check e =
  counter := 0; level := 0;
  let env = [ ("+", Forall ([], Arrow (Con "int", Arrow (Con "int", Con "int")))) ] in
  match infer env e with
  | t ->
      let s = show t in
      print_endline
        (if String.length s > 100 then Printf.sprintf "%d characters" (String.length s) else s)
  | exception Clash (a, b) -> Printf.printf "clash of %s and %s\n" (show a) (show b)
  | exception Occurs -> print_endline "infinite type"
  | exception Failure m -> print_endline m

let () =
  let id = L ("x", V "x") in
  List.iter check
    [ id; L ("f", L ("x", A (V "f", A (V "f", V "x"))));
      Let ("id", id, P (A (V "id", I 1), A (V "id", B true)));
      L ("f", L ("g", L ("x", A (A (V "f", V "x"), A (V "g", V "x"))))); L ("x", A (V "x", V "x"));
      A (I 1, I 2); L ("id", P (A (V "id", I 1), A (V "id", B true)));
      Cons (I 1, Cons (B true, Nil)); L ("x", Cons (V "x", Nil));
      L ("c", If (V "c", L ("a", V "a"), L ("b", A (A (V "+", V "b"), I 1)))); V "nope";
      Let ("x", I 1, pairs 6); L ("p", Let ("q", V "p", P (V "q", Nil))) ]
