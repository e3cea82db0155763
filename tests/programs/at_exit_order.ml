(* Order of at_exit functions, registration during exit, flushing of channels. *)
let () =
  at_exit (fun () -> print_string "one\n");
  at_exit (fun () ->
    print_string "two\n";
    at_exit (fun () -> print_string "added late\n"));
  at_exit (fun () -> print_string "three\n");
  print_string "main ";
  prerr_string "to stderr ";
  print_string "still main\n"

let () = Stdlib.do_at_exit ()
let () = print_string "after do_at_exit\n"
let () = at_exit (fun () -> prerr_string "last words\n")
