(* Floats, [@@unboxed] [@@noalloc]. *)
external step : float -> float -> float = "bench_step" "bench_step_unboxed"
  [@@unboxed] [@@noalloc]

let run n =
  let x = ref 0. in
  for i = 1 to n do
    x := step !x (float_of_int i)
  done;
  !x

let () = Printf.printf "%h" (run (int_of_string Sys.argv.(1)))
