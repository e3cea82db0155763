(* More of strings. *)
let () =
  let open Stringext in
  print_endline (String.concat "|" (split "a,b,c,d" ~on:',' ~max:3));
  print_endline (String.concat "|" (split_trim_left "a, b; c" ~on:",;" ~trim:" "));
  print_endline (String.concat "|" (full_split "a/b/c" ~on:'/'));
  (match cut "key=value=x" ~on:"=" with Some (k, v) -> Printf.printf "%s %s\n" k v | None -> ());
  print_endline (string_after "camel" 2);
  print_endline (replace_all "banana" ~pattern:"an" ~with_:"<>");
  print_endline (replace_all_assoc "a b c" [ ("a", "1"); ("c", "3") ]);
  Printf.printf "%s|%s\n" (trim_left "  x ") (of_list (List.rev (to_list "abc")));
  (match find_from "camel" ~pattern:"me" with Some i -> Printf.printf "%d\n" i | None -> ());
  Printf.printf "%d\n" (List.length (to_list (of_array (Array.make 5 'x'))))
