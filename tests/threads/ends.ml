(* Threads that cannot go on, and how a program ends whose first thread has exited. *)

let fails name f =
  try f (); Printf.printf "%s: no error\n%!" name with Sys_error e -> print_endline e

let () =
  let m = Mutex.create () and c = Condition.create () in
  let holder = Thread.create (fun () -> Mutex.lock m) () in
  Thread.join holder;
  fails "lock" (fun () -> Mutex.lock m);
  let own = Mutex.create () in
  Mutex.lock own;
  fails "wait" (fun () -> Condition.wait c own);
  fails "not locked" (fun () -> Condition.wait c m);
  fails "join" (fun () -> Thread.join (Thread.self ()));
  let last = Thread.create (fun () ->
    Thread.delay 0.02; print_endline "last"; flush stdout) () in
  ignore last;
  flush stdout;
  at_exit (fun () -> print_endline "not at exit");
  Thread.exit ()
