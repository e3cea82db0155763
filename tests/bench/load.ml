(* allocation: Some fifty million allocations beside a live heap of 100 MB, parts of which are
   replaced. Arguments say otherwise: megabytes, millions of allocations. *)
type node = { mutable left : node list; key : int; name : string }
let () =
  let argument i default =
    if Array.length Sys.argv > i then int_of_string Sys.argv.(i) else default in
  let mb = argument 1 100 in
  let total = argument 2 50 * 1_000_000 in
  (* An entry takes a record (4 words), a string (2 words) and a word of the array. *)
  let n = mb * 1_000_000 / 56 in
  let live = Array.make n { left = []; key = 0; name = "" } in
  let make i = { left = [ live.(i * 7 mod n) ]; key = i; name = String.make 7 'x' } in
  for i = 0 to n - 1 do live.(i) <- make i; live.(i).left <- [] done;
  let sum = ref 0 in
  let rest = total / 5 in
  for i = 1 to rest do
    let l = [ i; i + 1 ] in
    (match l with [ a; b ] -> sum := !sum + a + b | _ -> ());
    if i land 15 = 0 then begin
      let k = i * 7919 mod n in
      let node = make k in
      node.left <- [];
      live.(k) <- node
    end else sum := !sum + List.length (List.map (fun x -> x + 1) [ i ])
  done;
  let keys = Array.fold_left (fun a x -> a + x.key) 0 live in
  Printf.printf "%d %d\n" !sum keys
