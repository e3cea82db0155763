(* Becomes another program, in the way that its argument says. *)

let sh = [| "sh"; "-c"; "echo $0 $CAMEL $A; cat; exit 6"; "zero" |]

let () =
  Unix.putenv "CAMEL" "two humps";
  let failed name f =
    match f () with
    | _ -> assert false
    | exception Unix.Unix_error (e, f, a) ->
      Printf.printf "%s: %s in %s of %S\n%!" name (Unix.error_message e) f a in
  failed "nothing there" (fun () -> Unix.execv "/nonexistent/x" [| "x" |]);
  failed "not found" (fun () -> Unix.execvp "no-such-program" [| "x" |]);
  failed "no program" (fun () -> Unix.execve "." [| "x" |] [||]);
  failed "a NUL" (fun () -> Unix.execvpe "sh" [| "a\000" |] [||]);
  let file = open_out_gen [Open_wronly; Open_creat] 0o700 "script" in
  output_string file "echo a script of $1; exit 9\n";
  close_out file;
  failed "not executable itself" (fun () -> Unix.execv "./script" [| "./script" |]);
  match Sys.argv.(1) with
  | "execv" -> Unix.execv "/bin/sh" sh
  | "execve" -> Unix.execve "/bin/sh" sh [| "A=1" |]
  | "execvp" -> Unix.execvp "sh" sh
  | "execvpe" -> Unix.execvpe "sh" sh [| "A=1"; "PATH=/bin:/usr/bin" |]
  | "script" -> Unix.execvp "./script" [| "./script"; "an argument" |]
  | "redirected" ->
    let out = Unix.openfile "out" [Unix.O_WRONLY; Unix.O_CREAT] 0o600 in
    Unix.dup2 out Unix.stdout;
    Unix.execv "/bin/sh" [| "sh"; "-c"; "echo to the file; cat out >&2" |]
  | "signal" -> Unix.execv "/bin/sh" [| "sh"; "-c"; "kill -TERM $$" |]
  | _ -> assert false
