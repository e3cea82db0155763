(* Weak pointers, weak hash sets, ephemerons, finalisers and their order. *)
module Weak_set = Weak.Make (struct
  type t = string
  let equal = String.equal
  let hash = Hashtbl.hash
end)
module Eph = Ephemeron.K1.Make (struct type t = int ref let equal = ( == ) let hash r = !r end)

let fresh s i = Bytes.unsafe_to_string (Bytes.of_string (s ^ string_of_int i))
let[@inline never] filled () =
  let w = Weak.create 4 and second = ref 2 in
  Weak.set w 0 (Some (ref 1));
  Weak.set w 1 (Some second);
  (w, second)

let kept = ref (ref 0)

let () =
  let w, second = filled () in
  kept := Option.get (Weak.get w 1);
  ignore (Sys.opaque_identity second);
  Gc.full_major ();
  Printf.printf "%b %b %b %d\n" (Weak.check w 0) (Weak.check w 1) (Weak.check w 2) (Weak.length w);
  (match Weak.get w 1 with
   | Some r -> Printf.printf "%d %b\n" !r (r == !kept)
   | None -> print_endline "lost");
  (match Weak.get_copy w 1 with
   | Some r -> Printf.printf "%d %b\n" !r (r == !kept)
   | None -> print_endline "lost");
  Weak.blit w 1 w 2 1;
  Weak.set w 1 None;
  Printf.printf "%b %b\n" (Weak.check w 1) (Weak.check w 2);
  let set = Weak_set.create 8 in
  let held = List.init 10 (fun i -> fresh "k" i) in
  List.iter (Weak_set.add set) held;
  for i = 100 to 150 do Weak_set.add set (fresh "dropped" i) done;
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "%d %b %b\n" (Weak_set.count set) (Weak_set.mem set "k3")
    (Weak_set.mem set "dropped120");
  Printf.printf "%b\n" (Weak_set.merge set (fresh "k" 4) == List.nth held 4);
  let table = Eph.create 8 in
  let keys = List.init 5 ref in
  List.iter (fun k -> Eph.add table k (Printf.sprintf "data%d" !k)) keys;
  let[@inline never] add_temporary () = Eph.add table (ref 77) "temporary" in
  add_temporary ();
  Gc.full_major ();
  Printf.printf "%s %b\n" (Eph.find table (List.nth keys 3)) (Eph.mem table (List.hd keys));
  Eph.clean table;
  Printf.printf "%d\n" (Eph.length table);
  let log = Buffer.create 16 in
  let[@inline never] register name =
    let v = ref name in
    Gc.finalise (fun r -> Buffer.add_string log ("first:" ^ !r ^ " ")) v;
    Gc.finalise_last (fun () -> Buffer.add_string log "last ") v
  in
  register "a";
  Gc.full_major ();
  Gc.full_major ();
  print_endline (Buffer.contents log);
  let saved = ref None in
  let[@inline never] resurrect () = Gc.finalise (fun r -> saved := Some r) (ref 42) in
  resurrect ();
  Gc.full_major ();
  (match !saved with Some r -> Printf.printf "resurrected %d\n" !r | None -> print_endline "gone");
  (try Gc.finalise ignore 5 with Invalid_argument m -> print_endline m);
  let alarms = ref 0 in
  let a = Gc.create_alarm (fun () -> incr alarms) in
  Gc.full_major ();
  Gc.delete_alarm a;
  Printf.printf "%b\n" (!alarms > 0);
  Printf.printf "%d\n" (List.length keys + List.length held)
