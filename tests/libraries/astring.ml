(* Strings, substrings, sets and maps of strings. *)
open Astring
let () =
  let s = "  a camel; a llama ; a yak " in
  print_endline (String.concat ~sep:"|" (List.map String.trim (String.cuts ~sep:";" s)));
  (match String.cut ~rev:true ~sep:"a" s with Some (l, r) -> Printf.printf "%S %S\n" l r | None ->
    ());
  print_endline (String.concat ~sep:"," (String.fields ~empty:false ~is_sep:Char.Ascii.is_white s));
  Printf.printf "%b %b %b\n" (String.is_prefix ~affix:"  a" s) (String.is_infix ~affix:"llama" s)
    (String.is_suffix ~affix:"k" s);
  print_endline (String.Ascii.capitalize (String.Ascii.escape "a\n\255"));
  (match String.Ascii.unescape "\\x41\\n" with Some s -> Printf.printf "%S\n" s | None ->
    print_endline "bad");
  let sub = String.sub ~start:2 ~stop:9 s in
  let left, right = String.Sub.span ~sat:Char.Ascii.is_letter sub in
  Printf.printf "%a %a %d\n" (fun oc s -> output_string oc (String.Sub.to_string s)) left
    (fun oc s -> output_string oc (String.Sub.to_string s)) right (String.Sub.start_pos right);
  let set = String.Set.of_list (String.cuts ~sep:" " "to be or not to be") in
  Format.printf "%a@." (String.Set.pp ~sep:Format.pp_print_space Format.pp_print_string) set;
  let map = String.Map.of_list [ ("one", 1); ("two", 2) ] in
  Format.printf "%a@." (String.Map.dump Format.pp_print_int) map;
  print_endline (String.filter_map (fun c -> if Char.Ascii.is_blank c then None else Some
    (Char.Ascii.uppercase c)) s);
  Printf.printf "%s %s\n" (String.of_int (Option.get (String.to_int "0x1F"))) (strf "%a" String.dump
    "q\"");
  let taken s = String.Set.mem s set in
  Printf.printf "%b %b\n" (taken "be") (taken "camel");
  (match String.find_sub ~start:5 ~sub:"a " s with Some i -> Printf.printf "%d\n" i | None -> ())
