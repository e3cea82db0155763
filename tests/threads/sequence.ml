(* A hundred thousand threads, one after the other: what each leaves is used again. *)

let () =
  let count = ref 0 in
  for _ = 1 to 100_000 do
    Thread.join (Thread.create (fun () -> incr count) ())
  done;
  Printf.printf "%d\n" !count
