(* allocation: Symbolic rewriting to normal form: a small set of arithmetic and list axioms. *)
type term = Var of int | App of string * term list

exception No_match

let rec matching subst pattern t =
  match pattern, t with
  | Var v, _ -> (
    match List.assoc_opt v subst with
    | Some u -> if u = t then subst else raise_notrace No_match
    | None -> (v, t) :: subst)
  | App (f, args), App (g, brgs) when f = g -> List.fold_left2 matching subst args brgs
  | App _, _ -> raise_notrace No_match

let rec apply subst = function
  | Var v -> List.assoc v subst
  | App (f, args) -> App (f, List.map (apply subst) args)

let app f l = App (f, l)
let v n = Var n
let zero = app "0" []
let s x = app "s" [ x ]

let rules =
  [ (app "+" [ zero; v 0 ], v 0);
    (app "+" [ s (v 0); v 1 ], s (app "+" [ v 0; v 1 ]));
    (app "*" [ zero; v 0 ], zero);
    (app "*" [ s (v 0); v 1 ], app "+" [ v 1; app "*" [ v 0; v 1 ] ]);
    (app "fact" [ zero ], s zero);
    (app "fact" [ s (v 0) ], app "*" [ s (v 0); app "fact" [ v 0 ] ]);
    (app "append" [ app "nil" []; v 0 ], v 0);
    (app "append" [ app "cons" [ v 0; v 1 ]; v 2 ], app "cons" [ v 0; app "append" [ v 1; v 2 ] ]);
    (app "rev" [ app "nil" [] ], app "nil" []);
    (app "rev" [ app "cons" [ v 0; v 1 ] ],
     app "append" [ app "rev" [ v 1 ]; app "cons" [ v 0; app "nil" [] ] ]) ]

let steps = ref 0

let rec try_rules t = function
  | [] -> None
  | (l, r) :: rest -> (
      match matching [] l t with
      | subst -> incr steps; Some (apply subst r)
      | exception No_match -> try_rules t rest)

let rec normalise t =
  match t with
  | Var _ -> t
  | App (f, args) -> (
    let t = App (f, List.map normalise args) in
    match try_rules t rules with None -> t | Some u -> normalise u)

let rec number n = if n = 0 then zero else s (number (n - 1))
let rec value = function App ("s", [ t ]) -> 1 + value t | _ -> 0
let rec list n = if n = 0 then app "nil" [] else app "cons" [ number (n mod 3); list (n - 1) ]
let rec length = function App ("cons", [ _; t ]) -> 1 + length t | _ -> 0

let () =
  let f = normalise (app "fact" [ number 6 ]) in
  let r = normalise (app "rev" [ list 130 ]) in
  Printf.printf "%d %d %d\n" (value f) (length r) !steps
