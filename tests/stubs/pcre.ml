(* pcre: matching, groups, replacing, and what is no pattern. *)

let () =
  let line format = Printf.printf (format ^^ "\n") in
  line "%s" Pcre.version;
  let date = Pcre.regexp "(?<year>\\d{4})-(\\d\\d)-(\\d\\d)" in
  let groups = Pcre.extract ~rex:date "on 2024-05-17, not on 2023-01-02" in
  line "%s" (String.concat "|" (Array.to_list groups));
  line "%s" (Pcre.get_named_substring date "year" (Pcre.exec ~rex:date "1999-12-31"));
  line "%s" (Pcre.replace ~pat:"(\\w+) (\\w+)" ~templ:"$2 $1" "camel Bactrian");
  line "%s" (String.concat ";" (Pcre.split ~pat:"\\s*,\\s*" "a , b,c ,d"));
  line "%s" (Pcre.substitute ~pat:"[aeiou]" ~subst:String.uppercase_ascii "dromedary");
  line "%b %b" (Pcre.pmatch ~rex:(Pcre.regexp ~flags:[ `CASELESS ] "CAMEL") "a camel")
    (Pcre.pmatch ~pat:"^(a+)+$" "aaaab");
  line "%b" (Pcre.pmatch ~rex:(Pcre.regexp ~flags:[ `UTF8 ] "^.$") "\xc3\xa9");
  match Pcre.regexp "a(b" with
  | _ -> line "compiled"
  | exception Pcre.Error (BadPattern (text, place)) -> line "%s at %d" text place
