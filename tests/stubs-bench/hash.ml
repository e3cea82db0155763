(* A hash over a string of 32 bytes: a loop in C. *)
external hash : string -> int = "bench_hash" [@@noalloc]

let () =
  let string = String.init 32 (fun i -> Char.chr (i * 7)) in
  let total = ref 0 in
  for _ = 1 to int_of_string Sys.argv.(1) do
    total := !total + hash string
  done;
  print_int !total
