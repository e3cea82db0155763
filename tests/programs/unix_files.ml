(* The unix library's files, directories, descriptors and pipes. Starts in an empty directory. *)

let error = function
  | Unix.E2BIG -> "E2BIG" | Unix.EACCES -> "EACCES" | Unix.EAGAIN -> "EAGAIN"
  | Unix.EBADF -> "EBADF" | Unix.ECHILD -> "ECHILD" | Unix.EEXIST -> "EEXIST"
  | Unix.EINVAL -> "EINVAL" | Unix.EISDIR -> "EISDIR" | Unix.ENOENT -> "ENOENT"
  | Unix.ENOTDIR -> "ENOTDIR" | Unix.ENOTEMPTY -> "ENOTEMPTY" | Unix.ENOTSOCK -> "ENOTSOCK"
  | Unix.ENOTTY -> "ENOTTY" | Unix.EPIPE -> "EPIPE" | Unix.ESPIPE -> "ESPIPE"
  | Unix.ELOOP -> "ELOOP"
  | e -> Unix.error_message e

let fails name f =
  match f () with
  | _ -> Printf.printf "%s: no error\n" name
  | exception Unix.Unix_error (e, f, a) ->
      Printf.printf "%s: Unix_error (%s, %S, %S)\n" name (error e) f a
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let number (fd : Unix.file_descr) : int = Obj.magic fd

let with_file name flags f =
  let fd = Unix.openfile name flags 0o644 in
  Fun.protect ~finally:(fun () -> Unix.close fd) (fun () -> f fd)

let contents name = with_file name [Unix.O_RDONLY] (fun fd ->
  let b = Bytes.create 1000 in
  let n = Unix.read fd b 0 1000 in
  Bytes.sub_string b 0 n)

let () =
  print_endline "-- descriptors";
  let a = Unix.openfile "a" [Unix.O_RDWR; Unix.O_CREAT] 0o644 in
  let b = Unix.openfile "b" [Unix.O_WRONLY; Unix.O_CREAT; Unix.O_EXCL] 0o644 in
  Printf.printf "numbers one apart: %b\n" (number b - number a = 1);
  Printf.printf "written %d\n" (Unix.write_substring a "hello, camels" 0 13);
  Printf.printf "at %d\n" (Unix.lseek a 0 Unix.SEEK_CUR);
  Printf.printf "to %d\n" (Unix.lseek a (-6) Unix.SEEK_END);
  let buffer = Bytes.make 20 '.' in
  let n = Unix.read a buffer 2 10 in
  Printf.printf "read %d: %S\n" n (Bytes.to_string buffer);
  Printf.printf "end %d\n" (Unix.read a buffer 0 10);
  Printf.printf "64: %Ld\n" (Unix.LargeFile.lseek a 3L Unix.SEEK_SET);
  let d = Unix.dup a in
  Printf.printf "shared position %d\n" (Unix.lseek d 0 Unix.SEEK_CUR);
  Unix.close a;
  Printf.printf "still open: %d\n" (Unix.single_write_substring d "XY" 0 2);
  Unix.dup2 d b;
  ignore (Unix.write_substring b "Z" 0 1);
  Unix.close d; Unix.close b;
  Printf.printf "a: %S, b: %S\n" (contents "a") (contents "b");
  fails "twice" (fun () -> Unix.close b);
  fails "read closed" (fun () -> Unix.read b buffer 0 1);
  fails "bounds" (fun () -> Unix.read b buffer 15 10);
  fails "write only" (fun () -> with_file "b" [Unix.O_WRONLY] (fun fd -> Unix.read fd buffer 0 1));
  fails "read only" (fun () -> with_file "b" [Unix.O_RDONLY] (fun fd -> Unix.write fd buffer 0 1));
  fails "exclusive" (fun () -> Unix.openfile "a" [Unix.O_CREAT; Unix.O_EXCL] 0o644);
  fails "missing" (fun () -> Unix.openfile "none" [Unix.O_RDONLY] 0);
  fails "nul" (fun () -> Unix.openfile "a\000b" [Unix.O_RDONLY] 0);
  fails "under file" (fun () -> Unix.openfile "a/b" [Unix.O_RDONLY] 0);
  fails "seek" (fun () ->
      with_file "a" [Unix.O_RDONLY] (fun fd -> Unix.lseek fd (-1) Unix.SEEK_SET));
  with_file "a" [Unix.O_WRONLY; Unix.O_APPEND] (fun fd -> ignore (Unix.write_substring fd "!" 0 1));
  Printf.printf "appended: %S\n" (contents "a");
  with_file "a" [Unix.O_RDWR] (fun fd -> Unix.ftruncate fd 5; Unix.fsync fd);
  Printf.printf "cut: %S\n" (contents "a");
  Unix.truncate "a" 7;
  Printf.printf "longer: %S\n" (contents "a");
  Unix.LargeFile.truncate "a" 2L;
  with_file "a" [Unix.O_WRONLY] (fun fd -> Unix.LargeFile.ftruncate fd 1L);
  Printf.printf "short: %S\n" (contents "a");
  fails "truncate" (fun () -> Unix.truncate "a" (-1));
  fails "truncate missing" (fun () -> Unix.truncate "none" 1);
  with_file "a" [Unix.O_WRONLY; Unix.O_TRUNC] ignore;
  Printf.printf "empty: %S\n" (contents "a")

let () =
  print_endline "-- names";
  Unix.mkdir "dir" 0o755;
  fails "mkdir" (fun () -> Unix.mkdir "dir" 0o755);
  fails "mkdir deep" (fun () -> Unix.mkdir "no/dir" 0o755);
  Unix.rename "b" "dir/b";
  fails "rename" (fun () -> Unix.rename "b" "c");
  fails "rmdir" (fun () -> Unix.rmdir "dir");
  fails "rmdir file" (fun () -> Unix.rmdir "a");
  fails "unlink missing" (fun () -> Unix.unlink "b");
  Unix.link "dir/b" "hard";
  Unix.symlink "dir/b" "soft";
  Unix.symlink "loop" "loop";
  Unix.symlink "dir" "dirlink";
  fails "symlink" (fun () -> Unix.symlink "x" "a");
  fails "link" (fun () -> Unix.link "none" "a2");
  Printf.printf "readlink %s\n" (Unix.readlink "soft");
  fails "readlink" (fun () -> Unix.readlink "a");
  fails "loop" (fun () -> Unix.openfile "loop" [Unix.O_RDONLY] 0);
  with_file "hard" [Unix.O_WRONLY; Unix.O_TRUNC]
    (fun fd -> ignore (Unix.write_substring fd "12345" 0 5));
  Printf.printf "by another name: %S\n" (contents "soft");
  Unix.utimes "hard" 1000000000.25 1234567890.5;
  Unix.utimes "hard" 0. 0.;
  fails "utimes" (fun () -> Unix.utimes "none" 1. 1.);
  Unix.access "hard" [Unix.R_OK; Unix.W_OK; Unix.F_OK];
  fails "access" (fun () -> Unix.access "none" [Unix.F_OK]);
  let base = Unix.getcwd () in
  let relative p = String.sub p (String.length base) (String.length p - String.length base) in
  List.iter (fun p -> Printf.printf "realpath %s = %s\n" p (relative (Unix.realpath p)))
    ["."; "dirlink/../soft"; "dirlink/b"; "./dir//b"];
  fails "realpath" (fun () -> Unix.realpath "none/x");
  fails "realpath loop" (fun () -> Unix.realpath "loop");
  print_endline (Unix.realpath "/")

let () =
  print_endline "-- directories";
  let list h =
    let rec go acc =
      match Unix.readdir h with name -> go (name :: acc) | exception End_of_file -> acc in
    String.concat " " (List.sort compare (go [])) in
  let h = Unix.opendir "." in
  print_endline (list h);
  Unix.unlink "loop";
  Unix.rewinddir h;
  print_endline (list h);
  Unix.closedir h;
  fails "readdir" (fun () -> Unix.readdir h);
  fails "closedir" (fun () -> Unix.closedir h);
  fails "opendir" (fun () -> Unix.opendir "none");
  fails "opendir file" (fun () -> Unix.opendir "a");
  let base = Unix.getcwd () in
  Unix.chdir "dir";
  Printf.printf "%b %b\n" (Unix.getcwd () = Filename.concat base "dir") (Sys.file_exists "b");
  Unix.chdir "..";
  Printf.printf "%b\n" (Unix.getcwd () = base);
  fails "chdir" (fun () -> Unix.chdir "none");
  fails "chdir file" (fun () -> Unix.chdir "a");
  fails "read a directory" (fun () ->
      with_file "dir" [Unix.O_RDONLY] (fun fd -> Unix.read fd (Bytes.create 3) 0 3));
  fails "write a directory" (fun () -> Unix.openfile "dir" [Unix.O_WRONLY] 0)

let () =
  print_endline "-- channels";
  let fd = Unix.openfile "chan" [Unix.O_RDWR; Unix.O_CREAT; Unix.O_TRUNC] 0o644 in
  let oc = Unix.out_channel_of_descr fd in
  output_string oc "one\ntwo\n"; flush oc;
  ignore (Unix.lseek fd 0 Unix.SEEK_SET);
  let ic = Unix.in_channel_of_descr fd in
  let one = input_line ic in
  let two = input_line ic in
  Printf.printf "%s %s %b\n" one two (Unix.descr_of_in_channel ic = fd);
  close_in ic;
  fails "channel of closed" (fun () -> Unix.in_channel_of_descr fd);
  fails "channel of directory" (fun () -> with_file "dir" [Unix.O_RDONLY] Unix.in_channel_of_descr);
  Printf.printf "isatty %b %b\n" (Unix.isatty Unix.stdin)
    (with_file "chan" [Unix.O_RDONLY] Unix.isatty)

let () =
  print_endline "-- pipes";
  let r, w = Unix.pipe () in
  let ready () =
    let rs, ws, _ = Unix.select [r] [w] [] 0. in
    Printf.printf "ready %d %d\n" (List.length rs) (List.length ws) in
  ready ();
  let oc = Unix.out_channel_of_descr w and ic = Unix.in_channel_of_descr r in
  output_string oc "through a pipe\nand more"; flush oc;
  ready ();
  print_endline (input_line ic);
  fails "seek a pipe" (fun () -> Unix.lseek r 0 Unix.SEEK_CUR);
  fails "write the wrong end" (fun () -> Unix.write_substring r "x" 0 1);
  Unix.set_nonblock r;
  close_out oc;
  print_endline (input_line ic);
  (try print_endline (input_line ic) with End_of_file -> print_endline "end");
  close_in ic;
  let r, w = Unix.pipe ~cloexec:true () in
  Unix.set_nonblock r; Unix.set_nonblock w;
  fails "empty" (fun () -> Unix.read r (Bytes.create 1) 0 1);
  let big = Bytes.make 100000 'x' in
  Printf.printf "fits %d\n" (Unix.write w big 0 100000);
  fails "full" (fun () -> Unix.write w big 0 10);
  ready ();
  let total = ref 0 in
  (try
     while true do total := !total + Unix.read r big 0 30000 done
   with Unix.Unix_error (Unix.EAGAIN, _, _) -> ());
  Printf.printf "drained %d\n" !total;
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  Unix.close r;
  fails "nobody reads" (fun () -> Unix.write w big 0 1);
  Unix.close w;
  fails "select" (fun () -> Unix.select [r] [] [] 0.);
  fails "select range" (fun () -> Unix.select [Obj.magic 5000] [] [] 0.);
  let rs, ws, es = with_file "chan" [Unix.O_RDWR] (fun fd -> Unix.select [fd] [fd] [] (-1.)) in
  Printf.printf "files are ready: %d %d %d\n" (List.length rs) (List.length ws) (List.length es)

let () =
  print_endline "-- mapping";
  with_file "map" [Unix.O_RDWR; Unix.O_CREAT] (fun fd ->
    ignore (Unix.write_substring fd "0123456789ab" 0 12);
    let m = Unix.map_file fd Bigarray.char Bigarray.c_layout false [| -1; 4 |] in
    Printf.printf "%d x %d, %c\n" (Bigarray.Genarray.nth_dim m 0) (Bigarray.Genarray.nth_dim m 1)
      (Bigarray.Genarray.get m [|2; 1|])
  )
