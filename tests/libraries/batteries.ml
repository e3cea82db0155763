(* Batteries' containers, strings, enumerations and numbers. *)
open Batteries
let () =
  let e = (1 -- 20) /@ (fun x -> x * x) // (fun x -> x mod 3 = 1) in
  print_endline (dump (List.of_enum e));
  List.print Int.print stdout (List.take 5 (List.unique [ 1; 1; 2; 3; 3; 4 ]));
  print_newline ();
  print_endline (String.concat "," (String.split_on_string ~by:"--" "a--b----c"));
  Printf.printf "%s %b %s\n" (String.rev "camel") (String.exists "llama" "lam")
    (String.nreplace ~str:"banana" ~sub:"an" ~by:"AN");
  let m = Map.of_enum (List.enum [ (3, "c"); (1, "a"); (2, "b") ]) in
  Map.print Int.print String.print stdout m;
  print_newline ();
  let v = Vect.of_list [ 1; 2; 3 ] |> Vect.append 4 in
  Printf.printf "%d %d\n" (Vect.length v) (Vect.get v 3);
  let d = Deque.snoc (Deque.cons 1 Deque.empty) 2 in
  Printf.printf "%d\n" (Deque.size d);
  print_endline (Big_int.to_string (Big_int.pow (Big_int.of_int 7) (Big_int.of_int 50)));
  let lazy_ = LazyList.from_while (let n = ref 0 in fun () -> incr n;
    if !n > 5 then None else Some !n) in
  Printf.printf "%d\n" (LazyList.fold_left ( + ) 0 lazy_);
  File.with_file_out "lines" (fun oc -> IO.nwrite oc "x\ny\nz\n");
  File.lines_of "lines" |> Enum.iter print_endline;
  let out = IO.output_string () in
  IO.BigEndian.write_i32 out 0x01020304;
  Printf.printf "%S\n" (IO.close_out out);
  let rope = BatText.of_string "h\195\169llo" in
  Printf.printf "%d %s\n" (BatText.length rope) (BatText.to_string (BatText.append rope rope));
  (try ignore (Result.get (Result.catch int_of_string "x")) with e ->
    print_endline (Printexc.to_string e));
  Printf.printf "%d %s\n" (Int32.to_int (Int32.of_string "77")) (Bool.to_string (Option.is_some
    (Some 1)));
  print_endline (IO.to_string (Array.print Float.print) [| 1.5; 2.25 |]);
  let r = Random.State.make [| 5 |] in
  Printf.printf "%d\n" (Random.State.int r 1000)
