(* What the keyboard sends while a command runs is for the command; what the program ignores, the
   programs that it starts ignore. *)

let self = Unix.getpid ()

let send signal = Sys.command (Printf.sprintf "kill -%s %d; sleep 0.1; exit 7" signal self)

let hits = ref 0

(* Which of HUP, INT, QUIT and PIPE are ignored, by the mask of the last digits. *)
let ignored () =
  let ic = Unix.open_process_in "grep SigIgn /proc/self/status" in
  let line = input_line ic in
  ignore (Unix.close_process_in ic);
  let mask = int_of_string ("0x" ^ String.sub line (String.length line - 8) 8) in
  mask land 0b1000000000111

let by_command () =
  ignore (Sys.command "grep SigIgn /proc/self/status > ignored");
  let ic = open_in "ignored" in
  let line = input_line ic in
  close_in ic;
  int_of_string ("0x" ^ String.sub line (String.length line - 8) 8) land 0b1000000000111

let show name = Printf.printf "%s: %d, %d\n%!" name (ignored ()) (by_command ())

let () =
  Printf.printf "INT %d\n%!" (send "INT");
  Printf.printf "QUIT %d\n%!" (send "QUIT");
  Sys.set_signal Sys.sigint (Sys.Signal_handle (fun _ -> incr hits));
  Printf.printf "INT %d\n%!" (send "INT");
  Printf.printf "%d handled\n%!" !hits;
  Unix.kill self Sys.sigint;
  Printf.printf "%d handled\n%!" !hits;
  Printf.printf "of the command itself: %d\n%!" (Sys.command "kill -INT $$; exit 7");
  show "at first";
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore; show "PIPE";
  Sys.set_signal Sys.sigint Sys.Signal_ignore; show "INT";
  Sys.set_signal Sys.sigpipe Sys.Signal_default; show "PIPE no more";
  Sys.set_signal Sys.sigpipe (Sys.Signal_handle ignore); show "PIPE has a handler"
