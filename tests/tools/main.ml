(* Modules, a functor, an object, a table and a lexer that ocamllex makes. *)

module Names = Map.Make (String)

class counter =
  object
    val mutable counts = Names.empty
    method add word =
      counts <- Names.update word (fun n -> Some (1 + Option.value n ~default:0)) counts
    method print = Names.iter (Printf.printf "%s: %d\n") counts
  end

let () =
  let shapes =
    Shapes.[ Circle { radius = 2. }; Polygon [ 0., 0.; 4., 0.; 4., 3. ]; Polygon [ 1., 1. ] ]
  in
  print_endline (Shapes.report (module Shapes.Area) shapes);
  print_endline (Shapes.report (module Shapes.Perimeter) shapes);
  let counter = new counter in
  let text = Lexing.from_string "one two (* not this *) one \"a string\" 42 three one" in
  let rec count () =
    match Words.token text with
    | Some word ->
      counter#add word;
      count ()
    | None -> ()
  in
  count ();
  counter#print
