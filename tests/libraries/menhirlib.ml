(* The tables' engine of Menhir's parsers, by hand: a grammar of sums. *)
module Tables = struct
  exception Error
  type token = Int of int | Plus | Eof
end
let () =
  let digits = MenhirLib.General.take 3 [ 1; 2; 3; 4 ] in
  Printf.printf "%d %d\n" (List.length digits) (MenhirLib.General.length (lazy
    (MenhirLib.General.Cons (1, lazy MenhirLib.General.Nil))));
  let packed = MenhirLib.PackedIntArray.pack (Array.init 100 (fun i -> i * i mod 251)) in
  let sum = ref 0 in
  for i = 0 to 99 do sum := !sum + MenhirLib.PackedIntArray.get packed i done;
  Printf.printf "%d %d\n" (fst packed) !sum;
  let rows = Array.init 20 (fun i -> Array.init 20 (fun j ->
    if (i + j) mod 7 = 0 then i * j else 0)) in
  let compressed = MenhirLib.RowDisplacement.compress ( = ) (( = ) 0) 0 20 20 rows in
  let same = ref true in
  Array.iteri (fun i row -> Array.iteri (fun j v -> if MenhirLib.RowDisplacement.get compressed i j
    <> v then same := false) row) rows;
  Printf.printf "%b\n" !same;
  let lexbuf = Lexing.from_string "1 + 2" in
  let positions = MenhirLib.ErrorReports.wrap (fun l -> l.Lexing.lex_curr_pos) in
  ignore positions;
  print_endline (MenhirLib.ErrorReports.sanitize "a\tb\001c");
  print_endline (MenhirLib.ErrorReports.compress "a   b  \n c");
  print_endline (MenhirLib.ErrorReports.shorten 3 "0123456789");
  let s = MenhirLib.LexerUtil.init "file.ml" lexbuf in
  print_endline (MenhirLib.LexerUtil.range (s.Lexing.lex_start_p, s.Lexing.lex_curr_p))
