(* Waiting for a time that never comes, until a signal does; timers of next to no time. *)

exception Alarm

let set s = ignore (Unix.setitimer ITIMER_REAL { it_value = s; it_interval = 0. })

let row name f =
  match set 0.05; f () with
  | () -> set 0.; Printf.printf "%s: ended\n%!" name
  | exception Alarm -> Printf.printf "%s: alarm\n%!" name
  | exception e -> set 0.; Printf.printf "%s: %s\n%!" name (Printexc.to_string e)

let all () =
  row "sleep max_int" (fun () -> Unix.sleep max_int);
  row "sleepf 1e10" (fun () -> Unix.sleepf 1e10);
  row "select 1e9" (fun () -> ignore (Unix.select [] [] [] 1e9));
  row "select" (fun () -> ignore (Unix.select [] [] [] (-1.)))

let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> raise Alarm));
  all ();
  let hits = ref 0 in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> incr hits));
  row "handled" (fun () -> ignore (Unix.select [] [] [] (-1.)));
  Printf.printf "%d handled\n%!" !hits;
  List.iter (fun time ->
    hits := 0;
    set time;
    Unix.sleepf 0.05;
    Printf.printf "%g: %d\n%!" time !hits)
    [1e-7; 1e-9; 1e-6; 0.];
  let strange value interval =
    let timer = { Unix.it_value = value; it_interval = interval } in
    match Unix.setitimer ITIMER_VIRTUAL timer with
    | _ ->
      let found = Unix.getitimer ITIMER_VIRTUAL in
      Printf.printf "%g, %g: %b, %g\n%!" value interval (found.it_value > 0.) found.it_interval
    | exception Unix.Unix_error (e, f, _) ->
      Printf.printf "%g, %g: %s in %s\n%!" value interval (Unix.error_message e) f in
  strange (-1.) 0.; strange (-0.5) 0.; strange 100. 1e-7; strange 100. 0.9999999;
  strange 1e9 1.; strange 0. 0.
