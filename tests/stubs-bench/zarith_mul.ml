(* zarith: a product of small numbers, for which [@@noalloc] C looks for an overflow. *)
let run n =
  let x = ref Z.one and a = Z.of_int (-1) in
  for _ = 1 to n do
    x := Z.mul !x a
  done;
  !x

let () = print_string (Z.to_string (run (int_of_string Sys.argv.(1))))
