(* Threads that end by Thread.exit, more of them than there can be at a time: no handler notices,
   nothing is done finally, and their stacks are used again. *)

let ended = ref 0
let handled = ref 0

let rec nested depth f =
  if depth = 0 then f ()
  else begin
    (try nested (depth - 1) f with _ -> incr handled);
    incr handled
  end

let exits depth () =
  Fun.protect ~finally:(fun () -> incr handled) (fun () ->
    nested depth (fun () -> incr ended; Thread.exit ()))

(* In a function that a primitive calls, and in one that another thread goes on after. *)
let in_order () =
  let sorted = List.sort (fun _ _ -> incr ended; Thread.exit (); 0) [ 2; 1 ] in
  handled := List.length sorted

let () =
  let first = Thread.create (exits 10) () in
  Thread.join first;
  for i = 1 to 9_000 do Thread.join (Thread.create (exits (i land 7)) ()) done;
  Thread.join (Thread.create in_order ());
  Printf.printf "%d ended, %d handled\n%!" !ended !handled;
  (* What comes after is as always. *)
  Thread.join (Thread.create (fun () -> try raise Exit with Exit -> print_endline "Exit") ());
  flush stdout;
  ignore (Thread.create (fun () ->
    Gc.finalise (fun _ -> Thread.exit ()) (ref 0);
    Gc.full_major ();
    print_endline "not after the finaliser") ());
  Thread.delay 0.05;
  print_endline "end"
