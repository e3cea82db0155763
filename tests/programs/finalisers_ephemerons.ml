(* Finalisers that print, resurrect, register again and raise; alarms; weak sets and arrays;
   ephemerons. *)
let pf = Printf.printf
(* finalisers *)
let () =
  for i = 1 to 3 do
    let r = ref i in
    Gc.finalise (fun r -> pf "first %d\n" !r) r;
    Gc.finalise_last (fun () -> pf "last %d\n" i) r
  done;
  Gc.full_major ();
  pf "--\n";
  Gc.full_major ();
  pf "--\n"
let saved = ref None
let () =
  let f x = pf "saving %d\n" !x; saved := Some x in
  Gc.finalise f (ref 42);
  Gc.full_major ();
  (match !saved with Some r -> pf "resurrected %d\n" !r | None -> pf "none\n");
  saved := None; Gc.full_major ()
let () =
  let n = ref 0 in
  let a = Gc.create_alarm (fun () -> incr n) in
  Gc.full_major (); Gc.full_major ();
  pf "alarms %b\n" (!n > 0);
  Gc.delete_alarm a;
  let m = !n in Gc.full_major (); pf "deleted %b\n" (!n = m)
let () =
  (try
    Gc.finalise (fun _ -> failwith "from finaliser") (ref 1);
    Gc.full_major (); pf "no exception\n"
  with Failure s -> pf "caught %s\n" s)
(* A finaliser that runs at a safepoint of allocating code. *)
let () =
  Gc.finalise (fun _ -> raise Exit) (ref 1);
  try
    let l = ref [] in
    while true do l := [1; 2]; Gc.major () done;
    ignore !l
  with Exit -> pf "Exit in loop\n"
(* The others run before the handler, until a second one raises. *)
let () =
  let order = ref 0 in
  let rec watch n =
    if n > 0 then begin
      let ends _ =
        order := (10 * !order) + n;
        if n = 2 || n = 4 then failwith (string_of_int n)
        else try raise Not_found with Not_found -> () in
      Gc.finalise ends (ref n);
      watch (n - 1)
    end in
  let run () =
    match Gc.full_major () with
    | () -> pf "no exception after %d\n" !order
    | exception Failure n -> let before = !order in pf "%s after %d\n" n before
  in
  watch 3; run ();
  order := 0;
  watch 6; run ();
  ignore (Sys.opaque_identity (ref 1));
  pf "%d\n" !order
let () =
  let rec again r = pf "again %d\n" !r; incr r; if !r < 3 then Gc.finalise again r in
  Gc.finalise again (ref 0);
  for _ = 1 to 4 do Gc.full_major () done;
  pf "collected\n"
(* weak *)
module W = Weak.Make(struct type t = string let equal = (=) let hash = Hashtbl.hash end)
let () =
  let w = W.create 10 in
  let keep = List.init 100 (fun i -> W.merge w (string_of_int i)) in
  for i = 0 to 3000 do ignore (W.merge w (string_of_int (i mod 5000) ^ "x")) done;
  Gc.full_major ();
  pf "%d %d\n" (List.length keep) (W.count w);
  pf "%b\n" (List.for_all (fun s -> W.find w (String.concat "" [s]) == s) keep)
let () =
  let w = Weak.create 10 in
  let a = Array.init 10 (fun i -> Some (ref i)) in
  Array.iteri (fun i x -> Weak.set w i x) a;
  a.(3) <- None; a.(7) <- None;
  Gc.full_major ();
  for i = 0 to 9 do pf "%b " (Weak.check w i) done; pf "\n";
  Weak.blit w 0 w 2 5;
  for i = 0 to 9 do
    pf "%s " (match Weak.get w i with None -> "-" | Some r -> string_of_int !r)
  done;
  pf "\n";
  (match Weak.get_copy w 0 with Some r -> incr r; pf "%d\n" !r | None -> ());
  (match Weak.get w 0 with Some r -> pf "%d\n" !r | None -> ());
  ignore (Sys.opaque_identity a)
module E = Ephemeron.K1.Make(struct type t = int ref let equal = (==) let hash r = !r end)
let () =
  let t = E.create 16 in
  let keys = Array.init 100 ref in
  Array.iter (fun k -> E.add t k (k, String.make 100 'x')) keys;
  Gc.full_major ();
  pf "%d\n" (E.stats_alive t).Hashtbl.num_bindings;
  Array.fill keys 0 50 (ref 0);
  Gc.full_major ();
  pf "%d\n" (E.stats_alive t).Hashtbl.num_bindings;
  ignore (Sys.opaque_identity keys)
