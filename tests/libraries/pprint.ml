(* Wadler's layouts. *)
open PPrint
let rec tree n = if n = 0 then string "leaf" else group (string "node" ^^ nest 2 (break 1 ^^
  separate_map (comma ^^ break 1) tree (List.init n (fun i -> i))) ^^ break 0 ^^ string "end")
let () =
  List.iter
    (fun width -> ToChannel.pretty 0.8 width stdout (tree 4 ^^ hardline ^^ string "--" ^^ hardline))
    [ 20; 40; 80 ];
  let b = Buffer.create 100 in
  ToBuffer.compact b (tree 3);
  print_endline (Buffer.contents b);
  let words = flow (break 1) (List.map string (String.split_on_char ' '
    "the quick brown camel walks over the lazy yak and drinks a lot of water")) in
  ToChannel.pretty 1.0 24 stdout (align words ^^ hardline);
  ToChannel.pretty 1.0 30 stdout (surround 2 1 lbrace (string "x = 1;" ^/^ OCaml.list OCaml.int [ 1;
    2; 3 ]) rbrace ^^ hardline);
  ToChannel.pretty 1.0 30 stdout (OCaml.record "t" [ ("a", OCaml.float 1.5);
    ("b", OCaml.option OCaml.string (Some "q\"")) ] ^^ hardline);
  ToChannel.pretty 1.0 80 stdout (hang 4 (blank 2 ^^ utf8string "h\195\169" ^^ repeat 3 (char '.'))
    ^^ hardline)
