(* Locks stay while other programs are started, and while files are cut by their names. *)

let is_locked name =
  let suffix = Printf.sprintf ":%d " (Unix.stat name).Unix.st_ino in
  let n = String.length suffix in
  let ic = open_in "/proc/locks" in
  let rec has line i =
    i + n <= String.length line && (String.sub line i n = suffix || has line (i + 1)) in
  let rec look () = match input_line ic with
    | line -> has line 0 || look ()
    | exception End_of_file -> false in
  let found = look () in
  close_in ic; found

let open_locked flags name =
  let fd = Unix.openfile name (Unix.O_RDWR :: Unix.O_CREAT :: flags) 0o600 in
  Unix.lockf fd Unix.F_TLOCK 0; fd

let kept = open_locked [] "kept" and closed = open_locked [Unix.O_CLOEXEC] "closed"

let row name f =
  let said = match f () with
    | () -> "done"
    | exception Unix.Unix_error (e, _, _) -> Unix.error_message e in
  let locked = List.map is_locked ["kept"; "closed"] in
  Printf.printf "%s: %s, locked %s\n%!" name said
    (String.concat " " (List.map string_of_bool locked));
  List.iter (fun fd -> Unix.lockf fd Unix.F_TLOCK 0) [kept; closed]

let run a b c =
  ignore (Unix.waitpid [] (Unix.create_process "sh" [| "sh"; "-c"; "echo out; cat" |] a b c))

let () =
  row "command" (fun () -> ignore (Sys.command "true"));
  row "streams" (fun () -> run Unix.stdin Unix.stdout Unix.stderr);
  row "the file as a stream" (fun () -> run kept Unix.stdout closed);
  row "streams exchanged" (fun () -> run Unix.stdin Unix.stderr Unix.stdout);
  row "no program" (fun () -> Unix.execv "/nonexistent" [| "x" |]);
  row "a directory" (fun () -> Unix.execv "/" [| "x" |]);
  row "a file that is not executable" (fun () -> Unix.execvp "./kept" [| "x" |]);
  row "truncate" (fun () -> Unix.truncate "kept" 10);
  row "truncate" (fun () -> Unix.LargeFile.truncate "closed" 10L);
  Unix.mkfifo "pipe" 0o600;
  row "truncate a pipe" (fun () -> Unix.truncate "pipe" 0);
  row "truncate nothing" (fun () -> Unix.truncate "none" 0);
  row "truncate nothing to less" (fun () -> Unix.truncate "none" (-1))
