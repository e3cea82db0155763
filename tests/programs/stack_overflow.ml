(* Stack_overflow is an exception that the program can catch, repeatedly, and go on from. *)
let rec plain n = 1 + plain (n + 1)
let rec ping n = 1 + pong n
and pong n = 1 + ping n
let rec many a b c d e f g h = 1 + many b c d e f g h a
let rec in_handler n = try 1 + in_handler (n + 1) with Not_found -> n
type unknown = { call : unknown -> int -> int }
let closure k n = 1 + k.call k (n + 1)
let depth = ref 0
let rec measured () = incr depth; measured (); ignore (Sys.opaque_identity 0)

let overflows name f =
  match f () with
  | (_ : int) -> Printf.printf "%s returned\n" name
  | exception Stack_overflow -> Printf.printf "%s: stack overflow\n" name

let () =
  overflows "plain" (fun () -> plain 0);
  overflows "mutual" (fun () -> ping 0);
  overflows "many" (fun () -> many 1 2 3 4 5 6 7 8);
  overflows "handler" (fun () -> in_handler 0);
  overflows "closure" (fun () -> closure { call = closure } 0);
  overflows "plain again" (fun () -> plain 0);
  (try measured () with Stack_overflow -> Printf.printf "deep enough: %b\n" (!depth > 10000));
  let nested = try (try plain 0 with Not_found -> 1) with Stack_overflow -> 2 in
  Printf.printf "%d\n" nested;
  print_endline "still alive"
