(* Threads: locks, conditions, channels, ends, exceptions. What is printed depends on no order in
   which they run, but on that which locks and joins make. *)

let title = Printf.printf "-- %s\n%!"
let run f x = Thread.join (Thread.create f x)

let () =
  title "producers and consumers";
  let m = Mutex.create () and filled = Condition.create () and room = Condition.create () in
  let q = Queue.create () and sum = ref 0 in
  let producer n =
    for i = 1 to 200 do
      Mutex.lock m;
      while Queue.length q >= 10 do Condition.wait room m done;
      Queue.add ((n * 1000) + i) q;
      Condition.signal filled;
      Mutex.unlock m
    done
  and consumer () =
    for _ = 1 to 200 do
      Mutex.lock m;
      while Queue.is_empty q do Condition.wait filled m done;
      sum := !sum + Queue.take q;
      Condition.signal room;
      Mutex.unlock m
    done
  in
  let consumers = List.init 5 (fun _ -> Thread.create consumer ()) in
  let producers = List.init 5 (Thread.create producer) in
  List.iter Thread.join (producers @ consumers);
  Printf.printf "%d\n" !sum

let () =
  title "a pool";
  let m = Mutex.create () and wanted = Condition.create () in
  let tasks = Queue.create () and closed = ref false and results = Array.make 100 0 in
  let rec worker () =
    Mutex.lock m;
    while Queue.is_empty tasks && not !closed do Condition.wait wanted m done;
    let task = Queue.take_opt tasks in
    Mutex.unlock m;
    Option.iter (fun task -> task (); worker ()) task
  in
  let workers = List.init 4 (fun _ -> Thread.create worker ()) in
  for i = 0 to 99 do
    Mutex.lock m;
    Queue.add (fun () -> Thread.yield (); results.(i) <- i * i) tasks;
    Condition.signal wanted;
    Mutex.unlock m
  done;
  Mutex.lock m; closed := true; Condition.broadcast wanted; Mutex.unlock m;
  List.iter Thread.join workers;
  Printf.printf "%d\n" (Array.fold_left ( + ) 0 results)

let () =
  title "channels";
  let primes = Event.new_channel () in
  let integers channel =
    let rec from i = Event.sync (Event.send channel i); from (i + 1) in
    from 2
  in
  let rec sieve input =
    let p = Event.sync (Event.receive input) in
    Event.sync (Event.send primes p);
    let output = Event.new_channel () in
    let rec filter () =
      let i = Event.sync (Event.receive input) in
      if i mod p <> 0 then Event.sync (Event.send output i);
      filter ()
    in
    ignore (Thread.create filter ());
    sieve output
  in
  let all = Event.new_channel () in
  ignore (Thread.create integers all);
  ignore (Thread.create sieve all);
  for _ = 1 to 12 do Printf.printf "%d " (Event.sync (Event.receive primes)) done;
  let left = Event.new_channel () and right = Event.new_channel () in
  ignore (Thread.create (fun () -> Event.sync (Event.send right "right")) ());
  let either =
    Event.choose [ Event.receive left; Event.wrap (Event.receive right) String.length ] in
  Printf.printf "%d\n" (Event.sync either)

let rec deep n =
  if n = 0 then (Thread.yield (); 0)
  else
    let block = [| n; n + 1 |] in
    let rest = deep (n - 1) in
    if n mod 500 = 0 then Thread.yield ();
    rest + block.(1) - block.(0)

let () =
  title "stacks of their own";
  let depths = Array.make 8 0 in
  let threads =
    List.init 8 (fun i -> Thread.create (fun i -> depths.(i) <- deep (i * 700)) i) in
  List.iter Thread.join threads;
  Array.iter (Printf.printf "%d ") depths;
  print_newline ();
  let rec endless n = 1 + endless (n + 1) in
  run (fun () -> try ignore (endless 0) with Stack_overflow -> print_endline "overflow") ()

let () =
  title "garbage";
  let rec build n = if n = 0 then [] else (n, string_of_int n) :: build (n - 1) in
  let check i =
    let kept = build i in
    for k = 1 to 3 do
      ignore (build (i + k));
      Thread.yield ()
    done;
    assert (List.for_all (fun (n, s) -> string_of_int n = s) kept);
    List.length kept
  in
  let lengths = Array.make 100 0 in
  let threads = List.init 100 (fun i -> Thread.create (fun i -> lengths.(i) <- check i) i) in
  Gc.full_major ();
  List.iter Thread.join threads;
  Printf.printf "%d\n" (Array.fold_left ( + ) 0 lengths)

let () =
  title "a thousand";
  let m = Mutex.create () and count = ref 0 in
  let gate = Mutex.create () in
  Mutex.lock gate;
  let threads =
    List.init 1000 (fun i ->
      Thread.create (fun () ->
        Mutex.lock gate; Mutex.unlock gate;
        Mutex.lock m; count := !count + i; Mutex.unlock m) ()) in
  Mutex.unlock gate;
  List.iter Thread.join threads;
  Printf.printf "%d\n" !count

exception Mine of int

