(* closures: Parser combinators: a grammar of arithmetic and let built of functions, run over
   generated text. *)
type 'a parser = string -> int -> ('a * int) option

let return x : 'a parser = fun _ i -> Some (x, i)
let ( >>= ) (p : 'a parser) f : 'b parser = fun s i ->
  match p s i with None -> None | Some (x, j) -> f x s j
let ( <|> ) (p : 'a parser) (q : 'a parser) : 'a parser = fun s i ->
  match p s i with None -> q s i | found -> found
let ( >> ) p q = p >>= fun _ -> q
let ( << ) p q = p >>= fun x -> q >>= fun _ -> return x
let map f p = p >>= fun x -> return (f x)

let satisfy f : char parser = fun s i ->
  if i < String.length s && f s.[i] then Some (s.[i], i + 1) else None

let rec many p : 'a list parser = fun s i ->
  match p s i with
  | None -> Some ([], i)
  | Some (x, j) -> ( match many p s j with None -> None | Some (rest, k) -> Some (x :: rest, k))

let many1 p = p >>= fun x -> many p >>= fun rest -> return (x :: rest)
let spaces = many (satisfy (fun c -> c = ' '))
let token p = p << spaces
let symbol c = token (satisfy (fun d -> c = d))
let digits = many1 (satisfy (fun c -> c >= '0' && c <= '9'))
let number = token (map (List.fold_left (fun n c -> (n * 10) + Char.code c - 48) 0) digits)
let name =
  token (map (fun l -> String.concat "" (List.map (String.make 1) l))
           (many1 (satisfy (fun c -> c >= 'a' && c <= 'z'))))

let rec chain p op = p >>= chain_rest p op
and chain_rest p op left =
  (op >>= fun f -> p >>= fun right -> chain_rest p op (f left right)) <|> return left

type expr = Num of int | Var of string | Op of char * expr * expr | Let of string * expr * expr

let operator c = symbol c >> return (fun a b -> Op (c, a, b))

let rec expr s i = (binding <|> chain term (operator '+' <|> operator '-')) s i
and term s i = chain factor (operator '*') s i
and factor s i =
  (map (fun n -> Num n) number
   <|> (symbol '(' >> expr << symbol ')')
   <|> map (fun n -> Var n) name) s i
and binding s i =
  (symbol '#' >> name >>= fun n ->
   symbol '=' >> expr >>= fun e ->
   symbol ';' >> expr >>= fun body -> return (Let (n, e, body))) s i

let rec eval env = function
  | Num n -> n
  | Var n -> List.assoc n env
  | Let (n, e, body) -> eval ((n, eval env e) :: env) body
  | Op (c, a, b) ->
    let x = eval env a and y = eval env b in
    (match c with '+' -> x + y | '-' -> x - y | _ -> x * y mod 9973)

let rec text depth k =
  if depth = 0 then if k mod 3 = 0 then "x" else string_of_int (k mod 1000)
  else if k mod 11 = 0 then
    Printf.sprintf "(#x = %s; %s)" (text (depth - 1) (k + 1)) (text (depth - 1) (k + 5))
  else Printf.sprintf "(%s %c %s)"
      (text (depth - 1) (k * 7 mod 1009)) "+-*".[k mod 3] (text (depth - 1) (k * 5 mod 1013))

let () =
  for k = 1 to 4 do
    let input = text 15 k in
    match (spaces >> expr) input 0 with
    | Some (e, stop) ->
        Printf.printf "%d of %d characters: %d\n" stop (String.length input) (eval [ ("x", 3) ] e)
    | None -> print_endline "no expression"
  done
