(* "send NAME" sends itself a signal, "pipe" writes where nobody reads; "watch COMMAND ..." tells
   how a command ends, and lets it go on if it stops. *)

let signals =
  [ "stop", Sys.sigstop; "tstp", Sys.sigtstp; "ttin", Sys.sigttin; "term", Sys.sigterm;
    "kill", Sys.sigkill; "abrt", Sys.sigabrt; "segv", Sys.sigsegv; "int", Sys.sigint;
    "cont", Sys.sigcont ]

let rec watch pid =
  match snd (Unix.waitpid [Unix.WUNTRACED] pid) with
  | WEXITED code -> Printf.printf "exited %d\n%!" code
  | WSIGNALED signal -> Printf.printf "killed by %d\n%!" signal
  | WSTOPPED signal ->
    Printf.printf "stopped by %d\n%!" signal;
    Unix.kill pid Sys.sigcont;
    watch pid

let () =
  match Array.to_list Sys.argv with
  | _ :: "send" :: name :: _ ->
    print_endline "before";
    Unix.kill (Unix.getpid ()) (List.assoc name signals);
    print_endline "after"
  | _ :: "pipe" :: _ ->
    let r, w = Unix.pipe () in
    Unix.close r;
    ignore (Unix.write_substring w "x" 0 1)
  | _ :: "watch" :: command ->
    let arguments = Array.of_list command in
    watch (Unix.create_process arguments.(0) arguments Unix.stdin Unix.stdout Unix.stderr)
  | _ -> assert false
