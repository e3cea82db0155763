(* GADTs: a typed evaluator, existential values, length-indexed vectors, universal
   quantification. *)
type _ expr =
  | Int : int -> int expr
  | Bool : bool -> bool expr
  | Float : float -> float expr
  | Add : int expr * int expr -> int expr
  | Mulf : float expr * float expr -> float expr
  | If : bool expr * 'a expr * 'a expr -> 'a expr
  | Less : int expr * int expr -> bool expr
  | Pair : 'a expr * 'b expr -> ('a * 'b) expr
  | Fst : ('a * 'b) expr -> 'a expr
  | Fun : ('a -> 'b expr) -> ('a -> 'b expr) expr
  | App : ('a -> 'b expr) expr * 'a expr -> 'b expr

let rec eval : type a. a expr -> a = function
  | Int n -> n
  | Bool b -> b
  | Float f -> f
  | Add (a, b) -> eval a + eval b
  | Mulf (a, b) -> eval a *. eval b
  | If (c, t, e) -> if eval c then eval t else eval e
  | Less (a, b) -> eval a < eval b
  | Pair (a, b) -> (eval a, eval b)
  | Fst p -> fst (eval p)
  | Fun f -> f
  | App (f, x) -> eval ((eval f) (eval x))

type _ ty =
  | TInt : int ty
  | TString : string ty
  | TList : 'a ty -> 'a list ty
  | TPair : 'a ty * 'b ty -> ('a * 'b) ty

let rec show : type a. a ty -> a -> string = fun ty v ->
  match ty with
  | TInt -> string_of_int v
  | TString -> Printf.sprintf "%S" v
  | TList t -> "[" ^ String.concat "; " (List.map (show t) v) ^ "]"
  | TPair (a, b) -> let x, y = v in "(" ^ show a x ^ ", " ^ show b y ^ ")"

type (_, _) eq = Refl : ('a, 'a) eq
let rec same : type a b. a ty -> b ty -> (a, b) eq option = fun a b ->
  match a, b with
  | TInt, TInt -> Some Refl
  | TString, TString -> Some Refl
  | TList x, TList y -> (match same x y with Some Refl -> Some Refl | None -> None)
  | TPair (a, b), TPair (c, d) ->
      (match same a c, same b d with Some Refl, Some Refl -> Some Refl | _ -> None)
  | _ -> None

type dyn = Dyn : 'a ty * 'a -> dyn
let cast : type a. a ty -> dyn -> a option = fun ty (Dyn (t, v)) ->
  match same t ty with Some Refl -> Some v | None -> None

type zero = Zero
type 'n succ = Succ
type (_, _) vec = Nil : (zero, 'a) vec | Cons : 'a * ('n, 'a) vec -> ('n succ, 'a) vec
let head : type n a. (n succ, a) vec -> a = fun (Cons (x, _)) -> x
let rec zip : type n. (n, 'a) vec -> (n, 'b) vec -> (n, 'a * 'b) vec = fun a b ->
  match a, b with Nil, Nil -> Nil | Cons (x, a), Cons (y, b) -> Cons ((x, y), zip a b)
let rec to_list : type n. (n, 'a) vec -> 'a list = function
  | Nil -> []
  | Cons (x, r) -> x :: to_list r

type poly = { apply : 'a. 'a list -> 'a list }

let () =
  let e =
    If (Less (Int 3, Add (Int 1, Int 1)), Int 10, Add (Int 20, Fst (Pair (Int 5, Float 2.)))) in
  Printf.printf "%d\n" (eval e);
  Printf.printf "%g\n" (eval (Mulf (Float 1.5, If (Bool true, Float 4., Float 5.))));
  Printf.printf "%d\n" (eval (App (Fun (fun x -> Add (Int x, Int x)), Add (Int 1, Int 20))));
  print_endline (show (TList (TPair (TInt, TString))) [ (1, "a"); (2, "b") ]);
  let dyns = [ Dyn (TInt, 5); Dyn (TString, "s"); Dyn (TList TInt, [ 1; 2 ]) ] in
  List.iter
    (fun d -> print_string (match cast TInt d with Some n -> string_of_int n | None -> "-"))
    dyns;
  List.iter
    (fun d ->
      print_string
        (match cast (TList TInt) d with Some l -> string_of_int (List.length l) | None -> "-"))
    dyns;
  print_newline ();
  let v = Cons (1, Cons (2, Nil)) and w = Cons ("x", Cons ("y", Nil)) in
  Printf.printf "%d %s\n" (head v)
    (String.concat "" (List.map (fun (i, s) -> s ^ string_of_int i) (to_list (zip v w))));
  let rev = { apply = List.rev } in
  Printf.printf "%s %d\n" (String.concat "" (rev.apply [ "a"; "b" ]))
    (List.hd (rev.apply [ 1; 2; 3 ]))
