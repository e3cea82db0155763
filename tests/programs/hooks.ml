(* Functions in fields that are written later, by ways that no analysis of the program may miss:
   what is called is what is there now. *)
type hook = { mutable run : int -> int; name : string }

let say name value = Printf.printf "%s %d\n" name value
let plus n x = x + n
let make name = { run = (fun x -> x); name }

let direct = make "direct"
let call_direct x = direct.run x
let () = direct.run <- plus 1; say "assigned" (call_direct 0)

let given = { run = succ; name = "given" }
let call_given x = given.run x
let set hook f = hook.run <- f
let () = say "before" (call_given 0); set given (plus 2); say "argument" (call_given 0)

let listed = { run = succ; name = "listed" }
let call_listed x = listed.run x
let () = List.iter (fun hook -> hook.run <- plus 3) [ listed ]; say "list" (call_listed 0)

let raw = { run = succ; name = "raw" }
let call_raw x = raw.run x
let () = Obj.set_field (Obj.repr raw) 0 (Obj.repr (plus 4)); say "Obj" (call_raw 0)

let table = Hashtbl.create 1
let tabled = { run = succ; name = "tabled" }
let call_tabled x = tabled.run x
let () =
  Hashtbl.add table "it" tabled;
  (Hashtbl.find table "it").run <- plus 5;
  say "table" (call_tabled 0)

exception Found of hook

let raised = { run = succ; name = "raised" }
let call_raised x = raised.run x
let () =
  (try raise (Found raised) with Found hook -> hook.run <- plus 6);
  say "raised" (call_raised 0)

let pair = ({ run = succ; name = "pair" }, 1)
let call_pair x = (fst pair).run x
let () = (let hook, _ = Sys.opaque_identity pair in hook.run <- plus 7); say "pair" (call_pair 0)

let array = [| succ; succ |]
let call_array x = array.(0) x + array.(1) x
let () =
  Array.fill array 0 1 (plus 8);
  Array.blit array 0 array 1 1;
  say "array" (call_array 0)

let reference = ref succ
let call_reference x = !reference x
let assign r f = r := f
let () = assign reference (plus 9); say "reference" (call_reference 0)

module type HOOK = sig val hook : hook val call : int -> int end

module Hook (X : sig val first : int -> int end) = struct
  let hook = { run = X.first; name = "functor" }
  let call x = hook.run x
end

module A = Hook (struct let first = succ end)
module B = Hook (struct let first = pred end)

let call_both x = (A.call x, B.call x, A.hook.run x, B.hook.run x)
let say_both name =
  let a, b, c, d = call_both 10 in
  Printf.printf "%s %d %d %d %d\n" name a b c d

let () =
  say_both "functors";
  A.hook.run <- plus 10;
  say_both "one";
  let (module M : HOOK) = if Sys.opaque_identity true then (module B) else (module A) in
  M.hook.run <- plus 11;
  say_both "both"

module rec Even : sig val is : int -> bool val hook : hook end = struct
  let is n = n = 0 || Odd.is (n - 1)
  let hook = { run = (fun n -> Bool.to_int (is n)); name = "even" }
end
and Odd : sig val is : int -> bool end = struct
  let is n = n <> 0 && Even.is (n - 1)
end

let call_even n = Even.hook.run n
let () = say "recursive" (call_even 10); Even.hook.run <- plus 12; say "recursive" (call_even 0)

class holder hook = object
  val mutable held = hook
  method hold hook = held <- hook
  method set f = held.run <- f
  method call x = held.run x
end

let held = { run = succ; name = "held" }
let holder = new holder (make "other")
let call_held x = held.run x
let () =
  holder#hold held;
  holder#set (plus 13);
  say "object" (call_held 0);
  say held.name (holder#call 1)

let suspended = lazy { run = succ; name = "lazy" }
let call_suspended x = (Lazy.force suspended).run x
let () = (Lazy.force suspended).run <- plus 14; say "lazy" (call_suspended 0)

let () =
  let f = ref succ in
  (try f := plus 15; raise Exit with Exit -> say "handler" (!f 0));
  let g = ref succ in
  (try (try g := plus 16; raise Exit with Not_found -> ()) with Exit -> say "outer" (!g 0));
  let h = ref succ in
  for i = 1 to 3 do
    try if i = 2 then begin h := plus (15 + i); raise Exit end with Exit -> say "round" (!h 0)
  done

let apply f x = f x
let twice f x = f (f x)
let () =
  say "first" (apply succ 1);
  say "second" (apply pred 1);
  say "partial" (apply (plus 18) 0);
  say "twice" (twice (twice (plus 1)) 0)

let called = ref 0
let finish f = called := f !called
let () =
  at_exit (fun () -> say "at exit" !called);
  List.iter finish [ plus 1; succ; plus 17 ];
  Printexc.register_printer (function Found hook -> Some hook.name | _ -> None);
  print_endline (Printexc.to_string (Found held))

let kept = { run = succ; name = "kept" }
let call_kept x = kept.run x
let () =
  let copy : hook = Marshal.from_string (Marshal.to_string kept [ Marshal.Closures ]) 0 in
  copy.run <- plus 100;
  say "copy" (copy.run 0);
  say "kept" (call_kept 0);
  let other = { kept with name = "with" } in
  other.run <- plus 20;
  say "with" (call_kept 0 + other.run 0)
