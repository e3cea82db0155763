(* Floats in boxes, which C makes. *)
external scale : float -> float -> float = "bench_scale"

let run n =
  let x = ref 0. in
  for i = 1 to n do
    x := scale !x (float_of_int i)
  done;
  !x

let () = Printf.printf "%h" (run (int_of_string Sys.argv.(1)))
