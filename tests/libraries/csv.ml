(* Tables of comma-separated values. *)
let () =
  let text = "name,humps,note\ncamel,2,\"says \"\"hi\"\"\"\nyak,0,\"two\nlines\"\n,,\n" in
  let rows = Csv.input_all (Csv.of_string text) in
  List.iter (fun r -> print_endline (String.concat "|" (List.map String.escaped r))) rows;
  Printf.printf "%d %d\n" (Csv.lines rows) (Csv.columns rows);
  Csv.print rows;
  Csv.print_readable (Csv.trim rows);
  Csv.save "out.csv" (Csv.transpose (Csv.square rows));
  Printf.printf "%b\n" (Csv.compare (Csv.load "out.csv") (Csv.transpose (Csv.square rows)) = 0);
  let with_header = Csv.Rows.input_all (Csv.of_string ~has_header:true text) in
  List.iter (fun r -> Printf.printf "%s " (Csv.Row.find r "humps")) with_header;
  print_newline ();
  let semi = Csv.of_string ~separator:';' "a;b;c\n1;;3" in
  Csv.iter ~f:(fun r -> print_endline (String.concat "," r)) semi;
  try ignore (Csv.input_all (Csv.of_string "a,\"b")) with Csv.Failure (r, f, m) ->
    Printf.printf "%d %d %s\n" r f m
