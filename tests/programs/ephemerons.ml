(* Weak arrays filled and moved, ephemerons with one, two and many keys, in chains and with
   finalisers; keys that are numbers, strings, closures and arrays. *)
let pf = Printf.printf
module K1 = Ephemeron.K1
module K2 = Ephemeron.K2
module Kn = Ephemeron.Kn

let show name weak =
  pf "%s:" name;
  for i = 0 to Weak.length weak - 1 do
    match Weak.get weak i with
    | None -> pf " -"
    | Some r -> pf " %d" !r
  done;
  pf "\n"

let () =
  let kept = Array.init 6 ref in
  let a = Weak.create 12 and b = Weak.create 12 in
  Array.iteri (fun i r -> Weak.set a (2 * i) (Some r)) kept;
  Weak.fill b 3 5 (Some kept.(4));
  Weak.blit a 0 b 1 4;
  Weak.blit a 2 a 1 10;
  Weak.blit b 0 b 2 9;
  Gc.full_major ();
  show "a" a; show "b" b;
  kept.(1) <- kept.(0); kept.(4) <- ref 40;
  Gc.full_major ();
  show "a" a; show "b" b;
  Weak.fill a 0 12 (Some (Sys.opaque_identity kept.(4)));
  Weak.fill a 4 3 None;
  Gc.full_major ();
  show "a" a;
  (try Weak.fill a 10 3 None with Invalid_argument s -> pf "%s\n" s);
  (try Weak.blit a 0 b 11 2 with Invalid_argument s -> pf "%s\n" s);
  (try Weak.set a 12 None with Invalid_argument s -> pf "%s\n" s);
  ignore (Sys.opaque_identity kept)

(* Written often between two collections, in a larger array than is written. *)
let () =
  let weak = Weak.create 1_000 in
  let last = Array.make 10 (ref 0) in
  for n = 1 to 3_000 do
    let r = ref n in
    Weak.set weak (n mod 500) (Some r);
    last.(n mod 10) <- r
  done;
  Gc.full_major ();
  let alive = ref [] in
  for i = 0 to 999 do
    match Weak.get weak i with Some r -> alive := !r :: !alive | None -> ()
  done;
  pf "%s of %d\n" (String.concat " " (List.map string_of_int !alive)) (Array.length last)

(* Chains, made from either end. *)
type link = { number : int }

let chain links order =
  let n = Array.length links - 1 in
  let chain = Array.init n (fun _ -> K1.create ()) in
  let set i = K1.set_key chain.(i) links.(i); K1.set_data chain.(i) links.(i + 1) in
  (match order with
   | `Up -> for i = 0 to n - 1 do set i done
   | `Down -> for i = n - 1 downto 0 do set i done);
  chain

let alive chain = Array.fold_left (fun n e -> if K1.check_data e then n + 1 else n) 0 chain

let () =
  List.iter (fun order ->
    let links = Array.init 301 (fun number -> { number }) in
    let chain = chain links order in
    let first = ref (Some links.(0)) and middle = ref (Some links.(150)) in
    Array.fill links 0 301 { number = 0 };
    Gc.minor ();
    pf "%d" (alive chain);
    Gc.full_major ();
    pf " %d" (alive chain);
    first := None;
    Gc.full_major ();
    pf " %d" (alive chain);
    (match K1.get_data chain.(299) with Some l -> pf " (%d)" l.number | None -> ());
    middle := None;
    Gc.full_major ();
    pf " %d %b\n" (alive chain) (!first = !middle))
    [`Up; `Down]

(* Two keys, many keys. *)
let () =
  let a = ref (Some (ref 1)) and b = ref (Some (ref 2)) in
  let e = K2.create () in
  K2.set_key1 e (Option.get !a); K2.set_key2 e (Option.get !b); K2.set_data e (ref 3);
  Gc.full_major ();
  let state () = pf "%b %b %b\n" (K2.check_key1 e) (K2.check_key2 e) (K2.check_data e) in
  state ();
  let copy = K2.create () in
  K2.blit_key12 e copy; K2.blit_data e copy;
  b := None;
  Gc.full_major ();
  state ();
  pf "%b %b %b\n" (K2.check_key1 copy) (K2.check_key2 copy) (K2.check_data copy);
  a := None;
  Gc.full_major ();
  state ()

