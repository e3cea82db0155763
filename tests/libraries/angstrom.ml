(* Parses expressions, a format of bytes, and input that comes in parts. *)
open Angstrom
let spaces = skip_while (function ' ' | '\t' -> true | _ -> false)
let token p = p <* spaces
let operator c f = token (char c) *> return f
let number = token (take_while1 (function '0' .. '9' -> true | _ -> false) >>| int_of_string)
let chain e op =
  let rec go acc = lift2 (fun f x -> f acc x) op e >>= go <|> return acc in
  e >>= go
let expression =
  fix (fun e ->
      let factor = token (char '(') *> e <* token (char ')') <|> number in
      let term = chain factor (operator '*' ( * ) <|> operator '/' ( / )) in
      chain term (operator '+' ( + ) <|> operator '-' ( - )))
let record = lift3 (fun a b c -> (a, b, c)) BE.any_uint16 LE.any_int32 (any_uint8 >>= take)
let () =
  List.iter
    (fun s ->
      match parse_string ~consume:All (spaces *> expression) s with
      | Ok n -> Printf.printf "%s = %d\n" s n
      | Error m -> Printf.printf "%s: %s\n" s m)
    [ "1 + 2 * 3"; "((7))*2 - 20/5"; "1 +"; "(1"; "" ];
  (match parse_string ~consume:Prefix record "\001\002\255\255\255\127\003abcdef" with
  | Ok (a, b, c) -> Printf.printf "%d %ld %s\n" a b c
  | Error m -> print_endline m);
  let open Buffered in
  let state = parse (sep_by (char ',') (take_while1 (fun c -> c <> ',')) <* end_of_input) in
  let state = List.fold_left (fun s part -> feed s (`String part)) state [ "ab,c"; "d,"; "ef";
    ",g" ] in
  (match state_to_result (feed state `Eof) with
  | Ok l -> print_endline (String.concat "|" l)
  | Error m -> print_endline m);
  let long = String.concat "+" (List.init 2000 string_of_int) in
  match parse_string ~consume:All expression long with
  | Ok n -> Printf.printf "%d\n" n
  | Error m -> print_endline m
