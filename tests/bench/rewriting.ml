(* allocation: Term rewriting: Peano arithmetic and group terms brought to normal form, critical
   pairs by unification. *)
type term = Var of int | Node of string * term list

exception Clash

let rec occurs v = function Var w -> v = w | Node (_, args) -> List.exists (occurs v) args

let rec substitute s = function
  | Var v as t -> ( try List.assoc v s with Not_found -> t)
  | Node (f, args) -> Node (f, List.map (substitute s) args)

let rec matching s pattern term =
  match pattern, term with
  | Var v, _ -> (
    match List.assoc_opt v s with
    | Some bound -> if bound = term then s else raise Clash
    | None -> (v, term) :: s)
  | Node (f, a), Node (g, b) -> if f = g then List.fold_left2 matching s a b else raise Clash
  | Node _, Var _ -> raise Clash

let rec unify s a b =
  match substitute s a, substitute s b with
  | Var v, Var w when v = w -> s
  | Var v, t | t, Var v ->
    if occurs v t then raise Clash;
    (v, t) :: List.map (fun (w, u) -> (w, substitute [ (v, t) ] u)) s
  | Node (f, a), Node (g, b) ->
      if f = g && List.length a = List.length b then List.fold_left2 unify s a b
      else raise Clash

let rec at_root rules term =
  match rules with
  | [] -> None
  | (left, right) :: rest -> (
      try Some (substitute (matching [] left term) right)
      with Clash -> at_root rest term)

let steps = ref 0

let rec normal rules term =
  match term with
  | Var _ -> term
  | Node (f, args) -> (
    let term = Node (f, List.map (normal rules) args) in
    match at_root rules term with
    | None -> term
    | Some next -> incr steps; normal rules next)

let rec rename k = function
  | Var v -> Var (v + k)
  | Node (f, args) -> Node (f, List.map (rename k) args)

let rec overlaps left (l, r) = (* what the rule can do inside of [left] *)
  match left with
  | Var _ -> []
  | Node (f, args) ->
    let here = try let s = unify [] left l in [ substitute s r ] with Clash -> [] in
    let rec inside before = function
      | [] -> []
      | a :: after ->
        List.map (fun t -> Node (f, List.rev_append before (t :: after))) (overlaps a (l, r))
        @ inside (a :: before) after
    in
    here @ inside [] args

let zero = Node ("0", [])
let s t = Node ("s", [ t ])
let ( + ) a b = Node ("+", [ a; b ])
let ( * ) a b = Node ("*", [ a; b ])
let inverse t = Node ("i", [ t ])
let x = Var 1 and y = Var 2 and z = Var 3

let peano = [ (x + zero, x); (x + s y, s (x + y)); (x * zero, zero); (x * s y, (x * y) + x) ]
let unit = Node ("e", [])
let group =
  [ (unit * x, x); (inverse x * x, unit); ((x * y) * z, x * (y * z));
    (inverse x * (x * y), y); (x * unit, x);
    (inverse unit, unit); (inverse (inverse x), x); (x * inverse x, unit); (x * (inverse x * y), y);
    (inverse (x * y), inverse y * inverse x) ]

let rec number n = if n = 0 then zero else s (number (n - 1))
let rec size = function
  | Var _ -> 1
  | Node (_, args) -> List.fold_left (fun n t -> Stdlib.( + ) n (size t)) 1 args

let () =
  let product = normal peano (number 44 * (number 22 + number 21)) in
  Printf.printf "%d after %d steps\n" (size product - 1) !steps;
  let rec word n =
    if n = 0 then Node ("a", [])
    else inverse (word (n - 1) * Node ("b", [])) * Node ("c", []) in
  Printf.printf "%d" (size (normal group (word 23)));
  Printf.printf " after %d steps\n" !steps;
  let pairs =
    List.concat_map
      (fun (l, r) ->
        List.concat_map (fun (l', r') -> overlaps l (rename 10 l', rename 10 r')) group)
      group in
  for _ = 1 to 8 do List.iter (fun t -> ignore (normal group t)) pairs done;
  Printf.printf "%d pairs, %d steps\n" (List.length pairs) !steps
