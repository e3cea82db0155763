(* There is no memory for a nursery: that is an exception, and the program goes on. *)

let rec build length list = if length = 0 then list else build (length - 1) (length :: list)

let () =
  let before = (Gc.get ()).Gc.minor_heap_size in
  for bits = 20 to 40 do
    match Gc.set { (Gc.get ()) with Gc.minor_heap_size = 1 lsl bits } with
    | () -> ()
    | exception Out_of_memory -> if bits = 28 then print_endline "full"
  done;
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = before };
  print_int (List.length (build 300_000 []))
