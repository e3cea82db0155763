(* A thread that never waits lets others run: in loops that call and allocate, and in one that does
   neither. *)

let stop = ref false
let rounds = ref 0

let quiet () = while not !stop do incr rounds done
let rec calls n = if not !stop then calls (n + 1)
let allocates () = while not !stop do ignore (Sys.opaque_identity (ref !rounds)) done

let () =
  let busy = List.map (fun f -> Thread.create f ()) [ quiet; (fun () -> calls 0); allocates ] in
  let turns = ref 0 in
  let patient = Thread.create (fun () ->
    while !turns < 3 do incr turns; Thread.yield () done;
    stop := true) () in
  List.iter Thread.join (patient :: busy);
  Printf.printf "%d turns\n" !turns

(* So does one that is alone until the time comes that the other waits for. *)
let () =
  let woken = ref false in
  let sleeper = Thread.create (fun () -> Thread.delay 0.02; woken := true) () in
  while not !woken do incr rounds done;
  Thread.join sleeper;
  print_endline "woken"
