(* What is known of files, and what changes it. Starts in an empty directory. *)

let row name f =
  match f () with
  | text -> Printf.printf "%s: %s\n" name text
  | exception Unix.Unix_error (e, f, a) ->
      Printf.printf "%s: %s in %s %S\n" name (Unix.error_message e) f a
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let () = Sys.set_signal Sys.sigpipe Sys.Signal_ignore

let kind = function
  | Unix.S_REG -> "REG" | Unix.S_DIR -> "DIR" | Unix.S_CHR -> "CHR" | Unix.S_BLK -> "BLK"
  | Unix.S_LNK -> "LNK" | Unix.S_FIFO -> "FIFO" | Unix.S_SOCK -> "SOCK"

let show (s : Unix.stats) =
  Printf.sprintf "%s %o of %d:%d, size %d, links %d, device %d"
    (kind s.st_kind) s.st_perm s.st_uid s.st_gid
    (if s.st_kind = Unix.S_DIR then 0 else s.st_size) s.st_nlink s.st_rdev

let show_large (s : Unix.LargeFile.stats) =
  Printf.sprintf "%s %o of %d:%d, size %Ld, links %d"
    (kind s.st_kind) s.st_perm s.st_uid s.st_gid s.st_size s.st_nlink

let make name perm =
  let fd = Unix.openfile name [Unix.O_RDWR; Unix.O_CREAT; Unix.O_EXCL] perm in
  ignore (Unix.write_substring fd "0123456789" 0 10);
  fd

let () =
  row "umask" (fun () -> Printf.sprintf "%o" (Unix.umask 0o027));
  row "umask again" (fun () -> Printf.sprintf "%o" (Unix.umask 0o022));
  List.iter (fun perm ->
    let name = Printf.sprintf "file-%o" perm in
    row name (fun () ->
      let fd = make name perm in let s = show (Unix.fstat fd) in Unix.close fd; s);
    let dir = Printf.sprintf "dir-%o" perm in
    row dir (fun () -> Unix.mkdir dir perm; show (Unix.stat dir));
    let fifo = Printf.sprintf "fifo-%o" perm in
    row fifo (fun () -> Unix.mkfifo fifo perm; show (Unix.stat fifo)))
    [0o600; 0o644; 0o666; 0o700; 0o777; 0o0; 0o4755];
  row "mkfifo twice" (fun () -> Unix.mkfifo "fifo-600" 0o600; "made")

let () =
  List.iter (fun path ->
    row ("stat " ^ path) (fun () ->
      let s = Unix.stat path in
      Printf.sprintf "%s, inode %d on %d, changed %.9f" (show s) s.st_ino s.st_dev s.st_mtime);
    row ("lstat " ^ path) (fun () -> show (Unix.lstat path));
    row ("large stat " ^ path) (fun () -> show_large (Unix.LargeFile.stat path));
    row ("large lstat " ^ path) (fun () -> show_large (Unix.LargeFile.lstat path)))
    ["/bin/sh"; "/bin/ls"; "/etc/passwd"; "/none"; "/etc/passwd/x"; ""];
  List.iter (fun path -> row ("stat " ^ path) (fun () -> show (Unix.stat path)))
    ["/"; "/usr"; "/dev/null"; "/dev/zero"; "/proc/version"; "."];
  row "fstat" (fun () ->
    let fd = Unix.openfile "file-644" [Unix.O_RDONLY] 0 in let s = Unix.fstat fd in
    let l = Unix.LargeFile.fstat fd in Unix.close fd; show s ^ "; " ^ show_large l);
  row "fstat of a pipe" (fun () -> let r, w = Unix.pipe () in let s = Unix.fstat r in
    Unix.close r; Unix.close w; Printf.sprintf "%s %o of %d" (kind s.st_kind) s.st_perm s.st_uid);
  row "fstat closed" (fun () -> show (Unix.fstat (Obj.magic 99)))

