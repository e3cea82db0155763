(* Open files, pipes, devices and channels. Starts in an empty directory, with standard input from a
   file. *)

let row name f =
  match f () with
  | text -> Printf.printf "%s: %s\n" name text
  | exception Unix.Unix_error (e, f, a) ->
      Printf.printf "%s: %s in %s %S\n" name (Unix.error_message e) f a
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let () = Sys.set_signal Sys.sigpipe Sys.Signal_ignore

let number (fd : Unix.file_descr) : int = Obj.magic fd
let perm path = Printf.sprintf "%o" (Unix.stat path).st_perm
let contents name =
  let c = open_in_bin name in
  let s = really_input_string c (in_channel_length c) in
  close_in c; s
let closing fd f = Fun.protect ~finally:(fun () -> Unix.close fd) (fun () -> f fd)
let openfile name flags = closing (Unix.openfile name flags 0o640)
let read fd n =
  let b = Bytes.create n in
  let n = Unix.read fd b 0 n in
  Printf.sprintf "%S" (Bytes.sub_string b 0 n)
let write fd text = Unix.write_substring fd text 0 (String.length text)

let () =
  row "numbers" (fun () ->
    let a = Unix.openfile "a" [Unix.O_RDWR; Unix.O_CREAT] 0o644 in
    let b = Unix.openfile "b" [Unix.O_WRONLY; Unix.O_CREAT; Unix.O_CLOEXEC] 0o644 in
    Unix.close a;
    let c = Unix.openfile "a" [Unix.O_RDONLY] 0 in
    let text = Printf.sprintf "%b %b" (number b = number a + 1) (number c = number a) in
    Unix.close b; Unix.close c; text);
  row "permissions" (fun () -> openfile "new" [Unix.O_WRONLY; Unix.O_CREAT] ignore; perm "new");
  row "permissions of what is there" (fun () ->
    closing (Unix.openfile "new" [Unix.O_WRONLY; Unix.O_CREAT] 0o777) ignore; perm "new");
  row "exclusive" (fun () ->
    openfile "new" [Unix.O_WRONLY; Unix.O_CREAT; Unix.O_EXCL] (fun _ -> "opened"));
  row "append" (fun () -> openfile "new" [Unix.O_WRONLY; Unix.O_APPEND] (fun fd ->
    ignore (write fd "one"); ignore (Unix.lseek fd 0 Unix.SEEK_SET); ignore (write fd "two"));
    contents "new");
  row "read and append" (fun () ->
    openfile "new" [Unix.O_RDWR; Unix.O_APPEND] (fun fd ->
      ignore (write fd "!"); ignore (Unix.lseek fd 1 Unix.SEEK_SET); read fd 10));
  row "synchronous" (fun () ->
    openfile "new" [Unix.O_WRONLY; Unix.O_SYNC] (fun fd -> ignore (write fd "O"); Unix.fsync fd);
    openfile "new" [Unix.O_WRONLY; Unix.O_DSYNC; Unix.O_RSYNC; Unix.O_NOCTTY]
      (fun fd -> ignore (write fd "OO"));
    contents "new");
  row "truncated" (fun () -> openfile "new" [Unix.O_WRONLY; Unix.O_TRUNC] ignore; contents "new");
  row "missing" (fun () -> openfile "none" [Unix.O_RDONLY] (fun fd -> read fd 1));
  row "a directory" (fun () ->
    Unix.mkdir "dir" 0o755; openfile "dir" [Unix.O_RDONLY] (fun fd -> read fd 1));
  row "a directory to write" (fun () -> openfile "dir" [Unix.O_WRONLY] (fun _ -> "opened"));
  row "no permission" (fun () ->
    openfile "/proc/version" [Unix.O_WRONLY] (fun fd -> string_of_int (write fd "x")));
  row "read only" (fun () -> openfile "a" [Unix.O_RDONLY] (fun fd -> string_of_int (write fd "x")));
  row "write only" (fun () -> openfile "a" [Unix.O_WRONLY] (fun fd -> read fd 1));
  row "lseek" (fun () -> openfile "a" [Unix.O_RDWR] (fun fd ->
    ignore (write fd "0123456789");
    let here = Unix.lseek fd 0 Unix.SEEK_CUR in
    let back = Unix.lseek fd (-3) Unix.SEEK_END in
    let far = Unix.LargeFile.lseek fd 0x1_0000_0000L Unix.SEEK_SET in
    Printf.sprintf "%d %d %Ld" here back far));
  row "lseek before the start" (fun () ->
    openfile "a" [Unix.O_RDWR] (fun fd -> string_of_int (Unix.lseek fd (-1) Unix.SEEK_SET)));
  row "dup and dup2" (fun () -> openfile "a" [Unix.O_RDWR] (fun a ->
    let d = Unix.dup a in
    ignore (Unix.lseek d 4 Unix.SEEK_SET);
    let e = Unix.openfile "b" [Unix.O_RDWR] 0 in
    Unix.dup2 a e;
    let text = read e 3 ^ read a 3 in
    Unix.close d; Unix.close e; text));
  row "closed twice" (fun () ->
    let fd = Unix.openfile "a" [Unix.O_RDONLY] 0 in Unix.close fd; Unix.close fd; "closed");
  row "isatty" (fun () ->
    Printf.sprintf "%b %b" (Unix.isatty Unix.stdin) (openfile "a" [Unix.O_RDONLY] Unix.isatty))

