(* zarith: a sum of numbers of three words, in C. *)
let run n =
  let a = Z.pow (Z.of_int 7) 60 and b = Z.pow (Z.of_int 5) 70 and x = ref Z.zero in
  for _ = 1 to n do
    x := Z.add a b
  done;
  !x

let () = print_string (Z.to_string (run (int_of_string Sys.argv.(1))))
