(* So much memory is used up that the collector's own tables are large. Then there is garbage. *)

let rec fill list number = fill (number :: list) (number + 1)

let () =
  (try ignore (List.length (fill [] 0)) with Out_of_memory -> print_endline "full");
  for _ = 1 to 100 do
    ignore (Sys.opaque_identity (List.init 100_000 (fun i -> (i, string_of_int i))))
  done;
  Gc.full_major ();
  print_int (List.length (List.init 3_000_000 (fun i -> (i, ref i))))
