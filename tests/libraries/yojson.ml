(* Reads, changes and prints JSON; errors say where they are. *)
let text =
  {|{"name": "camel", "humps": [1, 2, -3.5e2], "wet": false,
    "né": null, "big": 123456789012345678901}|}
let () =
  let json = Yojson.Safe.from_string text in
  print_endline (Yojson.Safe.to_string json);
  print_endline (Yojson.Safe.pretty_to_string json);
  let open Yojson.Basic.Util in
  let basic = Yojson.Safe.to_basic json in
  Printf.printf "%s %d %b\n" (basic |> member "name" |> to_string)
    (basic |> member "humps" |> to_list |> List.length)
    (basic |> member "wet" |> to_bool);
  List.iter (fun j -> Printf.printf "%g " (to_number j)) (basic |> member "humps" |> to_list);
  print_newline ();
  (try ignore (basic |> member "name" |> to_int) with Type_error (m, _) -> print_endline m);
  let bad = [ "[1, 2"; "{\"a\" 1}"; "nul"; "\"\\u12\"" ] in
  List.iter
    (fun s -> try ignore (Yojson.Safe.from_string s) with Yojson.Json_error m -> print_endline m)
    bad;
  let deep = List.init 200 (fun i -> `Assoc [ (string_of_int i, `List [ `Int i;
    `Float (float i /. 7.) ]) ]) in
  let printed = Yojson.Basic.to_string (`List deep) in
  Printf.printf "%d %s\n" (String.length printed) (Digest.to_hex (Digest.string printed));
  Printf.printf "%b\n" (Yojson.Basic.equal (Yojson.Basic.from_string printed) (`List deep))
