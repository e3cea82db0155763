(* Signals: which thread handles one, whose waiting it ends, and who waits for one. *)

let pid = Unix.getpid ()
let block signals = ignore (Thread.sigmask Unix.SIG_BLOCK signals)
let unblock signals = ignore (Thread.sigmask Unix.SIG_UNBLOCK signals)

(* A thread blocks what its creator does; who blocks a signal does not handle it. *)
let () =
  block [ Sys.sigusr1 ];
  let by = ref (-1) in
  Sys.set_signal Sys.sigusr1
    (Sys.Signal_handle (fun _ -> by := Thread.id (Thread.self ())));
  let inherits = ref false in
  let other = Thread.create (fun () ->
    inherits := List.mem Sys.sigusr1 (Thread.sigmask Unix.SIG_BLOCK [])) () in
  Thread.join other;
  let lets_it_through = Thread.create (fun () ->
    unblock [ Sys.sigusr1 ];
    while !by < 0 do Thread.delay 0.002 done) () in
  Thread.delay 0.01;
  Unix.kill pid Sys.sigusr1;
  Thread.join lets_it_through;
  Printf.printf "inherited %b, handled where it is not blocked %b\n%!" !inherits
    (!by = Thread.id lets_it_through)

(* It waits until it is blocked no more. *)
let () =
  let handled = ref false in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> handled := true));
  Unix.kill pid Sys.sigusr1;
  Thread.yield ();
  let before = !handled in
  unblock [ Sys.sigusr1 ];
  Printf.printf "%b %b\n%!" before !handled

(* It ends what the first thread waits for, whoever sends it. *)
let () =
  let input, output = Unix.pipe () in
  let send () = Thread.create (fun () ->
    block [ Sys.sigusr1 ];
    Thread.delay 0.02;
    Unix.kill pid Sys.sigusr1) () in
  let sender = send () in
  (match Unix.read input (Bytes.create 1) 0 1 with
   | _ -> print_endline "read"
   | exception Unix.Unix_error (Unix.EINTR, _, _) -> print_endline "interrupted");
  Thread.join sender;
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> raise Exit));
  let sender = send () in
  let channel = Unix.in_channel_of_descr input in
  (match input_line channel with
   | line -> print_endline line
   | exception Exit -> print_endline "left");
  Thread.join sender;
  ignore (Unix.write_substring output "a line\n" 0 7);
  print_endline (input_line channel);
  flush stdout

(* Who waits for a condition has the lock again when the handler raises, whoever has it until
   then. *)
let () =
  let m = Mutex.create () and c = Condition.create () in
  let waits ~locked =
    Mutex.lock m;
    let sender = Thread.create (fun () ->
      block [ Sys.sigusr1 ];
      if locked then Mutex.lock m;
      Unix.kill pid Sys.sigusr1;
      Thread.delay 0.02;
      if locked then Mutex.unlock m;
      Condition.signal c) () in
    (match Condition.wait c m with
     | () -> print_endline "waited"
     | exception Exit -> print_endline "left");
    let is_free = Mutex.try_lock m in
    Mutex.unlock m;
    Thread.join sender;
    Printf.printf "%b\n%!" is_free
  in
  waits ~locked:false;
  waits ~locked:true

(* Taken without a handler, from this program and from others. *)
let () =
  let signals = [ Sys.sigusr2; Sys.sigterm ] in
  block signals;
  let wait () =
    let taken = ref 0 in
    let waiting = Thread.create (fun () -> taken := Thread.wait_signal signals) () in
    Thread.delay 0.02;
    fun () -> Thread.join waiting; !taken
  in
  let taken = wait () in
  Unix.kill pid Sys.sigterm;
  Printf.printf "%b\n%!" (taken () = Sys.sigterm);
  let taken = wait () in
  ignore (Sys.command (Printf.sprintf "kill -USR2 %d" pid));
  Printf.printf "%b\n%!" (taken () = Sys.sigusr2)