let () =
  let may path =
    String.concat "" (List.map (fun (letter, permission) ->
      match Unix.access path [permission] with
      | () -> letter
      | exception Unix.Unix_error (Unix.EACCES, _, _) -> "-")
      [("f", Unix.F_OK); ("r", Unix.R_OK); ("w", Unix.W_OK); ("x", Unix.X_OK)]) in
  List.iter (fun path -> row ("access " ^ path) (fun () -> may path))
    ["/bin/sh"; "/etc/passwd"; "/"; "/dev/null"; "file-644"; "file-777"; "file-0"; "dir-700";
     "fifo-600"; "none"];
  row "access all" (fun () -> Unix.access "/bin/sh" [Unix.R_OK; Unix.X_OK]; "granted")

let () =
  let perm path = Printf.sprintf "%o" (Unix.stat path).st_perm in
  row "chmod" (fun () -> Unix.chmod "file-644" 0o4711; perm "file-644");
  row "chmod dir" (fun () -> Unix.chmod "dir-700" 0o1755; perm "dir-700");
  row "chmod none" (fun () -> Unix.chmod "none" 0o700; "done");
  row "fchmod" (fun () ->
    let fd = Unix.openfile "file-644" [Unix.O_RDONLY] 0 in
    Unix.fchmod fd 0o640; Unix.close fd; perm "file-644");
  row "fchmod closed" (fun () -> Unix.fchmod (Obj.magic 99) 0o640; "done");
  let owner path = let s = Unix.stat path in Printf.sprintf "%d:%d" s.st_uid s.st_gid in
  row "chown to itself" (fun () ->
    Unix.chown "file-644" (Unix.getuid ()) (Unix.getgid ()); owner "file-644");
  row "chown to nobody in particular" (fun () -> Unix.chown "file-644" (-1) (-1); owner "file-644");
  row "chown to another" (fun () -> Unix.chown "file-666" 1 2; owner "file-666");
  row "fchown" (fun () -> let fd = Unix.openfile "file-600" [Unix.O_RDONLY] 0 in
    Fun.protect ~finally:(fun () -> Unix.close fd) (fun () -> Unix.fchown fd 2 (-1));
    owner "file-600");
  row "chown none" (fun () -> Unix.chown "none" 0 0; "done")

let () =
  let times path = let s = Unix.stat path in Printf.sprintf "%.6f %.6f" s.st_atime s.st_mtime in
  row "utimes" (fun () -> Unix.utimes "file-644" 1000000000.25 1234567890.5; times "file-644");
  row "utimes of a directory" (fun () -> Unix.utimes "dir-777" 1. 2.; times "dir-777");
  row "utimes before 1970" (fun () -> Unix.utimes "file-644" (-1.5) (-1000000.); times "file-644");
  row "utimes of whole seconds before 1970" (fun () ->
    Unix.utimes "file-644" (-1.) (-1000000.); times "file-644");
  row "utimes now" (fun () -> let before = Unix.time () in Unix.utimes "file-644" 0. 0.;
    string_of_bool (before -. (Unix.stat "file-644").st_mtime < 2.));
  row "utimes none" (fun () -> Unix.utimes "none" 1. 1.; "done");
  row "truncate" (fun () -> Unix.truncate "file-644" 4; show (Unix.stat "file-644"));
  row "truncate longer" (fun () ->
    Unix.LargeFile.truncate "file-644" 40L; show (Unix.stat "file-644"));
  row "truncate to less than nothing" (fun () -> Unix.truncate "file-644" (-1); "done");
  row "truncate a directory" (fun () -> Unix.truncate "dir-777" 1; "done");
  row "ftruncate" (fun () -> let fd = Unix.openfile "file-644" [Unix.O_WRONLY] 0 in
    Unix.ftruncate fd 7; Unix.LargeFile.ftruncate fd 6L; Unix.close fd;
    show (Unix.stat "file-644"));
  row "ftruncate read only" (fun () -> let fd = Unix.openfile "file-644" [Unix.O_RDONLY] 0 in
    Fun.protect ~finally:(fun () -> Unix.close fd) (fun () -> Unix.ftruncate fd 7; "done"))
