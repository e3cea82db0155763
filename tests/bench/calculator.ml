(* strings: A lexer and a recursive-descent parser for arithmetic, with errors as exceptions, and a
   printer. *)
type token = Number of int | Ident of string | Symbol of char | End
type expr = Int of int | Name of string | Neg of expr | Bin of char * expr * expr

exception Syntax of int * string

type lexer = { text : string; mutable at : int; mutable token : token }

let is_digit c = c >= '0' && c <= '9'
let is_letter c = (c >= 'a' && c <= 'z') || c = '_'

let span lexer f =
  let start = lexer.at in
  while lexer.at < String.length lexer.text && f lexer.text.[lexer.at] do
    lexer.at <- lexer.at + 1
  done;
  String.sub lexer.text start (lexer.at - start)

let advance lexer =
  ignore (span lexer (fun c -> c = ' ' || c = '\n'));
  lexer.token <-
    (if lexer.at >= String.length lexer.text then End
     else match lexer.text.[lexer.at] with
       | c when is_digit c -> Number (int_of_string (span lexer is_digit))
       | c when is_letter c -> Ident (span lexer is_letter)
       | '+' | '-' | '*' | '/' | '(' | ')' as c -> lexer.at <- lexer.at + 1; Symbol c
       | c -> raise (Syntax (lexer.at, Printf.sprintf "unexpected %C" c)))

let priority = function '+' | '-' -> 1 | '*' | '/' -> 2 | _ -> 0

let rec expression lexer least =
  let left = ref (atom lexer) in
  let rec go () =
    match lexer.token with
    | Symbol c when priority c >= least && priority c > 0 ->
      advance lexer;
      let right = expression lexer (priority c + 1) in
      left := Bin (c, !left, right);
      go ()
    | _ -> !left
  in
  go ()

and atom lexer =
  match lexer.token with
  | Number n -> advance lexer; Int n
  | Ident name -> advance lexer; Name name
  | Symbol '-' -> advance lexer; Neg (atom lexer)
  | Symbol '(' ->
    advance lexer;
    let e = expression lexer 1 in
    if lexer.token <> Symbol ')' then raise (Syntax (lexer.at, "a parenthesis is missing"));
    advance lexer;
    e
  | Symbol _ | End -> raise (Syntax (lexer.at, "an operand is missing"))

let parse text =
  let lexer = { text; at = 0; token = End } in
  advance lexer;
  let e = expression lexer 1 in
  if lexer.token <> End then raise (Syntax (lexer.at, "trailing text"));
  e

let rec eval = function
  | Int n -> n
  | Name name -> String.length name
  | Neg e -> -eval e
  | Bin (c, a, b) -> let x = eval a and y = eval b in
    (match c with '+' -> x + y | '-' -> x - y | '*' -> x * y land 0xffffff | _ -> x / y)

let rec print buffer = function
  | Int n -> Buffer.add_string buffer (string_of_int n)
  | Name name -> Buffer.add_string buffer name
  | Neg e -> Buffer.add_char buffer '-'; print buffer e
  | Bin (c, a, b) ->
    Buffer.add_char buffer '(';
    print buffer a;
    Buffer.add_char buffer c;
    print buffer b;
    Buffer.add_char buffer ')'

let line i = Printf.sprintf "%d + foo_%s*(%d - -bar / %d) - (%d*%d + (x - %d)) %s" i
  (if i land 1 = 0 then "a" else "bcd") (i mod 97) (i mod 3) (i * 3) i (i land 63)
  (if i mod 50 = 0 then ")" else "* 2")

let () =
  let sum = ref 0 and errors = Hashtbl.create 5 and characters = ref 0 in
  for i = 1 to 15_000 do
    try
      let e = parse (line i) in
      let buffer = Buffer.create 80 in
      print buffer e;
      characters := !characters + Buffer.length buffer;
      if parse (Buffer.contents buffer) <> e then print_endline "differs";
      sum := (!sum + eval e) land 0xffffffff
    with
    | Syntax (_, message) ->
        Hashtbl.replace errors message
          (1 + Option.value ~default:0 (Hashtbl.find_opt errors message))
    | Division_by_zero -> incr sum
  done;
  Printf.printf "%d %d\n" !sum !characters;
  Hashtbl.iter (Printf.printf "%s: %d\n") errors
