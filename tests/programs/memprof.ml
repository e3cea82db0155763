(* Gc.Memprof: what is sampled, what callbacks see, and what becomes of exceptions in them. *)
module M = Gc.Memprof

let pf = Printf.printf
let keep = ref []
let id = Sys.opaque_identity

let source = function M.Normal -> "normal" | M.Marshal -> "marshal" | M.Custom -> "custom"

(* Everything is sampled: each block is seen once, with all its words. *)
let traced name f =
  let seen = ref [] in
  let note kind (a : M.allocation) =
    seen := (kind, a.n_samples, a.size, source a.source) :: !seen; None in
  M.start ~sampling_rate:1. ~callstack_size:10
    { M.null_tracker with alloc_minor = note "minor"; alloc_major = note "major" };
  f ();
  M.stop ();
  pf "%s:" name;
  List.iter (fun (kind, n, size, from) -> pf " %s %d/%d %s;" kind n size from) (List.rev !seen);
  pf "\n"

let add a b c = a + b + c
let floats = [| 1.5; 2.5 |]
let twice x = x *. 2.

let () =
  let short = Marshal.to_string [1; 2] [] and long = Marshal.to_string (List.init 300 id) [] in
  traced "nothing" ignore;
  traced "pair" (fun () -> ignore (id (id 1, id 2)));
  traced "two" (fun () -> ignore (id (ref (ref (id 1)))));
  traced "array" (fun () -> ignore (id (Array.make 10 (id 'a'))));
  traced "large array" (fun () -> ignore (id (Array.make 1000 (id 'a'))));
  traced "bytes" (fun () -> ignore (id (Bytes.create 100)));
  traced "large bytes" (fun () -> ignore (id (Bytes.create 10_000)));
  traced "partial" (fun () -> ignore (id (Obj.repr ((id add) 1))));
  traced "closure" (fun () -> let n = id 1 in ignore (id (Obj.repr (fun x -> x + n))));
  traced "float" (fun () -> ignore (id (twice floats.(id 1))));
  traced "read" (fun () -> ignore (id (Marshal.from_string short 0 : int list)));
  let sizes = ref [] in
  let note kind (a : M.allocation) =
    if a.source = Marshal then sizes := (kind, a.size) :: !sizes; None in
  M.start ~sampling_rate:1.
    { M.null_tracker with alloc_minor = note "minor"; alloc_major = note "major" };
  ignore (id (Marshal.from_string long 0 : int list));
  M.stop ();
  pf "long: %d of %s\n" (List.length !sizes) (fst (List.hd !sizes));
  traced "bigarray" (fun () ->
      ignore (id (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 256)))

(* What becomes of blocks. A block that nobody holds may have been promoted where collections are
   frequent. *)
let fate f =
  let events = ref [] in
  let event what n = events := Printf.sprintf "%s %d" what n :: !events in
  let born (a : M.allocation) = if a.size = 7 || a.size > 500 then Some a.size else None in
  M.start ~sampling_rate:1.
    { M.alloc_minor = born; alloc_major = born;
      promote = (fun n -> event "promoted" n; Some (n + 1));
      dealloc_minor = event "died young"; dealloc_major = event "died" };
  f ();
  M.stop ();
  List.rev !events

let show name f = pf "%s: %s\n" name (String.concat ", " (fate f))

let () =
  let make n = keep := [id (Array.make n (id 0))] in
  (match fate (fun () -> make 7; keep := []; Gc.minor ()) with
  | ["died young 7"] | ["promoted 7"] -> pf "short life: reported\n"
  | events -> pf "short life: %s\n" (String.concat ", " events));
  show "promoted" (fun () -> make 7; Gc.minor (); Gc.minor ());
  show "long life" (fun () -> make 7; Gc.minor (); keep := []; Gc.full_major (); Gc.full_major ());
  show "large" (fun () -> make 600; Gc.minor (); keep := []; Gc.full_major (); Gc.full_major ());
  show "compiled" (fun () ->
    keep := [[| id 1; id 2; id 3; id 4; id 5; id 6; id 7 |]];
    Gc.minor (); keep := []; Gc.full_major ();
    Gc.full_major ());
  show "not followed" (fun () -> make 8; Gc.minor (); keep := []; Gc.full_major ())

(* Exceptions leave from where the allocation is; afterwards sampling goes on. *)
let () =
  let armed = ref true in
  let seen = ref 0 in
  let fail (a : M.allocation) =
    if a.size = 11 && !armed then (armed := false; failwith "minor")
    else if a.size = 1000 && !armed then (armed := false; failwith "major")
    else (if a.size = 11 then incr seen; None) in
  M.start ~sampling_rate:1. { M.null_tracker with alloc_minor = fail; alloc_major = fail };
  let eleven () = ignore (id [| id 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11 |]) in
  let caught = try eleven (); "nothing" with Failure s -> s in
  eleven ();
  armed := true;
  let large = try ignore (id (Array.make 1000 (id 0))); "nothing" with Failure s -> s in
  eleven ();
  M.stop ();
  pf "caught %s and %s, saw %d\n" caught large !seen

(* Callbacks that stop, and the order of start and stop. *)
let () =
  let attempt name f =
    match f () with
    | () -> pf "%s: fine\n" name
    | exception e -> pf "%s: %s\n" name (Printexc.to_string e) in
  attempt "stop" M.stop;
  attempt "rate" (fun () -> M.start ~sampling_rate:1.5 M.null_tracker);
  attempt "nan" (fun () -> M.start ~sampling_rate:nan M.null_tracker);
  attempt "negative" (fun () -> M.start ~sampling_rate:(-0.1) M.null_tracker);
  attempt "depth" (fun () -> M.start ~sampling_rate:0.5 ~callstack_size:(-1) M.null_tracker);
  attempt "start" (fun () -> M.start ~sampling_rate:0. M.null_tracker);
  attempt "again" (fun () -> M.start ~sampling_rate:2. M.null_tracker);
  attempt "stop" M.stop;
  let calls = ref 0 in
  M.start ~sampling_rate:1.
    { M.null_tracker with alloc_minor = fun _ -> incr calls; M.stop (); None };
  ignore (id (ref (id 1)));
  ignore (id (ref (id 1)));
  pf "stopped by its callback after %d\n" !calls;
  attempt "stop" M.stop

(* At a low rate, about as many words as it says. *)
let () =
  let words = ref 0 in
  let count (a : M.allocation) = words := !words + a.n_samples; None in
  M.start ~sampling_rate:0.01 { M.null_tracker with alloc_minor = count; alloc_major = count };
  for i = 1 to 200_000 do ignore (id (id i, i)) done;
  M.stop ();
  pf "about 6000: %b\n" (!words > 5000 && !words < 7000)

(* Call stacks. *)
let[@inline never] leaf () = ignore (id (Bytes.create (id 40)))
let[@inline never] middle () = leaf (); ignore (id (id 1, id 2, id 3, id 4))
let () =
  let stacks = ref [] in
  let note (a : M.allocation) = stacks := a.callstack :: !stacks; None in
  M.start ~sampling_rate:1. ~callstack_size:4 { M.null_tracker with alloc_minor = note };
  middle ();
  M.stop ();
  List.iter (Printexc.print_raw_backtrace stdout) (List.rev !stacks)

(* An exception of a callback that nobody catches. *)
let () =
  flush stdout;
  M.start ~sampling_rate:1. { M.null_tracker with alloc_minor = fun _ -> raise Exit };
  ignore (id (ref (id 1)))
