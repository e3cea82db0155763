(* Writes until nobody reads. *)

let () =
  while true do
    print_endline "y"
  done
