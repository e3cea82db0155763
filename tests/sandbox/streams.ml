(* What a program sees of its standard streams. *)
let report = open_out_bin Sys.argv.(2)
let say fmt = Printf.kfprintf (fun oc -> output_char oc '\n'; flush oc) report fmt
let attempt name f =
  match f () with
  | s -> say "%s: %s" name s
  | exception e -> say "%s: %s" name (Printexc.to_string e)
let kind = function
  | Unix.S_REG -> "REG" | Unix.S_DIR -> "DIR" | Unix.S_CHR -> "CHR" | Unix.S_BLK -> "BLK"
  | Unix.S_LNK -> "LNK" | Unix.S_FIFO -> "FIFO" | Unix.S_SOCK -> "SOCK"
(* In the sandbox nobody knows all of it. *)
let stat fd =
  attempt "stat" (fun () ->
    if Sys.getenv_opt "SANDBOX" <> None then "not here" else
    let s = Unix.fstat fd in
    Printf.sprintf "%s %d %o of %d"
      (kind s.Unix.st_kind) s.Unix.st_size s.Unix.st_perm s.Unix.st_uid)
let input () =
  stat Unix.stdin;
  attempt "pos" (fun () -> string_of_int (pos_in stdin));
  attempt "length" (fun () -> string_of_int (in_channel_length stdin));
  attempt "line" (fun () -> input_line stdin);
  attempt "pos" (fun () -> string_of_int (pos_in stdin));
  attempt "seek" (fun () -> seek_in stdin 2; input_line stdin);
  attempt "lseek" (fun () -> string_of_int (Unix.lseek Unix.stdin 1 Unix.SEEK_SET));
  attempt "read" (fun () ->
      let b = Bytes.create 4 in let n = Unix.read Unix.stdin b 0 4 in Bytes.sub_string b 0 n);
  attempt "isatty" (fun () -> string_of_bool (Unix.isatty Unix.stdin));
  attempt "select" (fun () ->
      let r, _, _ = Unix.select [Unix.stdin] [] [] 0.5 in string_of_int (List.length r));
  attempt "channel" (fun () -> let ic = Unix.in_channel_of_descr Unix.stdin in input_line ic)
let output () =
  stat Unix.stdout;
  attempt "pos" (fun () -> string_of_int (pos_out stdout));
  print_string "hello";
  attempt "pos" (fun () -> string_of_int (pos_out stdout));
  attempt "length" (fun () -> string_of_int (out_channel_length stdout));
  attempt "flush" (fun () -> flush stdout; "done");
  stat Unix.stdout;
  attempt "seek" (fun () -> seek_out stdout 1; print_string "E"; flush stdout; "done");
  attempt "truncate" (fun () -> Unix.ftruncate Unix.stdout 4; "done");
  attempt "lseek" (fun () -> string_of_int (Unix.lseek Unix.stdout 0 Unix.SEEK_CUR));
  attempt "select" (fun () ->
      let _, w, _ = Unix.select [] [Unix.stdout] [] 0.5 in string_of_int (List.length w));
  attempt "write" (fun () -> string_of_int (Unix.write_substring Unix.stdout "xyz" 0 3));
  attempt "stderr" (fun () -> prerr_string "to stderr"; flush stderr; "done");
  print_string "left for the end"
let copy () =
  try while true do print_endline (input_line stdin) done with End_of_file -> print_endline "end"
let line () =
  print_endline (input_line stdin);
  seek_in stdin (pos_in stdin);
  ignore (Unix.lseek Unix.stdin (pos_in stdin) Unix.SEEK_SET)
let many n = for _ = 1 to n do print_endline "a line of output" done
let fill path =
  let oc = open_out path in
  attempt "write" (fun () ->
      for _ = 1 to 10_000 do output_string oc "a line of output\n" done; "done");
  attempt "pos" (fun () -> string_of_int (pos_out oc));
  attempt "close" (fun () -> close_out oc; "done");
  attempt "close" (fun () -> close_out oc; "done");
  attempt "size" (fun () ->
      let ic = open_in path in let n = in_channel_length ic in close_in ic; string_of_int n);
  attempt "append" (fun () ->
    let fd = Unix.openfile path [ Unix.O_WRONLY; Unix.O_APPEND ] 0 in
    string_of_int (Unix.write_substring fd "more" 0 4));
  attempt "remove" (fun () -> Sys.remove path; "done");
  output_string (open_out path) (String.make 70_000 'x')
let signals () =
  let show s = match Sys.signal s Sys.Signal_default with
    | Sys.Signal_default -> "default"
    | Sys.Signal_ignore -> "ignored"
    | Sys.Signal_handle _ -> "handled" in
  List.iter (fun s -> attempt "signal" (fun () -> show s))
    [Sys.sighup; Sys.sigint; Sys.sigpipe; Sys.sigpipe; Sys.sigusr1];
  attempt "variable" (fun () -> Sys.getenv "BACTRIAN_IGNORED");
  many 10_000
let quiet () = print_string "unflushed"
let () = match Sys.argv.(1) with
  | "input" -> input ()
  | "output" -> output ()
  | "many" -> many 10_000
  | "endless" -> many max_int
  | "line" -> line ()
  | "copy" -> copy ()
  | "fill" -> fill Sys.argv.(3)
  | "signals" -> signals ()
  | "quiet" -> quiet ()
  | "fail" -> failwith "on stderr"
  | _ -> ()