let () =
  title "exceptions";
  let caught () = try raise (Mine 1) with Mine n -> Printf.printf "mine %d\n" n in
  let outer = try run caught (); 0 with _ -> 1 in
  Printf.printf "%d\n%!" outer;
  let before = Thread.id (Thread.self ()) in
  let first = Thread.create ignore () in
  Thread.join first;
  run (fun () -> failwith "uncaught") ();
  run (fun () -> Thread.yield (); raise (Mine 3)) ();
  Printf.printf "%d\n" before;
  run (fun () -> print_endline "until here"; Thread.exit (); print_endline "not here") ();
  (* Handlers of one are not those of another. *)
  let m = Mutex.create () in
  Mutex.lock m;
  let t = Thread.create (fun () ->
    try Mutex.lock m; Mutex.unlock m; raise Exit with Exit -> print_endline "its own") () in
  (try Thread.yield (); raise Not_found with Not_found -> print_endline "mine");
  Mutex.unlock m;
  Thread.join t

let () =
  title "backtraces";
  Printexc.record_backtrace true;
  let m = Mutex.create () in
  let fail n = if n > 0 then raise (Mine n) else 0 in
  Mutex.lock m;
  let t = Thread.create (fun () ->
    try ignore (fail 5)
    with Mine _ ->
      Mutex.lock m;
      print_string (Printexc.get_backtrace ());
      Mutex.unlock m) () in
  Thread.yield ();
  (try ignore (1 + fail 7) with Mine _ -> Mutex.unlock m; Thread.join t;
    print_string (Printexc.get_backtrace ()));
  let length () = Printexc.(raw_backtrace_length (get_raw_backtrace ())) in
  let rec fail_below n = if n = 0 then raise Exit else 1 + fail_below (n - 1) in
  let short () = Printf.printf "%d " (length ()); try raise Exit with Exit -> length () in
  (try ignore (fail_below 5) with Exit ->
    run (fun () -> Printf.printf "%d " (short ())) ();
    Printf.printf "%d\n%!" (length ()));
  Printexc.record_backtrace false

let () =
  title "locks";
  let fails f = try f (); print_endline "no error" with Sys_error e -> print_endline e in
  let m = Mutex.create () and c = Condition.create () in
  fails (fun () -> Mutex.unlock m);
  Mutex.lock m;
  fails (fun () -> Mutex.lock m);
  Printf.printf "%b\n" (Mutex.try_lock m);
  run (fun () ->
    Printf.printf "%b\n%!" (Mutex.try_lock m);
    fails (fun () -> Mutex.unlock m);
    Condition.signal c; Condition.broadcast c) ();
  let t = Thread.create (fun () -> Mutex.lock m; print_endline "locked"; Mutex.unlock m) () in
  Thread.yield ();
  print_endline "unlocking";
  flush stdout;
  Mutex.unlock m;
  Thread.join t;
  Thread.join t;
  let n = Mutex.create () and d = Condition.create () in
  Printf.printf "%b %b %b\n" (m = m) (m = n) (compare m n = -compare n m && compare m n <> 0);
  Printf.printf "%b %b\n" (c = c) (c = d);
  let numbers = Hashtbl.create 3 in
  List.iteri (fun i lock -> Hashtbl.add numbers lock i) [ m; n ];
  Printf.printf "%d %d\n" (Hashtbl.find numbers n) (List.assoc d [ c, 1; d, 2 ]);
  let s = Semaphore.Counting.make 2 in
  Semaphore.Counting.acquire s; Semaphore.Counting.acquire s;
  Printf.printf "%b\n" (Semaphore.Counting.try_acquire s);
  let t = Thread.create (fun () -> Semaphore.Counting.acquire s; print_endline "acquired") () in
  Semaphore.Counting.release s;
  Thread.join t

let () =
  title "times";
  let threads = List.init 20 (fun _ -> Thread.create Thread.delay 0.002) in
  let later = Thread.create (fun () -> Thread.delay 0.004; print_endline "later") () in
  print_endline "first";
  flush stdout;
  List.iter Thread.join (later :: threads)

let () =
  title "pipes";
  let input, output = Unix.pipe () in
  let reader = Thread.create (fun () ->
    let buffer = Bytes.create 5 in
    let n = Unix.read input buffer 0 5 in
    Printf.printf "%S\n" (Bytes.sub_string buffer 0 n)) () in
  Thread.yield ();
  let (_ : int) = Unix.write_substring output "hello" 0 5 in
  Thread.join reader;
  let selecting = Thread.create (fun () ->
    match Unix.select [ input ] [] [] (-1.0) with
    | [ _ ], [], [] -> print_endline "readable"
    | _ -> print_endline "not readable") () in
  Thread.yield ();
  let (_ : int) = Unix.write_substring output "x" 0 1 in
  Thread.join selecting;
  Printf.printf "%b\n" (Thread.wait_timed_read input 0.001)

let () = at_exit (fun () -> print_endline "at exit")

let () =
  title "threads as values";
  let t = Thread.self () in
  Printf.printf "%b %d %d\n" (t = t) (Hashtbl.hash t) (Obj.reachable_words (Obj.repr t));
  let other = Thread.create ignore () in
  Thread.join other;
  Printf.printf "%b %d\n" (t = other) (compare t other);
  try ignore (Marshal.to_string t []) with Invalid_argument e -> print_endline e
