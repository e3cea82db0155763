(* What each call of Gc finds dead when they follow each other: finalisers, weak pointers,
   ephemerons, alarms. A cycle that ends begins the next at once, so that what is reachable then
   survives it. *)

let pf = Printf.printf

let minor = ("minor", Gc.minor)
let major = ("major", Gc.major)
let full_major = ("full_major", Gc.full_major)
let compact = ("compact", Gc.compact)

let kept = ref []

(* Each of these makes a value that only a global refers to, and says how to see whether it is
   alive. *)
let with_finaliser () =
  let state = ref "alive" in
  let value = ref 1 in
  Gc.finalise (fun _ -> state := "finalised") value;
  kept := [ Obj.repr value ];
  fun () -> !state

let with_last () =
  let state = ref "alive" in
  let value = ref 2 in
  Gc.finalise_last (fun () -> state := "gone") value;
  kept := [ Obj.repr value ];
  fun () -> !state

let with_weak () =
  let weak = Weak.create 1 in
  let value = ref 3 in
  Weak.set weak 0 (Some value);
  kept := [ Obj.repr value ];
  fun () -> if Weak.check weak 0 then "alive" else "erased"

let with_weak_read () =
  let weak = Weak.create 1 in
  let value = ref (ref 3) in
  Weak.set weak 0 (Some value);
  kept := [ Obj.repr value ];
  fun () -> match Weak.get weak 0 with None -> "erased" | Some r -> string_of_int !(!r)

let with_weak_copied () =
  let weak = Weak.create 1 in
  let value = ref (ref 3) in
  Weak.set weak 0 (Some value);
  kept := [ Obj.repr value ];
  fun () -> match Weak.get_copy weak 0 with None -> "erased" | Some r -> string_of_int !(!r)

let with_ephemeron () =
  let ephemeron = Ephemeron.K1.create () in
  let key = ref 4 in
  Ephemeron.K1.set_key ephemeron key;
  Ephemeron.K1.set_data ephemeron (ref key);
  kept := [ Obj.repr key ];
  fun () ->
    pf "%b %b " (Ephemeron.K1.check_key ephemeron) (Ephemeron.K1.check_data ephemeron);
    "."

let with_ephemeron_read () =
  let ephemeron = Ephemeron.K1.create () in
  let key = ref 4 in
  Ephemeron.K1.set_key ephemeron key;
  Ephemeron.K1.set_data ephemeron (ref (ref 5));
  kept := [ Obj.repr key ];
  fun () ->
    match Ephemeron.K1.get_data ephemeron with None -> "erased" | Some r -> string_of_int !(!r)

let with_all () =
  let weak = Weak.create 1 in
  let state = Buffer.create 10 in
  let value = ref 5 in
  Weak.set weak 0 (Some value);
  Gc.finalise (fun _ -> Buffer.add_string state "first,") value;
  Gc.finalise_last (fun () -> Buffer.add_string state "last,") value;
  kept := [ Obj.repr value ];
  fun () -> Buffer.contents state ^ if Weak.check weak 0 then "alive" else "erased"

let again () =
  let count = ref 0 in
  let rec finaliser value =
    incr count;
    Gc.finalise finaliser value
  in
  let value = ref 6 in
  Gc.finalise finaliser value;
  kept := [ Obj.repr value ];
  fun () -> string_of_int !count

let alarm () =
  let count = ref 0 in
  let alarm = Gc.create_alarm (fun () -> incr count) in
  kept := [ Obj.repr alarm ];
  fun () -> string_of_int !count

let kinds =
  [ ("finalise", with_finaliser); ("finalise_last", with_last); ("weak", with_weak);
    ("weak, read", with_weak_read); ("weak, copied", with_weak_copied);
    ("ephemeron", with_ephemeron); ("ephemeron, read", with_ephemeron_read); ("all", with_all);
    ("again", again); ("alarm", alarm) ]

let collections before =
  let now = Gc.quick_stat () in
  pf " [%d minor, %d major, %d forced]"
    (now.minor_collections - before.Gc.minor_collections)
    (now.major_collections - before.Gc.major_collections)
    (now.forced_major_collections - before.Gc.forced_major_collections)

let rec sequences calls n =
  if n = 0 then [ [] ]
  else
    List.concat_map
      (fun rest -> List.map (fun call -> call :: rest) calls)
      (sequences calls (n - 1))

(* Calls while the value is held, and calls without it. *)
let experiment kind make before after =
  pf "%s:" kind;
  let start = Gc.quick_stat () in
  let look = make () in
  List.iter (fun (name, call) -> call (); pf " %s" name) before;
  kept := [];
  pf " /";
  List.iter (fun (name, call) -> call (); pf " %s %s" name (look ())) after;
  collections start;
  pf "\n"

let () =
  let try_all calls befores =
    List.iter
      (fun (kind, make) ->
        List.iter
          (fun before -> List.iter (experiment kind make before) (sequences calls 2))
          befores)
      kinds
  in
  try_all [ minor; major; full_major ] [ []; [ major ] ];
  try_all [ compact; major ] [ [ minor ] ]
