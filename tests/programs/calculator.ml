(* A hand-written lexer and recursive-descent parser with errors, variables and functions. *)
type token = Num of float | Ident of string | Op of char | Lparen | Rparen | Comma | Equal | End
exception Syntax of int * string

let is_digit c = c >= '0' && c <= '9'
let is_alpha c = (c >= 'a' && c <= 'z') || c = '_'

let tokenize s =
  let n = String.length s in
  let rec span p i = if i < n && p s.[i] then span p (i + 1) else i in
  let rec go i acc =
    if i >= n then List.rev ((i, End) :: acc)
    else
      match s.[i] with
      | ' ' -> go (i + 1) acc
      | c when is_digit c ->
        let j = span (fun c -> is_digit c || c = '.') i in
        go j ((i, Num (float_of_string (String.sub s i (j - i)))) :: acc)
      | c when is_alpha c ->
          let j = span is_alpha i in go j ((i, Ident (String.sub s i (j - i))) :: acc)
      | ('+' | '-' | '*' | '/' | '^') as c -> go (i + 1) ((i, Op c) :: acc)
      | '(' -> go (i + 1) ((i, Lparen) :: acc)
      | ')' -> go (i + 1) ((i, Rparen) :: acc)
      | ',' -> go (i + 1) ((i, Comma) :: acc)
      | '=' -> go (i + 1) ((i, Equal) :: acc)
      | c -> raise (Syntax (i, Printf.sprintf "unexpected %C" c))
  in
  go 0 []

let env : (string, float) Hashtbl.t = Hashtbl.create 16
let functions =
  [ ("max", fun l -> List.fold_left max neg_infinity l);
    ("sum", List.fold_left ( +. ) 0.);
    ("sqrt", fun l -> sqrt (List.hd l)) ]

type state = { mutable rest : (int * token) list }
let peek st = snd (List.hd st.rest)
let advance st = st.rest <- List.tl st.rest
let fail st m = raise (Syntax (fst (List.hd st.rest), m))
let expect st t m = if peek st = t then advance st else fail st m

let rec expr st = binary st term [ ('+', ( +. )); ('-', ( -. )) ]
and term st = binary st factor [ ('*', ( *. )); ('/', ( /. )) ]
and binary st next ops =
  let rec loop acc =
    match peek st with
    | Op c when List.mem_assoc c ops -> advance st; loop ((List.assoc c ops) acc (next st))
    | _ -> acc
  in
  loop (next st)
and factor st =
  let base = unary st in
  if peek st = Op '^' then begin advance st; base ** factor st end else base
and unary st = match peek st with Op '-' -> advance st; -.unary st | _ -> atom st
and atom st =
  match peek st with
  | Num f -> advance st; f
  | Lparen -> advance st; let v = expr st in expect st Rparen "')' expected"; v
  | Ident name ->
    advance st;
    if peek st = Lparen then begin
      advance st;
      let args = arguments st in
      match List.assoc_opt name functions with
      | Some f -> f args
      | None -> fail st ("unknown function " ^ name)
    end
    else (match Hashtbl.find_opt env name with Some v -> v | None -> fail st ("unbound " ^ name))
  | _ -> fail st "operand expected"
and arguments st =
  if peek st = Rparen then (advance st; [])
  else
    let v = expr st in
    match peek st with
    | Comma -> advance st; v :: arguments st
    | _ -> expect st Rparen "',' or ')' expected"; [ v ]

let run line =
  try
    let tokens = tokenize line in
    let target, rest =
      match tokens with
      | (_, Ident x) :: (_, Equal) :: rest -> (Some x, rest)
      | l -> (None, l) in
    let st = { rest } in
    let v = expr st in
    if peek st <> End then fail st "trailing input";
    Option.iter (fun x -> Hashtbl.replace env x v) target;
    Printf.printf "%s => %g\n" line v
  with Syntax (pos, m) -> Printf.printf "%s\n%s^ %s\n" line (String.make pos ' ') m

let () =
  List.iter run
    [ "1 + 2 * 3"; "(1 + 2) * 3"; "2 ^ 3 ^ 2"; "-2 ^ 2"; "x = 10 / 4"; "x * x"; "max(1, x, 3 - 1)";
      "sum()"; "sqrt(2 * 8)"; "1 + "; "(1"; "y + 1"; "foo(1)"; "1 2"; "3 $ 4"; "max(1 2)";
      "10 - 4 - 3"; "8 / 4 / 2" ]
