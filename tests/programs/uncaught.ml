(* An uncaught exception with arguments: message on stderr, exit code 2, stdout flushed first. *)
exception Broken of int * string * float

let rec dig n = if n = 0 then raise (Broken (3, "q\"uote", 1.5)) else 1 + dig (n - 1)

let () =
  print_string "before";
  ignore (dig 5);
  print_string "after"
