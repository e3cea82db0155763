(* XML read as signals and as a tree, and written. *)
let text =
  {|<?xml version="1.0"?><!DOCTYPE a><a x="1" y="&lt;&#233;"><b
/>some &amp; text<c xmlns:n="urn:n"><n:d>é</n:d></c></a>|}
let () =
  let i = Xmlm.make_input (`String (0, text)) in
  let rec pull depth =
    match Xmlm.input i with
    | `El_start ((ns, name), atts) ->
        Printf.printf "%*s<%s:%s %s>\n" depth "" ns name
          (String.concat " " (List.map (fun ((_, n), v) -> n ^ "=" ^ v) atts));
        pull (depth + 1)
    | `El_end -> if depth > 1 then pull (depth - 1)
    | `Data d -> Printf.printf "%*s%S\n" depth "" d; pull depth
    | `Dtd d -> Printf.printf "dtd %s\n" (Option.value ~default:"-" d); pull depth
  in
  pull 0;
  let buffer = Buffer.create 100 in
  let o = Xmlm.make_output ~indent:(Some 2) (`Buffer buffer) in
  let frag = function `E (tag, children) -> `El (tag, children) | `D d -> `Data d in
  let tree = `E ((("", "root"), [ (("", "k"), "a<b\"") ]), [ `D "x & y";
    `E ((("", "leaf"), []), []) ]) in
  Xmlm.output_doc_tree frag o (None, tree);
  print_endline (Buffer.contents buffer);
  List.iter
    (fun s ->
      let i = Xmlm.make_input (`String (0, s)) in
      try while not (Xmlm.eoi i) do ignore (Xmlm.input i) done
      with Xmlm.Error ((l, c), e) -> Printf.printf "%d:%d %s\n" l c (Xmlm.error_message e))
    [ "<a><b></a>"; "<a"; "text"; "<a>&undefined;</a>" ]
