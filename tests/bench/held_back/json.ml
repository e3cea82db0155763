(* strings: JSON: a document generated, parsed, changed and printed again. *)
type t =
  | Null
  | Bool of bool
  | Number of float
  | String of string
  | List of t list
  | Object of (string * t) list

exception Error of string * int

let parse s =
  let n = String.length s and at = ref 0 in
  let fail message = raise (Error (message, !at)) in
  let peek () = if !at < n then s.[!at] else '\000' in
  let skip () =
    while !at < n && (match s.[!at] with ' ' | '\n' | '\t' | '\r' -> true | _ -> false) do
      incr at
    done in
  let expect c = if peek () = c then incr at else fail (Printf.sprintf "%c expected" c) in
  let word w v =
    if !at + String.length w <= n && String.sub s !at (String.length w) = w then (
      at := !at + String.length w; v)
    else fail w in
  let string () =
    expect '"';
    let b = Buffer.create 16 in
    let rec go () =
      match peek () with
      | '"' -> incr at; Buffer.contents b
      | '\\' ->
        incr at;
        Buffer.add_char b (match peek () with 'n' -> '\n' | 't' -> '\t' | c -> c);
        incr at;
        go ()
      | '\000' -> fail "unterminated string"
      | c -> Buffer.add_char b c; incr at; go ()
    in
    go ()
  in
  let number () =
    let start = !at in
    while (match peek () with '0' .. '9' | '-' | '+' | '.' | 'e' | 'E' -> true | _ -> false) do
      incr at
    done;
    match float_of_string_opt (String.sub s start (!at - start)) with
    | Some f -> Number f
    | None -> fail "number"
  in
  let rec value () =
    skip ();
    match peek () with
    | '{' ->
        Object (items '}' (fun () ->
            skip (); let key = string () in skip (); expect ':'; (key, value ())))
    | '[' -> List (items ']' value)
    | '"' -> String (string ())
    | 't' -> word "true" (Bool true)
    | 'f' -> word "false" (Bool false)
    | 'n' -> word "null" Null
    | _ -> number ()
  and items : 'a. char -> (unit -> 'a) -> 'a list = fun close item ->
    incr at;
    skip ();
    if peek () = close then (incr at; [])
    else begin
      let rec go all =
        let all = item () :: all in
        skip ();
        match peek () with
        | ',' -> incr at; go all
        | c when c = close -> incr at; List.rev all
        | _ -> fail "separator"
      in
      go []
    end
  in
  let v = value () in
  skip ();
  if !at < n then fail "trailing text" else v

let quote b s =
  Buffer.add_char b '"';
  String.iter
    (function
      | '"' -> Buffer.add_string b "\\\""
      | '\n' -> Buffer.add_string b "\\n"
      | '\\' -> Buffer.add_string b "\\\\"
      | c -> Buffer.add_char b c)
    s;
  Buffer.add_char b '"'

let rec print b = function
  | Null -> Buffer.add_string b "null"
  | Bool v -> Buffer.add_string b (string_of_bool v)
  | Number f -> Buffer.add_string b (Printf.sprintf "%.12g" f)
  | String s -> quote b s
  | List l ->
      Buffer.add_char b '[';
      List.iteri (fun i v -> if i > 0 then Buffer.add_char b ','; print b v) l;
      Buffer.add_char b ']'
  | Object l ->
    Buffer.add_char b '{';
    List.iteri
      (fun i (k, v) ->
        if i > 0 then Buffer.add_char b ',';
        quote b k; Buffer.add_char b ':'; print b v)
      l;
    Buffer.add_char b '}'

let rec make depth k =
  if depth = 0 then match k mod 5 with
    | 0 -> Null
    | 1 -> Bool (k land 2 = 0)
    | 2 -> Number (float_of_int k /. 8.)
    | 3 -> String (Printf.sprintf "line %d\n\"quoted\"" k)
    | _ -> List []
  else if k land 1 = 0 then List (List.init 4 (fun i -> make (depth - 1) (k + i)))
  else Object (List.init 4 (fun i -> (Printf.sprintf "key%d" i, make (depth - 1) (k * 3 + i))))

let rec sum = function Number f -> f | List l -> List.fold_left (fun s v -> s +. sum v) 0. l
  | Object l -> List.fold_left (fun s (_, v) -> s +. sum v) 0. l | Null | Bool _ | String _ -> 0.

let show v = let b = Buffer.create 1000 in print b v; Buffer.contents b

let () =
  let document = make 7 1 in
  let text = ref (show document) in
  for _ = 1 to 9 do text := show (parse !text) done;
  Printf.printf "%d %s %.3f %b\n" (String.length !text) (Digest.to_hex (Digest.string !text))
    (sum (parse !text)) (parse !text = document);
  List.iter
    (fun s -> try ignore (parse s) with Error (m, at) -> Printf.printf "%s at %d\n" m at)
    [ "[1, 2"; "{\"a\" 1}"; "[tru]"; "1 2" ]
