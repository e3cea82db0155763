(* Signals that come before something waits, and such as end what waits and then raises: handlers
   run before the one and before the other. *)

exception Alarm

let set s = ignore (Unix.setitimer ITIMER_REAL { it_value = s; it_interval = 0. })

let row name f =
  let start = Unix.gettimeofday () in
  match f () with
  | () -> set 0.; Printf.printf "%s: ended\n%!" name
  | exception Alarm ->
    let is_late = Unix.gettimeofday () -. start > 2. in
    Printf.printf "%s: alarm%s\n%!" name (if is_late then ", late" else "")
  | exception e -> set 0.; Printf.printf "%s: %s\n%!" name (Printexc.to_string e)

external digest : string -> int -> int -> string = "caml_md5_string"

let text = String.make 40_000_000 'x'

(* A signal comes while the digest is made. No poll lies between that and what waits next. *)

let waits () =
  let r, w = Unix.pipe () in
  let buffer = Bytes.create 1 in
  let child =
    Unix.create_process "sleep" [| "sleep"; "3" |] Unix.stdin Unix.stdout Unix.stderr in
  row "select" (fun () ->
    set 0.02; ignore (digest text 0 40_000_000); ignore (Unix.select [r] [] [] 3.));
  row "sleepf" (fun () -> set 0.02; ignore (digest text 0 40_000_000); Unix.sleepf 3.);
  row "waitpid" (fun () ->
    set 0.02; ignore (digest text 0 40_000_000); ignore (Unix.waitpid [] child));
  Unix.kill child Sys.sigkill;
  ignore (Unix.waitpid [] child);
  row "command" (fun () ->
    set 0.02; ignore (digest text 0 40_000_000); ignore (Sys.command "sleep 3"));
  ignore (Unix.write w buffer 0 1);
  row "read" (fun () ->
    set 0.02; ignore (digest text 0 40_000_000); ignore (Unix.read r buffer 0 1));
  row "open" (fun () ->
    set 0.02; ignore (digest text 0 40_000_000); ignore (Unix.openfile "none" [Unix.O_RDONLY] 0));
  row "open_in" (fun () ->
    set 0.02; ignore (digest text 0 40_000_000); ignore (open_in "none"))

let opening () =
  Unix.mkfifo "pipe" 0o600;
  row "opening a pipe" (fun () -> set 0.05; ignore (Unix.openfile "pipe" [Unix.O_RDONLY] 0));
  row "a channel for a pipe" (fun () -> set 0.05; ignore (open_in "pipe"));
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle ignore);
  row "handled" (fun () -> set 0.05; ignore (Unix.openfile "pipe" [Unix.O_RDONLY] 0));
  row "handled" (fun () -> set 0.05; ignore (open_out "pipe"))

let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> raise Alarm));
  waits (); opening ()
