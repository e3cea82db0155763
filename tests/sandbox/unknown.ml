(* What WASI has no answer for, a line each. Starts in an empty directory. *)

let row name f =
  match f () with
  | _ -> Printf.printf "%s: an answer\n" name
  | exception Unix.Unix_error (Unix.ENOSYS, f, _) when f = name -> Printf.printf "%s: ENOSYS\n" name
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let () =
  close_out (open_out "file");
  let fd = Unix.openfile "file" [Unix.O_RDWR] 0 in
  row "stat" (fun () -> ignore (Unix.stat "file"));
  row "stat" (fun () -> ignore (Unix.LargeFile.stat "file"));
  row "lstat" (fun () -> ignore (Unix.lstat "file"));
  row "lstat" (fun () -> ignore (Unix.LargeFile.lstat "file"));
  row "fstat" (fun () -> ignore (Unix.fstat fd));
  row "fstat" (fun () -> ignore (Unix.LargeFile.fstat fd));
  row "fstat" (fun () -> let r, _ = Unix.pipe () in ignore (Unix.fstat r));
  row "fstat" (fun () -> ignore (Unix.fstat Unix.stdin));
  row "chmod" (fun () -> Unix.chmod "file" 0o600);
  row "fchmod" (fun () -> Unix.fchmod fd 0o600);
  row "chown" (fun () -> Unix.chown "file" (-1) (-1));
  row "fchown" (fun () -> Unix.fchown fd (-1) (-1));
  row "mkfifo" (fun () -> Unix.mkfifo "fifo" 0o600);
  row "lockf" (fun () -> Unix.lockf fd Unix.F_LOCK 0);
  row "umask" (fun () -> ignore (Unix.umask 0o22));
  row "getuid" (fun () -> ignore (Unix.getuid ()));
  row "geteuid" (fun () -> ignore (Unix.geteuid ()));
  row "getgid" (fun () -> ignore (Unix.getgid ()));
  row "getegid" (fun () -> ignore (Unix.getegid ()));
  row "getgroups" (fun () -> ignore (Unix.getgroups ()));
  row "getlogin" (fun () -> ignore (Unix.getlogin ()));
  row "gethostname" (fun () -> ignore (Unix.gethostname ()));
  row "getpid" (fun () -> ignore (Unix.getpid ()));
  row "getppid" (fun () -> ignore (Unix.getppid ()));
  row "nice" (fun () -> ignore (Unix.nice 0));
  row "times" (fun () -> ignore (Unix.times ()));
  row "sigsuspend" (fun () -> Unix.sigsuspend []);
  row "alarm" (fun () -> ignore (Unix.alarm 1));
  row "setitimer" (fun () ->
    let never = { Unix.it_value = 0.; it_interval = 0. } in
    ignore (Unix.setitimer Unix.ITIMER_REAL never));
  row "create_process" (fun () ->
    ignore (Unix.create_process "true" [| "true" |] Unix.stdin Unix.stdout Unix.stderr));
  row "create_process" (fun () -> ignore (Unix.open_process_in "true"));
  row "create_process" (fun () -> ignore (Unix.open_process_out "true"));
  row "execv" (fun () -> Unix.execv "/bin/true" [| "true" |]);
  row "execve" (fun () -> Unix.execve "/bin/true" [| "true" |] [||]);
  row "execvp" (fun () -> Unix.execvp "true" [| "true" |]);
  row "execvpe" (fun () -> Unix.execvpe "true" [| "true" |] [||]);
  row "socket" (fun () -> ignore (Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0));
  row "socketpair" (fun () -> ignore (Unix.socketpair Unix.PF_UNIX Unix.SOCK_STREAM 0))