let () =
  row "pipe" (fun () ->
    let r, w = Unix.pipe () in ignore (write w "through");
    let t = read r 100 in Unix.close w;
    let e = read r 1 in Unix.close r; t ^ e);
  row "set_nonblock" (fun () -> let r, w = Unix.pipe () in Unix.set_nonblock r; Unix.set_nonblock w;
    let empty =
      match read r 1 with t -> t | exception Unix.Unix_error (Unix.EAGAIN, _, _) -> "would wait" in
    let fits = Unix.write w (Bytes.make 200000 'x') 0 200000 in
    Unix.clear_nonblock r;
    Unix.close r; Unix.close w; Printf.sprintf "%s, %d" empty fits);
  row "nobody reads" (fun () ->
    let r, w = Unix.pipe () in Unix.close r;
    Fun.protect ~finally:(fun () -> Unix.close w) (fun () -> string_of_int (write w "x")));
  row "select" (fun () -> let r, w = Unix.pipe () in
    let ready () =
      let rs, ws, _ = Unix.select [r] [w] [] 0.001 in
      Printf.sprintf "%d%d" (List.length rs) (List.length ws) in
    let before = ready () in ignore (write w "x");
    let after = ready () in Unix.close r; Unix.close w; before ^ after);
  row "a named pipe" (fun () -> Unix.mkfifo "fifo" 0o600;
    let r = Unix.openfile "fifo" [Unix.O_RDONLY; Unix.O_NONBLOCK] 0 in
    let w = Unix.openfile "fifo" [Unix.O_WRONLY] 0 in
    ignore (write w "named"); let t = read r 10 in Unix.close r; Unix.close w; t);
  row "a named pipe that nobody reads" (fun () ->
    openfile "fifo" [Unix.O_WRONLY; Unix.O_NONBLOCK] (fun _ -> "opened"));
  row "seek in a pipe" (fun () ->
    openfile "fifo" [Unix.O_RDWR] (fun fd -> string_of_int (Unix.lseek fd 0 Unix.SEEK_CUR)))

let () =
  row "/dev/null" (fun () ->
    openfile "/dev/null" [Unix.O_RDWR] (fun fd ->
      Printf.sprintf "%d %s" (write fd "gone") (read fd 5)));
  row "/dev/full" (fun () ->
    openfile "/dev/full" [Unix.O_WRONLY] (fun fd -> string_of_int (write fd "x")));
  row "/dev/zero" (fun () -> openfile "/dev/zero" [Unix.O_RDONLY] (fun fd -> read fd 3));
  row "/proc/version" (fun () ->
    let c = open_in "/proc/version" in let l = input_line c in close_in c; l);
  row "/proc/version has no length" (fun () ->
    let c = open_in "/proc/version" in
    Fun.protect ~finally:(fun () -> close_in c) (fun () -> string_of_int (in_channel_length c)));
  row "/proc/self/stat" (fun () ->
    let c = open_in "/proc/self/stat" in let l = input_line c in close_in c;
    string_of_bool (int_of_string (List.hd (String.split_on_char ' ' l)) = Unix.getpid ()));
  row "/dev/stdin" (fun () ->
    let c = open_in "/dev/stdin" in let l = input_line c in close_in c; l);
  flush stdout;
  row "/dev/stdout" (fun () ->
    let c = open_out_gen [Open_append; Open_wronly] 0 "/dev/stdout" in
    output_string c "by its name\n"; close_out c; "written");
  flush stdout;
  row "/dev/stderr" (fun () ->
    let c = open_out_gen [Open_append; Open_wronly] 0 "/dev/stderr" in
    output_string c "by its name, too\n"; close_out c; "written");
  row "stdin" (fun () -> input_line stdin)

let () =
  row "open_out" (fun () -> close_out (open_out "out"); perm "out");
  row "open_out_gen" (fun () ->
    close_out (open_out_gen [Open_wronly; Open_creat; Open_excl; Open_nonblock] 0o751 "gen");
    perm "gen");
  row "open_in" (fun () -> close_in (open_in "none"); "opened");
  row "open_in of a directory" (fun () ->
    let c = open_in "dir" in Fun.protect ~finally:(fun () -> close_in c) (fun () -> input_line c));
  row "temp_file" (fun () ->
    let name = Filename.temp_file ~temp_dir:"." "t" ".tmp" in
    let p = perm name in Sys.remove name; p);
  row "channels of descriptors" (fun () ->
    let fd = Unix.openfile "chan" [Unix.O_RDWR; Unix.O_CREAT] 0o600 in
    let oc = Unix.out_channel_of_descr fd in
    output_string oc "one\ntwo\n"; flush oc;
    ignore (Unix.lseek fd 0 Unix.SEEK_SET);
    let ic = Unix.in_channel_of_descr fd in
    let one = input_line ic in close_in ic; one);
  row "channel of a directory" (fun () ->
    openfile "dir" [Unix.O_RDONLY] (fun fd -> ignore (Unix.in_channel_of_descr fd); "made"));
  row "much" (fun () ->
    let c = open_out_bin "much" in
    for i = 1 to 300_000 do output_string c (string_of_int i) done; close_out c;
    Digest.to_hex (Digest.file "much"))
