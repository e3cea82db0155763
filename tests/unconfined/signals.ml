(* Signals that the program sends to itself. *)

let fails name f =
  match f () with
  | _ -> Printf.printf "%s: no error\n" name
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let () =
  let hits = ref [] in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun s -> hits := s :: !hits));
  Sys.set_signal Sys.sigusr2 Sys.Signal_ignore;
  let self = Unix.getpid () in
  Unix.kill self 0; Unix.kill self Sys.sigusr1;
  Unix.kill self Sys.sigusr2; Unix.kill self Sys.sigchld;
  Printf.printf "handled %b\n" (!hits = [Sys.sigusr1]);
  let old = Unix.sigprocmask Unix.SIG_BLOCK [Sys.sigusr1; Sys.sigterm] in
  Unix.kill self Sys.sigusr1;
  Printf.printf "blocked %d %d %b\n" (List.length old) (List.length !hits)
    (Unix.sigpending () = [Sys.sigusr1]);
  let mask = Unix.sigprocmask Unix.SIG_UNBLOCK [Sys.sigusr1] in
  Printf.printf "delivered %d %b\n" (List.length !hits)
    (List.sort compare mask = List.sort compare [Sys.sigusr1; Sys.sigterm]);
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> raise Exit));
  fails "from a handler" (fun () -> Unix.kill self Sys.sigusr1)
