(* Strings compared as strings: equal, in the order of their bytes, by patterns. Some are made anew,
   some are bytes that change. *)
let keyword = function
  | "" -> 0 | "a" -> 1 | "let" -> 2 | "match" -> 3 | "functio" -> 4 | "function" -> 5
  | "functions" -> 6 | "struct" -> 7 | "structure" -> 8 | "structured" -> 9 | "\000" -> 10
  | "let\000" -> 11 | "a longer one, of several words" -> 12
  | _ -> -1

let short = function "yes" -> true | "no" -> false | _ -> failwith "neither"

let texts =
  [ ""; "\000"; "\001"; "a"; "a\000"; "b"; "let"; "let\000"; "match"; "functio"; "function";
    "functions"; "functioo"; "struct"; "structure"; "structured"; "\233t\233"; "\255\255\255\255";
    "a longer one, of several words"; "a longer one, of several wordS"; "abcdefg\000"; "abcdefg" ]

let sign n = if n < 0 then '<' else if n > 0 then '>' else '='

let row a =
  let compared b =
    let order = sign (String.compare a b) in
    assert (order = sign (compare a b));
    assert (String.equal a b = (order = '='));
    assert ((a = b) = (order = '=') && (a <> b) = (order <> '='));
    assert ((a < b) = (order = '<') && (a >= b) = (order <> '<'));
    order
  in
  String.of_seq (List.to_seq (List.map compared texts))

let () =
  (* Compared with themselves, and with copies. *)
  List.iter (fun text -> print_endline (row text)) texts;
  List.iter (fun text -> print_endline (row (String.concat "" [ text; "" ]))) texts;
  List.iter (fun text -> Printf.printf "%S %d\n" text (keyword (text ^ ""))) texts;
  Printf.printf "%b %b\n" (short "yes") (short ("n" ^ "o"));
  (match short "perhaps" with exception Failure text -> print_endline text | _ -> ());
  let changing = Bytes.make 12 'a' and fixed = Bytes.make 12 'a' in
  for i = 0 to 11 do
    Bytes.set changing i (Char.chr (0x60 + (i mod 3)));
    let order = Bytes.compare changing fixed in
    Printf.printf "%c%b " (sign order) (Bytes.equal changing fixed);
    Bytes.set changing i 'a';
    Printf.printf "%b " (changing = fixed)
  done;
  print_newline ();
  (* Sorting looks at each of them often. *)
  let sorted = List.sort String.compare (List.rev_append texts texts) in
  List.iter (Printf.printf "%S ") sorted;
  print_newline ()
