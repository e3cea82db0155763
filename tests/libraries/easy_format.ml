(* Documents laid out in a width. *)
open Easy_format
let rec tree depth =
  if depth = 0 then Atom ("leaf", atom)
  else Label ((Atom (Printf.sprintf "node%d" depth, atom), label), List (("[", ";", "]", list),
    List.init depth (fun i -> tree (min i (depth - 1)))))
let () =
  Pretty.to_stdout (tree 4); print_newline ();
  print_endline (Compact.to_string (tree 3));
  let wrapped = { list with wrap_body = `Always_wrap; align_closing = false } in
  print_endline (Pretty.to_string (List (("(", ",", ")", wrapped), List.init 40 (fun i ->
    Atom (string_of_int (i * i), atom)))));
  let styled = List (("{", "", "}", { list with list_style = Some "box" }), [ Atom ("x", {
    atom_style = Some "name" }) ]) in
  let style name = (name, { tag_open = "<" ^ name ^ ">"; tag_close = "</" ^ name ^ ">" }) in
  Pretty.define_styles Format.std_formatter `None [ style "box"; style "name" ];
  Pretty.to_formatter Format.std_formatter styled;
  Format.printf "@."
