(* Binary data with a structure. *)
let () =
  let tree : Bi_io.tree =
    `Record [| (Some "name", Bi_io.hash_name "name", `String "camel");
      (Some "humps", Bi_io.hash_name "humps", `Svint 2);
               (Some "w", Bi_io.hash_name "w", `Float64 1.5);
                 (Some "l", Bi_io.hash_name "l", `Array (Some (Bi_io.uvint_tag, [| `Uvint 1;
                 `Uvint 300 |]))) |] in
  let s = Bi_io.string_of_tree tree in
  Printf.printf "%d %s\n" (String.length s) (Digest.to_hex (Digest.string s));
  let unhash = Bi_io.make_unhash [ "name"; "humps"; "w"; "l" ] in
  print_endline (Bi_io.view ~unhash s);
  Printf.printf "%b\n" (Bi_io.tree_of_string ~unhash s = tree);
  let b = Bi_outbuf.create 10 in
  List.iter (Bi_vint.write_svint b) [ 0; -1; 64; -1_000_000; max_int ];
  let input = Bi_inbuf.from_string (Bi_outbuf.contents b) in
  for _ = 1 to 5 do Printf.printf "%d " (Bi_vint.read_svint input) done;
  print_newline ();
  (try ignore (Bi_io.tree_of_string "\255\255") with Bi_util.Error m -> print_endline m | e ->
    print_endline (Printexc.to_string e));
  Printf.printf "%d\n" (Bi_io.hash_name "camel")
