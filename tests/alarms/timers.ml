(* Timers where no signal comes: none runs. *)

let row name f =
  match f () with
  | () -> Printf.printf "%s: done\n" name
  | exception Unix.Unix_error (e, f, _) ->
    Printf.printf "%s: %s in %s\n" name (Unix.error_message e) f

let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> print_endline "alarm"));
  row "alarm" (fun () -> ignore (Unix.alarm 1));
  let timer = { Unix.it_value = 0.01; it_interval = 0. } in
  row "setitimer" (fun () -> ignore (Unix.setitimer ITIMER_REAL timer));
  Unix.sleepf 0.05
