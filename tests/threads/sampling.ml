(* Callbacks of Gc.Memprof in several threads: while one waits in a callback, others call theirs. *)
let say text = ignore (Unix.write_substring Unix.stdout text 0 (String.length text))

(* Without an allocation: each is a sample. *)
let until flag =
  while not !flag do
    Thread.yield ()
  done

let begun = ref false
let promoting = ref false
let go_on = ref false
let over = ref false
let none = ref 0
let global = ref none

let other () =
  until begun;
  global := ref 1;
  Gc.minor ();
  global := none;
  say "other: promoted\n";
  over := true

let big = ref [||]
let fill () = big := Array.make 1000 0 [@@inline never]

let tracker =
  Gc.Memprof.
    {
      alloc_minor = (fun _ -> Some ());
      alloc_major = (fun _ -> Some "a large block dies\n");
      promote =
        (fun () ->
          say "promotes\n";
          promoting := true;
          until go_on;
          say "has promoted\n";
          Some "a cell dies\n");
      dealloc_minor = ignore;
      dealloc_major = say;
    }

(* Each waits in its callback until the other one has been in its own. *)
let turn = ref 0
let counts = [| 0; 0 |]

let take_turn id =
  if counts.(id) < 200 then begin
    while !turn <> id do
      Thread.yield ()
    done;
    counts.(id) <- counts.(id) + 1;
    turn := 1 - id
  end

let work () =
  for i = 1 to 400 do
    ignore (Sys.opaque_identity (ref i))
  done

let second () =
  until go_on;
  work ()

let () =
  let thread = Thread.create other () in
  Gc.Memprof.start ~sampling_rate:1. tracker;
  fill ();
  begun := true;
  until promoting;
  big := [||];
  Gc.full_major ();
  say "first: collected\n";
  go_on := true;
  until over;
  Gc.full_major ();
  Gc.Memprof.stop ();
  Thread.join thread;
  let self = Thread.self () in
  go_on := false;
  let thread = Thread.create second () in
  let callback _ =
    take_turn (if Thread.self () == self then 0 else 1);
    None
  in
  Gc.Memprof.(
    start ~sampling_rate:1. { null_tracker with alloc_minor = callback; alloc_major = callback });
  go_on := true;
  work ();
  Thread.join thread;
  Gc.Memprof.stop ();
  Printf.printf "%d %d\n" counts.(0) counts.(1)
