(* An exception that was handled is not kept, where backtraces are not recorded: what it holds is
   collected. *)

exception Holds of int ref

let finalised = ref 0

let fresh () =
  let value = ref (Sys.opaque_identity 1) in
  Gc.finalise_last (fun () -> incr finalised) value;
  value

let handled_here () = try raise (Holds (fresh ())) with Holds _ -> ()
let handled_without_trace () = try raise_notrace (Holds (fresh ())) with Holds _ -> ()

let rec raise_deep n = if n = 0 then raise (Holds (fresh ())) else 1 + raise_deep (n - 1)
let handled_by_a_caller () = try ignore (raise_deep 10) with Holds _ -> ()
let of_a_function f = try f () with Holds _ -> ()

let raised_again () =
  try try ignore (raise_deep 3) with Holds r -> incr r; raise (Holds r)
  with Holds _ -> ()

let of_a_primitive () =
  let weak = Weak.create 1 in
  (try ignore (open_in "/no/such/file")
   with Sys_error text -> Weak.set weak 0 (Some text));
  Gc.full_major ();
  print_endline (if Weak.check weak 0 then "kept" else "let go")

let () =
  let check name handled =
    handled ();
    Gc.full_major ();
    Printf.printf "%s: %d\n" name !finalised
  in
  check "here" handled_here;
  check "without a trace" handled_without_trace;
  check "by a caller" handled_by_a_caller;
  check "of a function" (fun () -> of_a_function (fun () -> raise (Holds (fresh ()))));
  check "again" raised_again;
  check "in a sort" (fun () ->
    try ignore (List.sort (fun _ _ -> raise (Holds (fresh ()))) [ 1; 2 ]) with Holds _ -> ());
  of_a_primitive ()
