(* Opening a named pipe waits for its other end, which another thread opens. *)

let () =
  Unix.mkfifo "pipe" 0o600;
  let reading = Thread.create (fun () ->
    let ic = open_in "pipe" in
    print_endline (input_line ic);
    close_in ic) () in
  Thread.delay 0.02;
  print_endline "the reader waits";
  let oc = open_out "pipe" in
  output_string oc "hello\n"; close_out oc;
  Thread.join reading;
  let writing = Thread.create (fun () ->
    let fd = Unix.openfile "pipe" [Unix.O_WRONLY] 0 in
    ignore (Unix.write_substring fd "again" 0 5);
    Unix.close fd) () in
  Thread.delay 0.02;
  print_endline "the writer waits";
  let fd = Unix.openfile "pipe" [Unix.O_RDONLY] 0 in
  Thread.join writing;
  let buffer = Bytes.create 10 in
  let n = Unix.read fd buffer 0 10 in
  Printf.printf "%S, %d\n%!" (Bytes.sub_string buffer 0 n) (Unix.read fd buffer 0 10);
  Unix.close fd

(* The reader goes on when there is a writer, whether it writes or has gone. *)
let () =
  let opened = ref false in
  let reading = Thread.create (fun () ->
    let fd = Unix.openfile "pipe" [Unix.O_RDONLY] 0 in
    opened := true;
    let n = Unix.read fd (Bytes.create 1) 0 1 in
    Unix.close fd;
    Printf.printf "%d read\n%!" n) () in
  Thread.delay 0.02;
  Printf.printf "opened %b\n%!" !opened;
  let fd = Unix.openfile "pipe" [Unix.O_WRONLY] 0 in
  Thread.delay 0.05;
  Printf.printf "opened %b\n%!" !opened;
  Unix.close fd;
  Thread.join reading;
  ignore (Unix.openfile "pipe" [Unix.O_RDWR] 0);
  (match Unix.openfile "none/pipe" [Unix.O_RDONLY] 0 with
   | _ -> print_endline "opened"
   | exception Unix.Unix_error (e, f, _) -> Printf.printf "%s in %s\n" (Unix.error_message e) f)
