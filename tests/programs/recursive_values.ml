(* Values that refer to themselves, suspensions that the collector skips, and what Obj shows of
   blocks. *)
let pf = Printf.printf
(* lazies *)
let rec fib = lazy 1 and l2 = lazy (1.5)
let () =
  let s = Array.init 2000 (fun i -> lazy (i * 2)) in
  let t = ref 0 in
  Array.iter (fun l -> t := !t + Lazy.force l) s;
  Gc.full_major ();
  Array.iter (fun l -> t := !t + Lazy.force l) s;
  pf "%d %d %f\n" !t (Lazy.force fib) (Lazy.force l2);
  Gc.full_major (); pf "%f %d\n" (Lazy.force l2) (Obj.tag (Obj.repr l2))
(* recursive values *)
type t = { a : int; b : t; c : float }
let rec x = { a = 1; b = x; c = 2.0 }
let rec f1 n = if n = 0 then 0 else g1 (n-1) and g1 n = f1 n
let rec fl = [| 1.0; 2.0 |] and cyc = 1 :: 2 :: cyc
let () = pf "%d %f %d %f %d\n" x.b.b.a x.b.c (f1 100) fl.(1) (List.nth cyc 1001)
let rec h = let y = ref 5 in fun n -> if n = 0 then !y else k (n-1) and k n = h n
let () = Gc.full_major (); pf "%d\n" (h 10)
(* objects *)
class c = object val mutable n = 0 method incr = n <- n + 1; n method get = n end
let () =
  let o = new c in
  for _ = 1 to 1000 do ignore o#incr; ignore (Array.make 100 o) done;
  pf "%d %b\n" o#get (Oo.id o < Oo.id (new c))
let () =
  let r = Obj.repr in
  let tags =
    [r 1; r (Some 1); r "s"; r 1.5; r [| 1.5 |]; r (fun x -> x);
     r (lazy (print_string "")); r 1L; r (new c)] in
  pf "%s\n" (String.concat " " (List.map (fun v -> string_of_int (Obj.tag v)) tags));
  let words v = Obj.reachable_words (r v) in
  pf "%d %d %d %d\n" (words 3) (words [1; 2; 3]) (words (ref [| 1.0; 2.0 |]))
    (words (String.make 17 'x'));
  let l = Array.make 2 "shared" in
  pf "%d %b\n" (words l) (Obj.dup (r l) = r l);
  pf "%d\n" (Obj.size (Obj.new_block 3 5));
  let t = Obj.with_tag 7 (r (1, 2)) in
  pf "%d %d\n" (Obj.tag t) (Obj.size t);
  let refused f = try ignore (f ()); pf "accepted\n" with Invalid_argument s -> pf "%s\n" s in
  refused (fun () -> Obj.new_block 255 3);
  refused (fun () -> Obj.new_block 252 0);
  refused (fun () -> Obj.new_block 247 1);
  refused (fun () -> Gc.finalise ignore (r 1.0));
  refused (fun () -> Weak.create (-1));
  refused (fun () -> Weak.get (Weak.create 3) 3);
  (try Gc.Memprof.stop () with Failure s -> pf "%s\n" s)
let () =
  let c = Gc.get () in
  pf "%d %d %d\n" c.minor_heap_size c.space_overhead c.max_overhead;
  Gc.set { c with minor_heap_size = 10; space_overhead = 0 };
  let d = Gc.get () in
  pf "%d %d\n" d.minor_heap_size d.space_overhead;
  let l = List.init 20_000 string_of_int in
  Gc.set c;
  pf "%d\n" (List.fold_left (fun n s -> n + String.length s) 0 l);
  let before = Gc.minor_words () in
  ignore (Sys.opaque_identity (List.init 10 (fun i -> i)));
  pf "%b\n" (Gc.minor_words () -. before >= 30.0)
