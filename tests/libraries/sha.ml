(* Hashes of strings, bytes, channels and files. *)
let () =
  let long = String.init 10_000 (fun i -> Char.chr (i * 7 land 255)) in
  List.iter
    (fun s ->
      print_endline (Sha1.to_hex (Sha1.string s));
      print_endline (Sha256.to_hex (Sha256.string s));
      print_endline (Sha512.to_hex (Sha512.string s)))
    [ ""; "abc"; long ];
  let ctx = Sha256.init () in
  String.iter (fun c -> Sha256.update_string ctx (String.make 3 c)) "camel";
  let copy = Sha256.copy ctx in
  Sha256.update_string copy "x";
  Printf.printf "%s\n%s\n" (Sha256.to_hex (Sha256.finalize ctx)) (Sha256.to_hex (Sha256.finalize
    copy));
  let oc = open_out_bin "data" in
  output_string oc long;
  close_out oc;
  Printf.printf "%b %b\n" (Sha1.equal (Sha1.file "data") (Sha1.string long)) (Sha512.file_fast
    "data" = Sha512.string long);
  let ic = open_in_bin "data" in
  print_endline (Sha1.to_hex (Sha1.channel ic 5000));
  print_endline (Sha1.to_hex (Sha1.channel ic (-1)));
  Printf.printf "%S\n" (Sha1.to_bin (Sha1.substring "xabcx" 1 3));
  try ignore (Sha256.file_fast "absent") with Sys_error m -> print_endline m | e ->
    print_endline (Printexc.to_string e)
