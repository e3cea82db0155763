(* Printexc: registered printers, uncaught-exception handler, exceptions to strings. *)
exception Custom of int
exception Plain
exception With_tuple of (int * int)
exception Inline of { code : int; text : string }

let () =
  Printexc.register_printer (function Custom n -> Some (Printf.sprintf "Custom<%d>" n) | _ -> None);
  List.iter
    (fun e -> print_endline (Printexc.to_string e))
    [ Custom 3; Plain; With_tuple (1, 2); Inline { code = 1; text = "t" }; Not_found; Failure "f";
      Invalid_argument "i"; Exit; Division_by_zero; End_of_file; Stack_overflow; Out_of_memory;
      Sys_error "s"; Match_failure ("file", 1, 2); Assert_failure ("g", 3, 4) ];
  (try assert (List.length [] = 1)
   with Assert_failure (_, l, c) -> Printf.printf "assert %d %d\n" l c);
  (try (function 1 -> () | _ -> raise (Match_failure ("m", 0, 0))) 2
   with Match_failure (f, _, _) -> print_endline f);
  Printf.printf "%b\n" (Printexc.get_backtrace () = "");
  Printf.printf "%s\n" (Printexc.exn_slot_name Plain);
  Printexc.set_uncaught_exception_handler
    (fun e _ -> prerr_endline ("handler: " ^ Printexc.to_string e); print_endline "on stdout");
  raise (Custom 9)
