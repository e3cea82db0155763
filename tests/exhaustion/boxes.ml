(* Loops that make boxes of numbers for a call, and nothing else, leave no more than others. *)

let rounds = 5_000_000

let count name test =
  let found = ref 0 in
  for i = 1 to rounds do
    if test i then incr found
  done;
  Printf.printf "%s: %d\n" name !found

let kept = Array.make 1 (Obj.repr 0)

let () =
  count "signs" (fun i -> Float.sign_bit (float_of_int (7 - i)));
  count "classes" (fun i -> classify_float (float_of_int i) = FP_normal);
  count "least" (fun i -> Float.min (float_of_int i) 3.5 < 3.);
  count "hashes" (fun i -> Hashtbl.hash (Int64.of_int i) land 1 = 0);
  count "integers" (fun i -> Int64.of_int i = 5L || Int32.of_int i > 7l);
  let found = ref 0 in
  for i = 1 to rounds do
    if Float.sign_bit (float_of_int (7 - i)) then incr found
  done;
  Printf.printf "signs in place: %d\n" !found;
  for i = 1 to rounds do
    kept.(0) <- Obj.repr (float_of_int i)
  done;
  Printf.printf "kept: %.0f\n" (Obj.obj kept.(0))
