(* How many words of each heap things take, and how many can be reached from them: the same as under
   ocamlrun. *)
let pf = Printf.printf
let () = pf "before: %.0f\n" (Gc.minor_words ())
let measure name f =
  let (minor, promoted, major) = Gc.counters () in
  let r = Sys.opaque_identity (f ()) in
  let (minor', promoted', major') = Gc.counters () in
  pf "%-24s %.0f %.0f, %d reachable\n%!" name
    (minor' -. minor) (major' -. major -. (promoted' -. promoted))
    (Obj.reachable_words (Obj.repr r))
external id : 'a -> 'a = "%identity"
let f4 a b c d = a + b + c + d
let () = close_out (open_out "empty")
class c = object val mutable x = 1 method get = x method set y = x <- y end
let () =
  measure "nothing" (fun () -> 0);
  measure "ref" (fun () -> ref 0);
  measure "float" (fun () -> Sys.opaque_identity 1.5 +. 2.5);
  measure "string_of_int" (fun () -> string_of_int 12345);
  measure "string_of_float" (fun () -> string_of_float 1.25);
  measure "sprintf" (fun () -> Printf.sprintf "%d %s %5.2f" 1 "a" 2.5);
  measure "partial" (fun () -> Sys.opaque_identity (f4 1 2));
  measure "concat" (fun () -> "abc" ^ string_of_int 3);
  measure "list" (fun () -> List.init 100 id);
  measure "list map" (fun () -> List.map succ [1;2;3]);
  measure "array 256" (fun () -> Array.make 256 0);
  measure "array 257" (fun () -> Array.make 257 0);
  measure "array float" (fun () -> Array.make 10 1.0);
  measure "array float 300" (fun () -> Array.make 300 1.0);
  measure "floatarray" (fun () -> Array.create_float 10);
  measure "array init" (fun () -> Array.init 10 id);
  measure "array append" (fun () -> Array.append [|1;2|] [|3|]);
  measure "array sub" (fun () -> Array.sub [|1;2;3|] 0 2);
  measure "array concat" (fun () -> Array.concat [[|1;2;3|]; [|4|]]);
  measure "array of_list" (fun () -> Array.of_list [1;2;3]);
  measure "floats, looked at" (fun () ->
      let sum = ref 0. in
      for i = 1 to 9 do sum := !sum +. (float_of_int i *. 1.5) done;
      int_of_float !sum);
  measure "a pair, taken apart" (fun () ->
      let a, b = List.fold_left (fun (a, b) x -> (a + x, b * x)) (0, 1) [1;2;3] in a - b);
  measure "array sort" (fun () ->
      let a = Array.init 50 (fun i -> (i * 37) mod 50) in Array.sort compare a; a);
  measure "stable sort" (fun () -> List.sort compare [5;3;1;2]);
  measure "bytes" (fun () -> Bytes.create 100);
  measure "bytes big" (fun () -> Bytes.create 10000);
  measure "int64" (fun () -> Int64.add (Sys.opaque_identity 1L) 2L);
  measure "int32" (fun () -> Int32.add (Sys.opaque_identity 1l) 2l);
  measure "nativeint" (fun () -> Nativeint.add (Sys.opaque_identity 1n) 2n);
  measure "int64 str" (fun () -> Int64.to_string 123456789L);
  measure "hashtbl" (fun () ->
      let h = Hashtbl.create 16 in for i = 1 to 100 do Hashtbl.replace h i i done; h);
  measure "buffer" (fun () ->
      let b = Buffer.create 10 in
      for _ = 1 to 100 do Buffer.add_string b "hello" done; Buffer.contents b);
  measure "closure" (fun () ->
      let x = Sys.opaque_identity 1 in
      let rec f y = if y = 0 then x else g (y-1) and g y = f y in f);
  measure "object" (fun () -> new c);
  measure "exception" (fun () -> try failwith "x" with Failure s -> s);
  measure "not_found" (fun () -> try List.assoc 1 [] with Not_found -> 2);
  measure "array bounds" (fun () -> try [|1|].(Sys.opaque_identity 3) with Invalid_argument _ -> 2);
  measure "div0" (fun () -> try 1 / (Sys.opaque_identity 0) with Division_by_zero -> 2);
  measure "int_of_string" (fun () -> int_of_string "123");
  measure "int_of_string bad" (fun () -> try int_of_string "x" with Failure _ -> 0);
  measure "float_of_string" (fun () -> float_of_string "1.25");
  measure "lazy" (fun () -> let l = lazy (Sys.opaque_identity 3) in Lazy.force l);
  measure "marshal" (fun () -> Marshal.to_string [1;2;3] []);
  measure "unmarshal" (fun () -> (Marshal.from_string (Marshal.to_string [1;2;3] []) 0 : int list));
  measure "unmarshal big" (fun () ->
      (Marshal.from_string (Marshal.to_string (List.init 1000 id) []) 0 : int list));
  measure "unmarshal big boxed" (fun () ->
      let numbers = List.init 500 (fun i -> (Int32.of_int i, Int64.of_int i, Nativeint.of_int i)) in
      let copy = Marshal.from_string (Marshal.to_string numbers []) 0 in
      if copy <> numbers then pf "not the same numbers\n";
      copy);
  measure "weak" (fun () -> Weak.create 10);
  measure "weak get" (fun () -> let w = Weak.create 1 in Weak.set w 0 (Some (ref 1)); Weak.get w 0);
  measure "weak get copy" (fun () ->
      let w = Weak.create 1 in Weak.set w 0 (Some (ref 1)); Weak.get_copy w 0);
  measure "ephe" (fun () ->
      let e = Ephemeron.K1.create () in
      Ephemeron.K1.set_key e (ref 1); Ephemeron.K1.set_data e 3; Ephemeron.K1.get_data e);
  measure "finalise" (fun () -> Gc.finalise ignore (ref 1));
  measure "compare" (fun () -> compare [1;2;3] [1;2;4]);
  measure "hash" (fun () -> Hashtbl.hash [1;2;3]);
  measure "obj dup" (fun () -> Obj.dup (Obj.repr [1]));
  measure "obj new_block" (fun () -> Obj.new_block 0 300);
  measure "with" (fun () -> Obj.with_tag 3 (Obj.repr [1]));
  measure "getenv" (fun () -> try Sys.getenv "NO_SUCH" with Not_found -> "");
  measure "time" (fun () -> Sys.time ());
  measure "file_exists" (fun () -> Sys.file_exists "/nonexistent");
  measure "open fail" (fun () -> try close_in (open_in "/nonexistent") with Sys_error _ -> ());
  measure "open" (fun () -> close_in (open_in "empty"));
  measure "input_line" (fun () ->
      let ic = open_in "empty" in (try ignore (input_line ic) with End_of_file -> ()); close_in ic);
  measure "gc stat" (fun () -> Gc.quick_stat ());
  measure "gc get" (fun () -> Gc.get ());
  measure "gc counters" (fun () -> Gc.counters ());
  measure "minor_words" (fun () -> Gc.minor_words ());
  measure "callstack" (fun () -> Printexc.get_callstack 10);
  measure "split" (fun () -> String.split_on_char ' ' "a b c d");
  measure "md5" (fun () -> Digest.string "hello");
  measure "md5hex" (fun () -> Digest.to_hex (Digest.string "hello"));
  measure "modf" (fun () -> modf 1.5);
  measure "frexp" (fun () -> frexp 1.5);
  measure "sqrt" (fun () -> sqrt (Sys.opaque_identity 2.0));
  measure "pow" (fun () -> (Sys.opaque_identity 2.0) ** 3.);
  measure "random" (fun () -> Random.int 10);
  measure "queue" (fun () -> let q = Queue.create () in for i = 1 to 10 do Queue.add i q done; q);
  measure "map" (fun () ->
      let module M = Map.Make(Int) in List.fold_left (fun m i -> M.add i i m) M.empty [1;2;3;4;5]);
  measure "seq" (fun () -> List.of_seq (Seq.map succ (List.to_seq [1;2;3])));
  measure "format" (fun () -> Format.asprintf "@[%d@ %s@]" 1 "x");
  measure "str upper" (fun () -> String.uppercase_ascii "abc");
  measure "bigarray" (fun () -> Bigarray.Array1.create Bigarray.int Bigarray.c_layout 10);
  measure "bigarray get" (fun () ->
      let a = Bigarray.Array1.create Bigarray.float64 Bigarray.c_layout 10 in a.{0} <- 1.; a.{0});
  measure "bigarray sub" (fun () ->
      let a = Bigarray.Array2.create Bigarray.float64 Bigarray.c_layout 10 10 in
      Bigarray.Array2.slice_left a 3);
  measure "recmod" (fun () -> let rec l = 1 :: 2 :: l in l);
  measure "print" (fun () -> print_string "");
  measure "backtrace" (fun () -> Printexc.get_backtrace ());
  measure "ext id" (fun () -> Printexc.to_string Not_found);
  measure "float array get" (fun () -> let a = [|1.;2.|] in a.(Sys.opaque_identity 1));
  measure "record float" (fun () -> {Complex.re = Sys.opaque_identity 1.; im = 2.});
  measure "norm" (fun () -> Complex.norm {Complex.re = Sys.opaque_identity 1.; im = 2.});
  measure "signal" (fun () -> Sys.signal Sys.sigint Sys.Signal_default);
  measure "oo copy" (fun () -> Oo.copy (new c));
  ()

(* What is alive, and that the numbers agree with each other. *)
let live () = (Gc.stat ()).live_words
let keep = ref []
let () =
  Gc.full_major ();
  let before = Gc.stat () in
  keep := List.init 1000 (fun i -> (i, string_of_int i));
  let allocated = Gc.allocated_bytes () in
  Gc.full_major ();
  let after = Gc.stat () in
  pf "%d words, %d blocks\n" (after.live_words - before.live_words)
    (after.live_blocks - before.live_blocks);
  pf "%.0f bytes by the collections\n" (Gc.allocated_bytes () -. allocated);
  pf "%b\n" (after.heap_words = after.live_words + after.free_words + after.fragments);
  pf "%b %b %b\n" (after.heap_chunks > 0) (after.top_heap_words >= after.heap_words)
    (after.largest_free <= after.free_words);
  keep := [];
  Gc.full_major ();
  pf "%d again\n" ((Gc.stat ()).live_words - before.live_words);
  let quick = Gc.quick_stat () and slow = Gc.stat () in
  pf "%b\n" (quick.heap_words = slow.heap_words && quick.heap_chunks = slow.heap_chunks);
  pf "%d live words\n" slow.live_words

let () =
  let words v = pf "%d " (Obj.reachable_words (Obj.repr v)) in
  let shared = [ 1; 2 ] in
  words 1; words "literal"; words [| |]; words [| shared; shared |]; words (lazy 3); words measure;
  let rec cycle = 1 :: 2 :: cycle in
  words cycle;
  let rec f x = if x = 0 then shared else g (x - 1) and g x = f x in
  words f; words g; words [ Obj.repr f; Obj.repr g ];
  words (Weak.create 3); words 1.5; words 1L; words [| 1.; 2. |]; words (new c); words Not_found;
  words (Bigarray.Array1.create Bigarray.int Bigarray.c_layout 100); words stdout;
  words (Sys.argv == Sys.argv);
  pf "\n"

(* Forced suspensions that are old are skipped where blocks and ephemerons refer to them, and not
   where the stack does. *)
let strings = Array.init 1000 (fun i -> lazy (string_of_int i))
let floats = Array.init 1000 (fun i -> lazy (float i))
let integers = Array.init 1000 (fun i -> lazy (i + 1))

let force suspensions =
  Gc.full_major ();
  let before = live () and local = suspensions.(3) in
  let reachable () = Obj.reachable_words (Obj.repr suspensions) in
  let lazily = reachable () in
  Array.iter (fun s -> ignore (Lazy.force s)) suspensions;
  let forced = reachable () in
  Gc.full_major ();
  pf "%d, %d, %d words reachable, %d alive, tags %d %d, same %b\n" lazily forced (reachable ())
    (live () - before)
    (Obj.tag (Obj.repr suspensions.(5)))
    (Obj.tag (Obj.repr local)) (local == suspensions.(3))

(* What is forced is the key of an ephemeron, and the data of another. *)
let held = ref [||]
let ephemerons = Ephemeron.K1.create (), Ephemeron.K1.create ()
let fill make =
  let key, data = ephemerons in
  let s = lazy (make ()) in
  held := [| Obj.repr s |];
  Ephemeron.K1.set_key key (Obj.repr s);
  Ephemeron.K1.set_data key (Obj.repr "data");
  Ephemeron.K1.set_key data (Obj.repr held);
  Ephemeron.K1.set_data data (Obj.repr s);
  Gc.full_major ();
  ignore (Lazy.force s)
let show () =
  let key, data = ephemerons in
  let tag = function None -> -1 | Some v -> Obj.tag (Obj.repr v) in
  pf "%d: %d %d, %d %d\n"
    (Obj.tag !held.(0))
    (tag (Ephemeron.K1.get_key key))
    (tag (Ephemeron.K1.get_data key))
    (tag (Ephemeron.K1.get_key data))
    (tag (Ephemeron.K1.get_data data))

let () =
  force strings; force floats; force integers;
  List.iter
    (fun make -> fill make; show (); Gc.major (); show (); Gc.full_major (); show ())
    [ (fun () -> Obj.repr (string_of_int 7)); (fun () -> Obj.repr (float 7));
      (fun () -> Obj.repr (Sys.opaque_identity 7)) ]
