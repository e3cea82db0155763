(* A lexer that knows Unicode, made by the syntax extension. *)
let digit = [%sedlex.regexp? '0' .. '9']
let letter = [%sedlex.regexp? alphabetic]
let rec tokens lexbuf =
  match%sedlex lexbuf with
  | Plus digit, Opt ('.', Plus digit) -> Printf.printf "number %s\n" (Sedlexing.Utf8.lexeme lexbuf);
    tokens lexbuf
  | letter, Star (letter | digit | '_') ->
      let start, stop = Sedlexing.loc lexbuf in
      Printf.printf "name %s %d-%d\n" (Sedlexing.Utf8.lexeme lexbuf) start stop; tokens lexbuf
  | Chars "+-*/=" -> Printf.printf "operator %s\n" (Sedlexing.Utf8.lexeme lexbuf); tokens lexbuf
  | Plus white_space -> tokens lexbuf
  | "(*", Star (Compl '*'), "*)" -> print_endline "comment"; tokens lexbuf
  | eof -> print_endline "end"
  | any -> Printf.printf "unknown %s\n" (Sedlexing.Utf8.lexeme lexbuf); tokens lexbuf
  | _ -> assert false
let () =
  tokens (Sedlexing.Utf8.from_string
    "x_1 = 3.14 + \206\177\206\178 (* why *) * na\195\175ve ? \240\159\144\170");
  (try tokens (Sedlexing.Utf8.from_string "a \255") with Sedlexing.MalFormed ->
    print_endline "malformed");
  let lexbuf = Sedlexing.Latin1.from_string "\233t\233 5" in
  tokens lexbuf;
  let lexbuf = Sedlexing.from_gen (Gen.of_list (List.map Uchar.of_int [ 0x64; 0xe9; 0x20;
    0x37 ])) in
  tokens lexbuf;
  Printf.printf "%d\n" (Sedlexing.lexeme_start lexbuf)
