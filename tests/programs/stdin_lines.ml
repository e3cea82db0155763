(* Reading stdin line by line, characters, blocks; end of file; counting words. *)
let () =
  let first = read_line () in
  Printf.printf "first: %S\n" first;
  let c = input_char stdin in
  let rest_of_line = input_line stdin in
  Printf.printf "%C %S\n" c rest_of_line;
  let n = read_int () in
  let f = read_float () in
  Printf.printf "%d %g\n" n f;
  (match read_int_opt () with
   | Some n -> Printf.printf "int %d\n" n
   | None -> print_endline "not an int");
  let b = Bytes.make 10 '.' in
  really_input stdin b 2 6;
  Printf.printf "%s %d\n" (Bytes.to_string b) (pos_in stdin);
  let words = Hashtbl.create 16 in
  let lines = ref 0 and longest = ref 0 in
  (try
     while true do
       let line = input_line stdin in
       incr lines;
       longest := max !longest (String.length line);
       List.iter
         (fun w ->
           if w <> "" then
             Hashtbl.replace words w (1 + try Hashtbl.find words w with Not_found -> 0))
         (String.split_on_char ' ' line)
     done
   with End_of_file -> ());
  Printf.printf "%d lines, longest %d\n" !lines !longest;
  Hashtbl.fold (fun w n acc -> (n, w) :: acc) words []
  |> List.sort (fun (n, w) (m, v) -> compare (m, w) (n, v))
  |> List.iteri (fun i (n, w) -> if i < 6 then Printf.printf "%s:%d\n" w n);
  (try ignore (input_char stdin) with End_of_file -> print_endline "end of file");
  Printf.printf "%d\n" (input stdin b 0 5)
