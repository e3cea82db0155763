(* The String module, escaping, comparison and searching. *)
let words s = List.filter (fun w -> w <> "") (String.split_on_char ' ' s)
let is_palindrome s =
  let n = String.length s in
  let rec go i = i >= n / 2 || (s.[i] = s.[n - 1 - i] && go (i + 1)) in
  go 0

let caesar k = String.map (fun c ->
  match c with
  | 'a' .. 'z' -> Char.chr (((Char.code c - 97 + k) mod 26) + 97)
  | 'A' .. 'Z' -> Char.chr (((Char.code c - 65 + k) mod 26) + 65)
  | c -> c)

let find_all pat s =
  let n = String.length pat in
  List.filter (fun i -> String.sub s i n = pat) (List.init (max 0 (String.length s - n + 1)) Fun.id)

let attempt f =
  match f () with
  | v -> v
  | exception Invalid_argument m -> "! " ^ m
  | exception Not_found -> "! not found"

let () =
  let text = "The quick brown fox  jumps over the lazy dog" in
  print_endline (String.concat "|" (words text));
  print_endline (String.uppercase_ascii text);
  print_endline (String.capitalize_ascii (String.lowercase_ascii text));
  List.iter (fun w -> Printf.printf "%s:%b " w (is_palindrome w)) [ "level"; "ab"; ""; "noon" ];
  print_newline ();
  print_endline (caesar 13 text);
  print_endline (caesar 13 (caesar 13 text));
  List.iter (Printf.printf "%d ") (find_all "o" text);
  print_newline ();
  Printf.printf "%d %d\n" (String.index text 'q') (String.rindex text 'o');
  print_endline (attempt (fun () -> string_of_int (String.index text '#')));
  print_endline (attempt (fun () -> String.sub text 40 10));
  print_endline (attempt (fun () -> String.make 1 text.[100]));
  print_endline (attempt (fun () -> String.sub text (-1) 2));
  print_endline (String.escaped "tab\there \"quoted\" \\ nl\n \001\200\255");
  Printf.printf "%S\n" "bell\007 é";
  print_endline (String.trim "  \t padded \n ");
  Printf.printf "%b %b %b\n" (String.contains text 'z') (String.starts_with ~prefix:"The" text)
    (String.ends_with ~suffix:"cat" text);
  List.iter
    (fun (a, b) -> Printf.printf "%d%b%b " (compare a b) (a = b) (String.equal a b))
    [ ("", ""); ("a", "b"); ("abc", "ab"); ("ab", "abc"); ("\255", "a");
      ("abcdefgh", "abcdefgi"); ("a\000b", "a\000c") ];
  print_newline ();
  print_endline (String.init 10 (fun i -> Char.chr (48 + i)));
  print_endline (String.concat "" [ "a"; ""; "bc" ] ^ "d");
  print_endline
    (String.mapi (fun i c -> if i mod 2 = 0 then Char.uppercase_ascii c else c) "alternate");
  Printf.printf "%d\n" (String.fold_left (fun n c -> n + Char.code c) 0 text);
  print_endline (String.of_seq (Seq.filter (fun c -> c <> 'o') (String.to_seq text)));
  print_endline (Option.fold ~none:"none" ~some:string_of_int (String.index_opt text 'j'));
  print_endline
    (String.concat ","
       (List.map (fun s -> Printf.sprintf "%d" (String.length s)) (String.split_on_char 'o' text)))
