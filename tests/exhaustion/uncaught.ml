(* Ends for want of memory, in good order. *)
let () =
  at_exit (fun () -> print_endline "at exit");
  let rec fill list = fill (ref 1 :: list) in
  fill []
