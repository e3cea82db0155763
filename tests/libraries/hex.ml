(* Hexadecimal digits and dumps. *)
let () =
  let h = Hex.of_string "a camel\000\255" in
  print_endline (Hex.show h);
  Printf.printf "%S\n" (Hex.to_string (`Hex "636166c3a9"));
  Hex.hexdump (Hex.of_string (String.init 50 (fun i -> Char.chr (i * 5))));
  print_endline (Hex.hexdump_s ~print_row_numbers:false (Hex.of_string "short"));
  Format.printf "%a@." Hex.pp h;
  let c = Hex.to_cstruct h in
  Printf.printf "%d %b\n" (Cstruct.length c) (Hex.of_cstruct c = h);
  Printf.printf "%s %s\n" (Hex.show (Hex.of_bytes (Bytes.of_string "xy"))) (Hex.show (Hex.of_string
    ~ignore:[ 'a' ] "banana"));
  List.iter (fun s -> try ignore (Hex.to_string (`Hex s)) with Invalid_argument m ->
    print_endline m) [ "6"; "zz" ];
  Printf.printf "%S\n" (Hex.to_string (`Hex "61\n62 63"))
