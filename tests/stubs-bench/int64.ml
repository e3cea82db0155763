(* A hash of numbers: int64, [@@unboxed] [@@noalloc]. *)
external mix : int64 -> int64 -> int64 = "bench_mix" "bench_mix_unboxed" [@@unboxed] [@@noalloc]

let run n =
  let x = ref 0L in
  for i = 1 to n do
    x := mix !x (Int64.of_int i)
  done;
  !x

let () = Printf.printf "%Lx" (run (int_of_string Sys.argv.(1)))
