(* exit with a code above 255, from inside a handler and a nested call; buffered output still
   appears. *)
let () = at_exit (fun () -> print_string "bye\n")
let rec work n = if n = 0 then exit 300 else 1 + work (n - 1)

let () =
  print_string "no newline yet, ";
  try ignore (work 10) with Not_found -> print_endline "not reached"
