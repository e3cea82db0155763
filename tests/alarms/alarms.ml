(* Signals from outside: alarms, timers, and those of a child. *)

open Unix

exception Timeout

let raising = Sys.Signal_handle (fun _ -> raise Timeout)

let timeout name f =
  let set s = ignore (setitimer ITIMER_REAL { it_value = s; it_interval = 0. }) in
  Sys.set_signal Sys.sigalrm raising;
  match set 0.05; f () with
  | _ -> set 0.; Printf.printf "%s: ended\n%!" name
  | exception Timeout -> Printf.printf "%s: timeout\n%!" name
  | exception e -> set 0.; Printf.printf "%s: %s\n%!" name (Printexc.to_string e)

let rec nested n = if n = 0 then 0 else 1 + nested (n - 1)

let loops () =
  let r, w = pipe () in
  let buffer = Bytes.create 1 in
  timeout "no time" (fun () -> ());
  timeout "a loop" (fun () -> while true do () done);
  timeout "tail calls" (fun () -> let rec spin n = spin (n + 1) in spin 0);
  timeout "calls" (fun () -> while true do ignore (nested 10) done);
  let kept = Array.make 1 [] and n = Array.length Sys.argv in
  timeout "allocations" (fun () -> while true do kept.(0) <- [n] done);
  timeout "read" (fun () -> read r buffer 0 1);
  timeout "select" (fun () -> select [r] [] [] 10.);
  timeout "forever" (fun () -> select [r] [] [] (-1.));
  timeout "sleepf" (fun () -> sleepf 10.);
  timeout "sleep" (fun () -> sleep 10);
  timeout "pause" (fun () -> pause ());
  let sleeper () = create_process "sleep" [| "sleep"; "0.3" |] stdin stdout stderr in
  timeout "waitpid" (fun () -> waitpid [] (sleeper ()));
  ignore (wait ());
  let server = socket PF_UNIX SOCK_STREAM 0 in
  bind server (ADDR_UNIX "s"); listen server 1;
  timeout "accept" (fun () -> accept server);
  timeout "recv" (fun () -> let a, _ = socketpair PF_UNIX SOCK_STREAM 0 in recv a buffer 0 1 []);
  timeout "write" (fun () -> while true do ignore (write w (Bytes.make 1000 'x') 0 1000) done)

let interrupted () =
  let hits = ref 0 in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> incr hits));
  ignore (setitimer ITIMER_REAL { it_value = 0.02; it_interval = 0. });
  let a, _ = socketpair PF_UNIX SOCK_STREAM 0 in
  (match read a (Bytes.create 1) 0 1 with
   | _ -> print_endline "read"
   | exception Unix_error (EINTR, f, _) -> Printf.printf "EINTR in %s, %d\n%!" f !hits);
  ignore (setitimer ITIMER_REAL { it_value = 0.02; it_interval = 0.02 });
  let t = gettimeofday () in
  while !hits < 4 do ignore (Sys.opaque_identity (ref (nested 3))) done;
  Printf.printf "repeated %b\n%!" (gettimeofday () -. t >= 0.05);
  let old = setitimer ITIMER_REAL { it_value = 0.; it_interval = 0. } in
  Printf.printf "was %g %b\n%!" old.it_interval (old.it_value <= 0.02);
  let now = getitimer ITIMER_REAL in
  Printf.printf "is %g %g\n%!" now.it_interval now.it_value;
  (* A sleep goes on after a handler. *)
  ignore (setitimer ITIMER_REAL { it_value = 0.02; it_interval = 0. });
  let t = gettimeofday () in
  sleepf 0.1;
  Printf.printf "slept %b %d\n%!" (gettimeofday () -. t >= 0.1) !hits;
  let none = alarm 100 in Printf.printf "alarm %d %d\n%!" none (alarm 0)

(* A signal of another process comes soon, not at once. *)
let until f = while not (f ()) do sleepf 0.001 done

let from_a_child () =
  let hits = ref [] in
  let note s = hits := s :: !hits in
  let sorted = List.sort compare in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle note);
  Sys.set_signal Sys.sigusr2 (Sys.Signal_handle note);
  Sys.set_signal Sys.sighup Sys.Signal_ignore;
  ignore (system "kill -HUP $PPID; kill -USR1 $PPID");
  until (fun () -> !hits <> []);
  Printf.printf "handled %b\n%!" (!hits = [Sys.sigusr1]);
  ignore (sigprocmask SIG_BLOCK [Sys.sigusr1; Sys.sigusr2]);
  ignore (system "kill -USR1 $PPID; kill -USR2 $PPID");
  until (fun () -> sorted (sigpending ()) = sorted [Sys.sigusr1; Sys.sigusr2]);
  Printf.printf "blocked %d\n%!" (List.length !hits);
  sigsuspend [Sys.sigusr2];
  Printf.printf "suspended %d\n%!" (List.length !hits);
  ignore (sigprocmask SIG_UNBLOCK [Sys.sigusr2]);
  Printf.printf "unblocked %d\n%!" (List.length !hits);
  Sys.set_signal Sys.sigchld (Sys.Signal_handle note);
  let pid = create_process "true" [| "true" |] stdin stdout stderr in
  until (fun () -> List.mem Sys.sigchld !hits);
  Printf.printf "child %b\n%!" (waitpid [] pid = (pid, WEXITED 0));
  Sys.set_signal Sys.sigchld Sys.Signal_default;
  (* SIGPIPE by its handler. *)
  let piped = ref false in
  Sys.set_signal Sys.sigpipe (Sys.Signal_handle (fun _ -> piped := true));
  let r, w = pipe () in
  close r;
  (match write w (Bytes.create 1) 0 1 with
   | _ -> print_endline "written"
   | exception Unix_error (EPIPE, _, _) -> Printf.printf "EPIPE %b\n%!" (nested 1 = 1 && !piped));
  Sys.catch_break true;
  match ignore (system "kill -INT $PPID"); until (fun () -> false) with
  | () -> print_endline "no break"
  | exception Sys.Break -> print_endline "break"

let () =
  loops (); interrupted (); from_a_child ();
  Sys.set_signal Sys.sigterm Sys.Signal_default;
  flush_all ()
