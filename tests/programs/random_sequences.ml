(* Random: the same seed gives the same numbers as the reference. *)
let line f = print_endline (String.concat " " (List.init 10 f))

let shuffle a =
  for i = Array.length a - 1 downto 1 do
    let j = Random.int (i + 1) in
    let t = a.(i) in
    a.(i) <- a.(j);
    a.(j) <- t
  done

let () =
  line (fun _ -> string_of_int (Random.bits ()));
  Random.init 42;
  line (fun _ -> string_of_int (Random.int 1000));
  line (fun _ -> Printf.sprintf "%.15g" (Random.float 1.));
  line (fun _ -> string_of_bool (Random.bool ()));
  line (fun _ -> Int32.to_string (Random.int32 1_000_000l));
  line (fun _ -> Int64.to_string (Random.int64 1_000_000_000_000L));
  line (fun _ -> Nativeint.to_string (Random.nativeint 1_000_000_000_000n));
  Random.full_init [| 1; 2; 3 |];
  line (fun _ -> string_of_int (Random.int 0x3fffffff));
  let s = Random.State.make [| 7 |] in
  let t = Random.State.copy s in
  line (fun _ -> Printf.sprintf "%d/%d" (Random.State.int s 100) (Random.State.int t 100));
  line (fun _ -> string_of_int (Random.full_int (1 lsl 50)));
  let a = Array.init 20 Fun.id in
  shuffle a;
  print_endline (String.concat " " (Array.to_list (Array.map string_of_int a)));
  let saved = Random.get_state () in
  let x = Random.bits () in
  Random.set_state saved;
  Printf.printf "%b\n" (x = Random.bits ());
  try ignore (Random.int 0) with Invalid_argument m -> print_endline m
