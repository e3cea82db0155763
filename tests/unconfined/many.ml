(* More descriptors than 1,024, where the system allows 2,000. *)

let () =
  let n = ref 0 in
  (try
    for _ = 1 to 1500 do
      ignore (Unix.openfile "/dev/null" [Unix.O_RDONLY] 0);
      incr n
    done
  with Unix.Unix_error (e, f, _) -> Printf.printf "%s in %s\n" (Unix.error_message e) f);
  Printf.printf "%d\n" !n;
  let number : Unix.file_descr = Obj.magic 1700 and none : Unix.file_descr = Obj.magic 2000 in
  Unix.dup2 Unix.stdin number;
  Printf.printf "%d bytes\n" (Unix.read number (Bytes.create 1) 0 1);
  match Unix.dup2 Unix.stdin none with
  | () -> print_endline "no limit"
  | exception Unix.Unix_error (e, f, _) -> Printf.printf "%s in %s\n" (Unix.error_message e) f
