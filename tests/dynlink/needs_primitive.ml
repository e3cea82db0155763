(* A plugin that asks for a primitive which nothing defines. *)
external missing : int -> int = "no_such_primitive"
let () = print_int (missing 1)
