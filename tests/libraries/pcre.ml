(* Regular expressions of Perl, in C. *)
let () =
  let rex = Pcre.regexp ~flags:[ `CASELESS; `UTF8 ] {|(?<who>camel|llama)s?\s+(\d+)|} in
  let text = "Camels 12, llama 3; 5 yaks, CAMEL  77" in
  Array.iter (fun m -> print_endline (String.concat "|" (Array.to_list m))) (Pcre.extract_all ~rex
    text);
  print_endline (Pcre.replace ~rex ~templ:"<$2 $1>" text);
  print_endline (Pcre.substitute ~rex ~subst:String.uppercase_ascii text);
  print_endline (String.concat "/" (Pcre.split ~pat:{|[,;]\s*|} text));
  Pcre.full_split ~pat:"(b)|c" "abac"
  |> List.iter (function
       | Pcre.Text s -> Printf.printf "text %s\n" s
       | Delim s -> Printf.printf "delimiter %s\n" s
       | Group (n, s) -> Printf.printf "group %d %s\n" n s
       | NoGroup -> print_endline "no group");
  (try ignore (Pcre.exec ~pat:"x+" "aaa") with Not_found -> print_endline "not found");
  (try ignore (Pcre.regexp "a(b") with Pcre.Error (Pcre.BadPattern (m, n)) ->
    Printf.printf "%s at %d\n" m n);
  let s = Pcre.exec ~rex text in
  Printf.printf "%s %d\n" (Pcre.get_named_substring rex "who" s) (fst (Pcre.get_substring_ofs s 2));
  Printf.printf "%b %d\n" (Pcre.pmatch ~pat:"^(a|aa)+$" (String.make 20 'a')) (Pcre.capturecount
    rex);
  Printf.printf "%b\n" (Pcre.pmatch ~flags:[] ~pat:{|^\p{Lu}\p{Ll}+|} "Elan");
  print_endline (Pcre.qreplace ~pat:"a" ~templ:"$1" "banana");
  let greedy = Pcre.regexp "(?<=a)b(?!c)" in
  Printf.printf "%d\n" (Array.length (Pcre.exec_all ~rex:greedy "ab abc ab"))
