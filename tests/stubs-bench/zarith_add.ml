(* zarith: two additions and a subtraction of small numbers, without C. *)
let run n =
  let x = ref Z.zero and a = Z.of_int 31 and b = Z.of_int (-17) in
  for _ = 1 to n do
    x := Z.sub (Z.add (Z.add !x a) b) Z.one
  done;
  !x

let () = print_string (Z.to_string (run (int_of_string Sys.argv.(1))))
