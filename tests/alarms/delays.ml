(* Signals from outside end what waits for a time alone, in a program that has had a thread. *)

exception Timeout

let timeout name f =
  let set s = ignore (Unix.setitimer ITIMER_REAL { it_value = s; it_interval = 0. }) in
  match set 0.05; f () with
  | _ -> set 0.; Printf.printf "%s: ended\n%!" name
  | exception Timeout -> Printf.printf "%s: timeout\n%!" name
  | exception e -> set 0.; Printf.printf "%s: %s\n%!" name (Printexc.to_string e)

let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> raise Timeout));
  Thread.join (Thread.create ignore ());
  timeout "sleep" (fun () -> Unix.sleep 5);
  timeout "sleepf" (fun () -> Unix.sleepf 5.);
  timeout "delay" (fun () -> Thread.delay 5.);
  timeout "nothing to wait for" (fun () -> Unix.sleepf 0.)
