(* Data outside of the heap uses memory up. *)

let rec fill list = fill (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 1_000 :: list)

let () =
  print_endline "begin";
  (try ignore (List.length (fill [])) with Out_of_memory -> print_endline "full");
  (* The handler's channel had no buffer; a collection makes room for it. *)
  (try prerr_endline "one" with Out_of_memory -> Gc.full_major (); prerr_endline "two");
  print_endline "after"