let () =
  let n = 100 in
  let keys = Array.init n (fun i -> Some (ref i)) in
  let e = Kn.create n in
  (* Each key is the data of an ephemeron whose key is the one before. *)
  let behind = Array.init (n - 1) (fun i ->
    let e = K1.create () in
    K1.set_key e (Option.get keys.(i)); K1.set_data e (Option.get keys.(i + 1)); e) in
  Array.iteri (fun i k -> Kn.set_key e i (Option.get k)) keys;
  Kn.set_data e (ref 5);
  Array.fill keys 1 (n - 1) None;
  Gc.full_major ();
  let count () =
    let alive = ref 0 in
    for i = 0 to n - 1 do if Kn.check_key e i then incr alive done;
    !alive in
  pf "%d %b\n" (count ()) (Kn.check_data e);
  Kn.blit_key e 0 e 1 (n - 1);
  Gc.full_major ();
  pf "%d %b\n" (count ()) (Kn.check_data e);
  keys.(0) <- None;
  Gc.full_major ();
  pf "%d %b %d\n" (count ()) (Kn.check_data e) (Array.length (Sys.opaque_identity behind))

(* Keys of other kinds; data that refers to its key, and to the ephemeron. *)
type 'a cycle = { key : 'a; self : ('a, 'a cycle) K1.t }

let with_key name make =
  let hold = ref (Some (make ())) in
  let e = K1.create () in
  let[@inline never] tie key = K1.set_key e key; K1.set_data e { key; self = e } in
  tie (Option.get !hold);
  Gc.full_major ();
  let intact =
    match K1.get_data e, !hold with
    | Some c, Some held -> c.key == held && c.self == e
    | (Some _ | None), _ -> false in
  hold := None;
  Gc.full_major ();
  pf "%s: %b, then %b %b\n" name intact (K1.check_key e) (K1.check_data e)

let () =
  let n = Sys.opaque_identity 5 in
  with_key "string" (fun () -> String.make 20 'x');
  with_key "float" (fun () -> float_of_int n +. 0.5);
  with_key "int64" (fun () -> Int64.of_int n);
  with_key "array" (fun () -> Array.make 1000 0);
  with_key "closure" (fun () -> fun x -> x + n);
  with_key "lazy" (fun () -> lazy (n + 1));
  with_key "weak" (fun () -> Weak.create n)

(* A finaliser brings its value back, hence what the value is the key of. *)
let () =
  let saved = ref None in
  let e = K1.create () in
  let[@inline never] attach () =
    let key = ref 1 in
    Gc.finalise (fun key -> saved := Some key) key;
    Gc.finalise_last (fun () -> pf "last\n") key;
    K1.set_key e key;
    K1.set_data e (ref (key, "data")) in
  attach ();
  Gc.full_major ();
  (match !saved, K1.get_data e with
   | Some key, Some { contents = key', s } -> pf "%b %s\n" (key == key') s
   | _, None -> pf "no data\n"
   | None, _ -> pf "not finalised\n");
  saved := None;
  Gc.full_major ();
  Gc.full_major ();
  pf "%b %b\n" (K1.check_key e) (K1.check_data e)

(* Weak hash sets that grow, shrink and lose. *)
module Set = Weak.Make (struct
  type t = int * string
  let equal (a, _) (b, _) = a = b
  let hash (a, _) = a
end)

let () =
  let set = Set.create 3 in
  let kept = Array.init 200 (fun i -> (i * 17, string_of_int i)) in
  Array.iter (Set.add set) kept;
  for i = 0 to 400 do Set.add set (Sys.opaque_identity (100_000 + i, "dropped")) done;
  Gc.full_major ();
  pf "%d\n" (Set.count set);
  pf "%b\n" (Array.for_all (fun k -> Set.find set (fst k, "") == k) kept);
  Array.iteri (fun i k -> if i land 1 = 0 then Set.remove set k) kept;
  pf "%d %b\n" (Set.count set) (Set.mem set (17, ""));
  let sum = Set.fold (fun (n, _) sum -> n + sum) set 0 in
  pf "%d %d\n" sum (Array.length kept)
