(* Base 64, strict and lenient. *)
let () =
  List.iter (fun s -> Printf.printf "%s " (Base64.encode_string s)) [ ""; "f"; "fo"; "foo"; "foob";
    "\251\255\254" ];
  print_newline ();
  Printf.printf "%s %s\n" (Base64.encode_exn ~pad:false "ab") (Base64.encode_exn
    ~alphabet:Base64.uri_safe_alphabet "\251\255\254");
  Printf.printf "%S %S\n" (Base64.decode_exn "Zm9vYmFy") (Base64.decode_exn ~pad:false "Zg");
  List.iter
    (fun s -> match Base64.decode s with Ok s -> Printf.printf "%S\n" s | Error (`Msg m) ->
      print_endline m)
    [ "Zg"; "Z==="; "Zm9v!"; "Zm9v" ];
  (match Base64.decode_sub ~off:2 ~len:4 "xxZm9vyy" with
  | Ok (s, off, len) -> print_endline (String.sub s off len)
  | Error (`Msg m) -> print_endline m);
  let text = String.init 300 (fun i -> Char.chr (i land 255)) in
  let coded = Base64.encode_string text in
  Printf.printf "%d %b\n" (String.length coded) (Base64.decode_exn coded = text);
  let b = Buffer.create 100 in
  let e = Base64_rfc2045.encoder (`Buffer b) in
  String.iter (fun c -> ignore (Base64_rfc2045.encode e (`Char c))) text;
  ignore (Base64_rfc2045.encode e `End);
  print_string (Buffer.contents b)
