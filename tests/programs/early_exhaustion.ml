(* What does not fit where an initialisation is evaluated fits where the program runs. *)

let cache = try Bytes.create (100 lsl 20) with Out_of_memory -> Bytes.create 1024

let table : (int, int) Hashtbl.t option =
  try Some (Hashtbl.create 10_000_000) with Out_of_memory -> None

let main () = Array.length (Array.make 10_000_000 0)

let () =
  Printf.printf "%d %b\n" (Bytes.length cache) (table <> None);
  try Printf.printf "%d\n" (main ())
  with e -> print_endline (Printexc.to_string e)
