(* Integers, [@@noalloc]. *)
external add : int -> int -> int = "bench_add" [@@noalloc]

let rec go i total = if i = 0 then total else go (i - 1) (add total i)
let () = print_int (go (int_of_string Sys.argv.(1)) 0)
