(* Programs that this one starts: commands, redirections, pipes, what they end with, what they
   inherit. *)

let fails name f =
  match f () with
  | _ -> Printf.printf "%s: no error\n%!" name
  | exception Unix.Unix_error (e, f, a) ->
    Printf.printf "%s: %s in %s of %S\n%!" name (Unix.error_message e) f a
  | exception e -> Printf.printf "%s: %s\n%!" name (Printexc.to_string e)

let status = function
  | Unix.WEXITED n -> Printf.sprintf "exited %d" n
  | Unix.WSIGNALED s -> Printf.sprintf "killed by %d" s
  | Unix.WSTOPPED s -> Printf.sprintf "stopped by %d" s

let show name s = Printf.printf "%s: %s\n%!" name (status s)

let ended pid = let p, s = Unix.waitpid [] pid in assert (p = pid); status s

let commands () =
  Printf.printf "command %d\n%!" (Sys.command "echo from the shell; exit 3");
  Printf.printf "killed command %d\n%!" (Sys.command "kill -9 $$");
  fails "a command with a NUL" (fun () -> Sys.command "a\000b");
  show "system" (Unix.system "echo from system; exit 7");
  show "killed system" (Unix.system "kill -TERM $$");
  show "not found" (Unix.system "/nonexistent/command 2>/dev/null");
  Unix.putenv "CAMEL" "two humps";
  show "environment" (Unix.system "echo \"$CAMEL\"")

let processes () =
  let run name args =
    let pid = Unix.create_process name args Unix.stdin Unix.stdout Unix.stderr in
    Printf.printf "%s %s\n%!" name (ended pid) in
  run "echo" [| "echo"; "an argument"; "" ; "ünïcode" |];
  run "/bin/sh" [| "another name"; "-c"; "echo $0; exit 5" |];
  let pid = Unix.create_process_env "sh" [| "sh"; "-c"; "echo $A-$B-$CAMEL" |]
      [| "A=1"; "B=two words" |] Unix.stdin Unix.stdout Unix.stderr in
  print_endline (ended pid);
  fails "no such program" (fun () -> run "no-such-program" [| "x" |]);
  fails "no such path" (fun () -> run "/nonexistent/x" [| "x" |]);
  fails "no program" (fun () -> run "/" [| "x" |]);
  fails "empty" (fun () -> run "" [| "x" |]);
  fails "a NUL" (fun () -> run "echo" [| "a\000b" |]);
  fails "no children" (fun () -> Unix.wait ());
  fails "not a child" (fun () -> Unix.waitpid [] 1)

let waiting () =
  let r, w = Unix.pipe ~cloexec:true () in
  let pid = Unix.create_process "cat" [| "cat" |] r Unix.stdout Unix.stderr in
  Unix.close r;
  let p, _ = Unix.waitpid [Unix.WNOHANG] pid in
  Printf.printf "still running %b\n%!" (p = 0);
  ignore (Unix.write_substring w "through a pipe\n" 0 15);
  Unix.close w;
  print_endline (ended pid);
  let sleeper () =
    Unix.create_process "sleep" [| "sleep"; "1000" |] Unix.stdin Unix.stdout Unix.stderr in
  let pid = sleeper () in
  Unix.kill pid 0;
  Unix.kill pid Sys.sigkill;
  print_endline (ended pid);
  fails "gone" (fun () -> Unix.kill pid 0);
  let pid = sleeper () in
  Unix.kill pid Sys.sigstop;
  let _, s = Unix.waitpid [Unix.WUNTRACED] pid in
  show "stopped" s;
  Unix.kill pid Sys.sigterm; Unix.kill pid Sys.sigcont;
  show "any child" (snd (Unix.wait ()))

let redirections () =
  let file = Unix.openfile "out" [Unix.O_RDWR; Unix.O_CREAT; Unix.O_CLOEXEC] 0o600 in
  let pid = Unix.create_process "sh" [| "sh"; "-c"; "echo out; echo err >&2; cat <&0" |]
      (Unix.openfile "/dev/null" [Unix.O_RDONLY] 0) file file in
  print_endline (ended pid);
  (* The two streams swapped. *)
  let pid = Unix.create_process "sh" [| "sh"; "-c"; "echo to the file; echo shown >&2" |]
      Unix.stdin file Unix.stdout in
  print_endline (ended pid);
  ignore (Unix.lseek file 0 Unix.SEEK_SET);
  let buffer = Bytes.create 100 in
  let n = Unix.read file buffer 0 100 in
  Printf.printf "%S\n%!" (Bytes.sub_string buffer 0 n);
  Unix.close file

(* Descriptors that a child has, of a few that are open here. *)
let inherited () =
  let closed = Unix.openfile "closed" [Unix.O_WRONLY; Unix.O_CREAT; Unix.O_CLOEXEC] 0o600 in
  let kept = Unix.openfile "kept" [Unix.O_WRONLY; Unix.O_CREAT] 0o600 in
  let number (fd : Unix.file_descr) : int = Obj.magic fd in
  let probe name fd =
    let command = Printf.sprintf "(echo x >&%d) 2>/dev/null" (number fd) in
    Printf.printf "%s: %d\n%!" name (Sys.command command) in
  probe "O_CLOEXEC" closed; probe "without" kept;
  Unix.clear_close_on_exec closed; Unix.set_close_on_exec kept;
  probe "cleared" closed; probe "set" kept;
  probe "duplicate" (Unix.dup kept); probe "its flag" (Unix.dup ~cloexec:true closed);
  let r, _ = Unix.pipe () in probe "pipe" (snd (Unix.pipe ())); ignore r;
  probe "pipe with flag" (snd (Unix.pipe ~cloexec:true ()));
  probe "channel" (Unix.descr_of_out_channel (open_out "channel"))

let channels () =
  let lines ic = let rec go acc = match input_line ic with
    | l -> go (l :: acc) | exception End_of_file -> List.rev acc in go [] in
  let ic = Unix.open_process_in "printf 'a\\nb\\n'; exit 4" in
  List.iter print_endline (lines ic);
  show "close_process_in" (Unix.close_process_in ic);
  let oc = Unix.open_process_out "tr a-z A-Z" in
  output_string oc "in capitals\n";
  show "close_process_out" (Unix.close_process_out oc);
  let ic, oc = Unix.open_process "sort" in
  List.iter (fun s -> output_string oc (s ^ "\n")) ["c"; "a"; "b"];
  close_out oc;
  print_endline (String.concat " " (lines ic));
  show "close_process" (Unix.close_process (ic, oc));
  let ic, oc, ec = Unix.open_process_full "cat; echo problem >&2" [| "PATH=/bin:/usr/bin" |] in
  output_string oc "full\n"; close_out oc;
  Printf.printf "%s, %s\n%!" (String.concat " " (lines ic)) (String.concat " " (lines ec));
  show "close_process_full" (Unix.close_process_full (ic, oc, ec));
  let ic = Unix.open_process_args_in "echo" [| "echo"; "args" |] in
  Printf.printf "%b %s\n%!" (Unix.process_in_pid ic > 0) (String.concat " " (lines ic));
  show "args" (Unix.close_process_in ic);
  let oc = Unix.open_process_out "cat >/dev/null; exit 2" in
  show "reads all" (Unix.close_process_out oc)

(* A child finds SIGPIPE as it is by default. *)
let broken_pipe () = show "yes" (Unix.system "yes | head -n 1")

let () =
  commands (); processes (); waiting (); redirections (); inherited (); channels ();
  broken_pipe ();
  let t = Unix.times () in
  Printf.printf "%b\n" (t.Unix.tms_cutime >= 0.)
