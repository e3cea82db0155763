(* ExtLib's lists, strings, dynamic arrays and inputs. *)
open ExtLib
let () =
  let d = DynArray.create () in
  for i = 0 to 99 do DynArray.add d (i * i) done;
  DynArray.delete_range d 10 50;
  Printf.printf "%d %d\n" (DynArray.length d) (DynArray.get d 20);
  print_endline (String.join "-" (String.nsplit "a::b::c" "::"));
  Printf.printf "%s|%s|%b\n" (String.strip "  x ") (String.slice ~first:1 ~last:(-1) "camel")
    (String.exists "llama" "lam");
  Printf.printf "%d %s\n" (List.length (List.unique [ 1; 2; 1 ])) (dump (List.findi (fun i x ->
    i > 1 && x > 2) [ 9; 9; 1; 3 ]));
  let e = Enum.map (fun x -> x + 1) (List.enum [ 1; 2; 3 ]) in
  Printf.printf "%d\n" (Enum.fold ( + ) 0 e);
  let p = PMap.add "b" 2 (PMap.add "a" 1 PMap.empty) in
  PMap.iter (Printf.printf "%s=%d ") p;
  print_newline ();
  let out = IO.output_string () in
  IO.write_i32 out 123456;
  IO.write_string out "text";
  let s = IO.close_out out in
  let input = IO.input_string s in
  Printf.printf "%d %s\n" (IO.read_i32 input) (IO.read_string input);
  (try ignore (IO.read input) with IO.No_more_input -> print_endline "no more");
  let b = BitSet.empty () in
  BitSet.set b 5; BitSet.set b 77;
  Printf.printf "%d %b\n" (BitSet.count b) (BitSet.is_set b 6);
  print_endline (dump (Some (1, "x", [ 2.5 ])))
