(* A float is handed to a function that collects, which anything can be given, and is used behind
   the call: its box was made for the call alone. *)

let junk = ref []
let allocate n = junk := [ float n; float n; float n; float n ]

(* Too long to be evaluated where it is called. *)
let keep value n =
  allocate n; allocate n; allocate n; allocate n; allocate n; allocate n; allocate n; allocate n;
  allocate n; allocate n; allocate n; allocate n; allocate n; allocate n; allocate n; allocate n;
  allocate n; allocate n; allocate n; allocate n; allocate n; allocate n; allocate n; allocate n;
  allocate n; allocate n; allocate n; allocate n; allocate n; allocate n; allocate n; allocate n;
  Gc.minor ();
  allocate 99; allocate 99; allocate 99; allocate 99;
  if n = 17 then print_int (Hashtbl.hash value)

let once a = let x = a +. 3.5 in keep x 1; x
let twice a = let x = a +. 3.5 in keep x 2; keep x 3; x
let both a = let x = a +. 3.5 and y = a *. 2. in keep x 4; keep y 5; (x, y)
let loop a =
  let x = ref a in
  for i = 1 to 3 do keep !x i; x := !x +. 0.25; keep !x i done;
  !x

let () =
  keep "" 1;
  let functions = Sys.opaque_identity [ once; twice; loop; fun a -> fst (both a) ] in
  List.iter
    (fun f -> List.iter (fun y -> Printf.printf "%.2f " (f y)) [ 1.; 2.; 3. ]; print_newline ())
    functions;
  let x, y = Sys.opaque_identity both 5. in
  Printf.printf "%.2f %.2f\n" x y
