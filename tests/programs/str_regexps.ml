(* The library str: matching, searching both ways, groups, replacement and splitting. *)

let show = function None -> "-" | Some s -> Printf.sprintf "%S" s

let group n s = try Some (Str.matched_group n s) with Not_found | Invalid_argument _ -> None

let patterns =
  [ "abc"; "a\\|b*c"; "\\(a\\|ab\\)\\(c\\|bcd\\)\\(d*\\)"; "a*"; "a+b?"; "[a-c]+"; "[^a-c]";
    "^[a-z]*$"; "\\bfoo\\b"; "\\(a*\\)*b"; "\\(a*\\)+"; "\\([a-z]+\\) \\1"; "."; ".*"; "x.z"; "\\.";
    "\\(\\)"; ""; "[]a]"; "[a-]"; "[0-9]+\\.[0-9]*"; "é"; "[à-ÿ]+"; "\\(\\(a\\)\\|b\\)*"; "^"; "$";
    "\\b"; "\\(a\\)?\\(b\\)?\\(c\\)?"; "a\000b"; "[\000-\031]" ]

let texts =
  [ ""; "abc"; "abcd"; "xxabcdxx"; "aaa"; "aaab"; "foo bar foo"; "a foo.\nfoo2 foo"; "the the cat";
    "3.14 and 2."; "line\nother"; "\195\169t\195\169"; "]a-"; "a\000b" ]

let report name p t found =
  if found then begin
    Printf.printf "%s %S %S: %d-%d" name p t (Str.match_beginning ()) (Str.match_end ());
    for n = 0 to 3 do Printf.printf " %s" (show (group n t)) done;
    print_newline ()
  end

let attempt f = try ignore (f ()); true with Not_found -> false

let () =
  List.iter (fun p ->
    List.iter (fun (kind, r, texts) ->
      List.iter (fun t ->
        let name n = kind ^ n in
        let last = String.length t in
        report (name "match") p t (Str.string_match r t 0);
        report (name "partial") p t (Str.string_partial_match r t (last / 2));
        report (name "forward") p t (attempt (fun () -> Str.search_forward r t 0));
        report (name "later") p t (attempt (fun () -> Str.search_forward r t ((last + 1) / 2)));
        report (name "backward") p t (attempt (fun () -> Str.search_backward r t last)))
        texts)
      [ "", Str.regexp p, texts; "fold ", Str.regexp_case_fold p, [ "abc"; "FOO fooABC"; "aAbBcC" ];
        "string ", Str.regexp_string p, [ "xabc"; p ];
        "fold string ", Str.regexp_string_case_fold p, [ "xABC" ] ])
    patterns

let message f = try f () with e -> Printexc.to_string e

let () =
  let r = Str.regexp "\\([a-z]+\\)=\\([0-9]*\\)" in
  let t = "a=1, bc=23;d=" in
  List.iter (fun template ->
    Printf.printf "%S: %S %S\n" template
      (message (fun () -> Str.global_replace r template t))
      (message (fun () -> Str.replace_first r template t)))
    [ "x"; "\\2=\\1"; "\\0\\0"; "\\\\"; "\\x"; "\\3"; "\\" ];
  print_endline
    (Str.global_substitute r (fun s -> String.uppercase_ascii (Str.matched_string s)) t);
  print_endline (Str.substitute_first r (fun _ -> "<>") t);
  print_endline (message (fun () -> ignore (Str.search_forward r t 14); "found"));
  print_endline (message (fun () -> ignore (Str.search_backward r t (-1)); "found"));
  print_endline (message (fun () -> ignore (Str.string_match r t 100); "found"));
  print_endline (message (fun () -> ignore (Str.regexp "\\(a"); "compiled"));
  print_endline (message (fun () -> ignore (Str.regexp "[a"); "compiled"));
  print_endline (Str.quote "a.b*c[d]e^f$g\\h")

let () =
  let blanks = Str.regexp "[ \t]+" in
  let show l = print_endline (String.concat "|" (List.map String.escaped l)) in
  List.iter (fun t ->
    show (Str.split blanks t);
    show (Str.bounded_split blanks t 2);
    show (Str.split_delim blanks t);
    show (Str.bounded_split_delim blanks t 2);
    show (List.map (function Str.Text s -> "T" ^ s | Str.Delim s -> "D" ^ s)
            (Str.full_split blanks t)))
    [ ""; " "; "a b"; " a  b c "; "abc" ];
  show (Str.split (Str.regexp "") "abc");
  print_endline (Str.string_before "abcdef" 2 ^ Str.string_after "abcdef" 2);
  print_endline (Str.first_chars "abcdef" 2 ^ Str.last_chars "abcdef" 2)

(* A long text, many choices. *)
let () =
  let t = String.concat " " (List.init 500 string_of_int) in
  let r = Str.regexp "\\([0-9]*\\)9\\([0-9]*\\)" in
  let rec count from n =
    match Str.search_forward r t from with
    | _ -> count (Str.match_end ()) (n + 1)
    | exception Not_found -> n
  in
  Printf.printf "%d\n" (count 0 0);
  Printf.printf "%b\n"
    (Str.string_match (Str.regexp "\\(a\\|b\\|ab\\)*c") (String.make 3000 'a' ^ "c") 0)
