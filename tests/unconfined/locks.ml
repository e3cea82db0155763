(* Locks on parts of a file. "hold FILE" has a writer's lock on bytes 10 to 19 and a reader's on 30
   to 39 until its input ends; "try FILE" meets them. *)

let row name f =
  match f () with
  | () -> Printf.printf "%s: done\n" name
  | exception Unix.Unix_error (e, f, a) ->
      Printf.printf "%s: %s in %s %S\n" name (Unix.error_message e) f a

let command = function
  | Unix.F_ULOCK -> "F_ULOCK" | F_LOCK -> "F_LOCK" | F_TLOCK -> "F_TLOCK"
  | F_TEST -> "F_TEST" | F_RLOCK -> "F_RLOCK" | F_TRLOCK -> "F_TRLOCK"

let at fd position c size =
  row (Printf.sprintf "%s at %d, %d" (command c) position size) (fun () ->
    ignore (Unix.lseek fd position Unix.SEEK_SET);
    Unix.lockf fd c size)

let hold fd =
  List.iter (fun (c, position) -> ignore (Unix.lseek fd position Unix.SEEK_SET); Unix.lockf fd c 10)
    [Unix.F_LOCK, 10; F_RLOCK, 30]

let attempt fd file =
  List.iter (fun c ->
    List.iter (fun (position, size) -> at fd position c size)
      [0, 10; 0, 11; 10, 10; 19, 1; 20, 0; 20, 10; 20, -1; 20, -10; 30, 10; 35, 1; 40, 0; 5, -6])
    [Unix.F_TEST; F_TLOCK; F_ULOCK; F_TRLOCK; F_TEST; F_ULOCK];
  at fd 50 Unix.F_LOCK 10;
  at fd 60 Unix.F_RLOCK 0;
  at fd 0 Unix.F_ULOCK 0;
  let reader = Unix.openfile file [Unix.O_RDONLY] 0 in
  at reader 50 Unix.F_TLOCK 1;
  at reader 50 Unix.F_TRLOCK 1;
  Unix.close reader;
  at reader 50 Unix.F_TEST 1;
  let r, _ = Unix.pipe () in
  row "a pipe" (fun () -> Unix.lockf r Unix.F_TLOCK 1)

let () =
  let file = Sys.argv.(2) in
  let fd = Unix.openfile file [Unix.O_RDWR] 0 in
  match Sys.argv.(1) with
  | "hold" ->
    hold fd;
    print_endline "held";
    (try ignore (input_line stdin) with End_of_file -> ())
  | _ -> attempt fd file
