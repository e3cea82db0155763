(* at_exit functions run before the message of an uncaught exception; one of them raises as well. *)
let () = at_exit (fun () -> print_endline "registered first, runs last")
let () = at_exit (fun () -> print_endline "middle")
let () = at_exit (fun () -> print_endline "registered last, runs first")
let () = failwith "the end"
