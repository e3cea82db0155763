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

(* A signal is blocked while its handler runs; what the handler does to the mask is undone. *)
let () =
  let self = Unix.getpid () in
  ignore (Unix.sigprocmask Unix.SIG_SETMASK []);
  let count = ref 0 in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ ->
    incr count;
    let number = !count in
    let blocked = Unix.sigprocmask Unix.SIG_BLOCK [Sys.sigterm] in
    Printf.printf "begin %d, %d blocked\n" number (List.length blocked);
    if number < 3 then Unix.kill self Sys.sigusr1;
    Printf.printf "end %d\n" number;
    if number = 3 then raise Exit));
  fails "the last one" (fun () -> Unix.kill self Sys.sigusr1);
  Printf.printf "%d blocked\n" (List.length (Unix.sigprocmask Unix.SIG_BLOCK []))

(* Those that wait, and those that are blocked, in order; one that is ignored waits no more. *)
let () =
  let self = Unix.getpid () in
  let all = [Sys.sigterm; Sys.sigusr2; Sys.sighup; Sys.sigusr1; Sys.sigchld] in
  List.iter (fun s -> Sys.set_signal s (Sys.Signal_handle ignore)) all;
  ignore (Unix.sigprocmask Unix.SIG_BLOCK all);
  let show name = List.iter (Printf.printf "%s %d\n" name) in
  List.iter (Unix.kill self) all;
  show "waits" (Unix.sigpending ());
  Sys.set_signal Sys.sigusr1 Sys.Signal_ignore;
  Sys.set_signal Sys.sigchld Sys.Signal_default;
  show "still waits" (Unix.sigpending ());
  show "blocked" (Unix.sigprocmask Unix.SIG_UNBLOCK all)
