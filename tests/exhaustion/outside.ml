(* Data outside of the heap uses memory up. *)

let rec fill list = fill (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 1_000 :: list)

let () =
  (try ignore (List.length (fill [])) with Out_of_memory -> print_endline "full");
  print_endline "after"
