(* Memory runs out in all ways that a program can bring about, again and again; each time it is
   caught, what it held is garbage, and the program goes on. With plenty of memory nothing here
   would end. *)
let caught what f =
  match f () with
  | () -> Printf.printf "%s: there is no end of memory\n%!" what
  | exception Out_of_memory -> Printf.printf "%s: Out_of_memory\n%!" what

let keep : Obj.t list ref = ref []

let rec small n = keep := Obj.repr (ref n) :: !keep; small (n + 1)
let rec not_kept_elsewhere list = not_kept_elsewhere (1 :: list)
let rec strings list = strings (Bytes.create 100_000 :: list)
let rec arrays inner = arrays (Obj.repr (Array.make 50_000 inner))
let rec growing array = growing (Array.append array array)
let rec floats list = floats (Float.Array.create 9_999 :: list)
let rec bigarrays list =
  bigarrays (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 1_000_000 :: list)
let rec closures f = closures (fun x -> f (x + 1))
let rec buffer b = Buffer.add_string b "some text that makes it longer and longer"; buffer b
let rec mapped list = mapped (List.rev_map (fun x -> x + 1) (List.rev_append list list))
let rec table t n = Hashtbl.add t n (string_of_int n); table t (n + 1)
let rec marshalled list data = marshalled (Marshal.from_string data 0 :: list) data

(* Twenty times as much as there is, but never at once. *)
let churn () =
  let live = ref [] in
  for i = 1 to 10_000 do
    live := Bytes.make 50_000 'x' :: (if i land 127 = 0 then [] else !live)
  done;
  for i = 1 to 1_000 do
    ignore (Bigarray.Array1.create Bigarray.float64 Bigarray.c_layout 100_000)
  done;
  for i = 1 to 10 do
    let list = List.init 100_000 (fun i -> i) in
    assert (List.length list = 100_000);
    ignore (Array.make (300_000 + i) 0)
  done;
  List.length !live

let () =
  for round = 1 to 2 do
    Printf.printf "round %d\n" round;
    caught "small blocks in a global" (fun () -> small 0);
    Printf.printf "many: %b\n" (List.length !keep > 100_000);
    keep := [];
    caught "small blocks" (fun () -> not_kept_elsewhere []);
    caught "strings" (fun () -> strings []);
    caught "arrays" (fun () -> arrays (Obj.repr 0));
    caught "an array" (fun () -> growing [| 1; 2; 3 |]);
    caught "float arrays" (fun () -> floats []);
    caught "bigarrays" (fun () -> bigarrays []);
    caught "closures" (fun () -> closures (fun x -> x));
    caught "a list" (fun () -> mapped [ 1 ]);
    caught "a hash table" (fun () -> table (Hashtbl.create 1) 0);
    caught "unmarshalling" (fun () ->
        marshalled [] (Marshal.to_string (Array.init 10_000 string_of_int) []));
    caught "too large" (fun () -> ignore (Array.make 100_000_000 0));
    (match buffer (Buffer.create 1) with
     | () -> ()
     | exception (Out_of_memory | Failure _) -> print_endline "a buffer: full");
    Printf.printf "%d\n%!" (churn ())
  done;
  Gc.full_major ();
  print_endline "done"
