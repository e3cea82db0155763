(* Random nestings of calls of every kind around something that raises: each backtrace is
   printed. *)
exception Leaf of int
exception Other of string

let seed = ref 20211
let random n =
  seed := (!seed * 1103515245 + 12345) land 0x3fffffff;
  (!seed lsr 12) mod n

class virtual walker = object (self)
  method virtual go : int -> int
  method step d = 1 + self#go d
  method last d = self#go d
end

module Around (X : sig val go : int -> int end) = struct
  let before d = let r = X.go d in r + 1
  let after d = X.go d
end

let two a b = a + b
let three a b c = a + b + c
let five a b c d e = a + b * c - d + e
let nine a b c d e f g h i = a + b + c + d + e + f + g + h + i
let table : (int, int) Hashtbl.t = Hashtbl.create 7
let sorts = [| 5; 3; 8; 1 |]
let show_stack = ref false

let leaf d =
  if !show_stack && d land 1 = 0 then
    print_string (Printexc.raw_backtrace_to_string (Printexc.get_callstack (3 + random 40)));
  match random 17 with
  | 0 -> raise (Leaf d)
  | 1 -> Hashtbl.find table d
  | 2 -> List.assoc d []
  | 3 -> int_of_string "x"
  | 4 -> sorts.(9 + d)
  | 5 -> d / (d - d)
  | 6 -> d mod (d - d) + 1
  | 7 -> assert (d < 0); 0
  | 8 -> (match d - d with 1 -> 2 | n when n > 0 -> 3 | _ -> failwith "leaf")
  | 9 -> compare (fun x -> x) (fun x -> x + d)
  | 10 -> invalid_arg "leaf"
  | 11 -> String.length (String.sub "abc" 2 5)
  | 12 -> raise_notrace (Leaf d)
  | 13 -> Char.code "abc".[d + 5]
  | 14 -> Hashtbl.hash (Bytes.get (Bytes.create 2) 3)
  | 15 -> Option.get None
  | _ -> Fun.protect ~finally:(fun () -> if d land 1 = 0 then raise Exit) (fun () -> raise (Leaf d))

let rec go d =
  if d <= 0 then leaf d else
  match random 34 with
  | 0 -> go (d - 1)
  | 1 -> 1 + go (d - 1)
  | 2 -> two (go (d - 1)) (random 3)
  | 3 -> two (random 3) (go (d - 1))
  | 4 -> five 1 (go (d - 1)) (random 3) 4 5
  | 5 -> five (random 2) (five 1 2 3 (go (d - 1)) 5) 3 4 5
  | 6 -> nine 1 2 3 (go (d - 1)) 5 6 7 8 9
  | 7 -> nine 1 (five 1 (nine 1 2 3 4 5 6 7 8 (go (d - 1))) 3 4 5) 3 4 5 6 7 8 9
  | 8 -> pass9 1 2 3 4 5 6 7 8 d
  | 9 -> 1 + pass9 1 2 3 4 5 6 7 8 d
  | 10 -> (try go (d - 1) with Leaf 1000 -> 0)
  | 11 -> (try go (d - 1) with e -> raise e)
  | 12 -> (try go (d - 1) with Leaf _ -> raise (Other "handler"))
  | 13 -> (try go (d - 1) with e -> ignore (try go (d - 2) with _ -> 0); raise e)
  | 14 -> (try go (d - 1) with e -> raise_notrace e)
  | 15 -> (try go (d - 1) with e ->
      let bt = Printexc.get_raw_backtrace () in
      ignore (try go (d - 2) with _ -> 0);
      Printexc.raise_with_backtrace e bt)
  | 16 -> (match go (d - 1) with n -> n + 1 | exception Not_found -> go (d - 1))
  | 17 -> List.fold_left (fun a x -> a + x + go (d - 1)) 0 [1; 2]
  | 18 -> Array.length (Array.map (fun _ -> go (d - 1)) sorts)
  | 19 -> List.length (List.sort (fun _ _ -> go (d - 1)) [1; 2; 3])
  | 20 -> let r = ref 0 in Array.iter (fun x -> r := !r + go (d - x)) sorts; !r
  | 21 -> Lazy.force (lazy (go (d - 1)))
  | 22 -> let l = lazy (1 + go (d - 1)) in (try Lazy.force l with _ -> Lazy.force l)
  | 23 -> let f = three 1 (random 4) in f (go (d - 1))
  | 24 -> partial (random 3) (d - 1)
  | 25 -> (over (d - 1)) 1 2
  | 26 -> 1 + over (d - 1) 1 2
  | 27 -> late 1 2 (d - 1)
  | 28 -> (object inherit walker method go n = go n end)#step (d - 1)
  | 29 -> (object inherit walker method go n = two 1 (go n) end)#last (d - 1)
  | 30 -> let module M = Around (struct let go = go end) in M.before (d - 1)
  | 31 -> let module M = Around (struct let go = go end) in M.after (d - 1)
  | 32 -> five 1 2 (try five 1 (go (d - 1)) 3 4 5 with Leaf 77 -> 3) 4 5
  | _ -> Fun.protect ~finally:(fun () -> ignore (random 2)) (fun () -> go (d - 1))

and pass9 a b c d e f g h i = if a > 5 then 0 else go (i - 1)
and partial k = if k = 0 then (fun d -> go d) else fun d -> k + go d
and over d = if d land 1 = 0 then fun a b -> a + b + go d else let n = go d in fun a b -> a + b + n
and late a = let x = a + 1 in fun b c -> x + b + go c

let () =
  for i = 1 to 160 do
    show_stack := i mod 8 = 0;
    (match go (1 + i mod 14) with
     | n -> Printf.printf "%d: %d\n" i n
     | exception e ->
       Printf.printf "%d: %s\n%s" i (Printexc.to_string e) (Printexc.get_backtrace ()));
    if i mod 40 = 0 then Printexc.record_backtrace (not (Printexc.backtrace_status ()))
  done;
  Printexc.record_backtrace true;
  let rec deep n = 1 + (if n = 0 then leaf 1 else deep (n - 1)) in
  (try ignore (deep 1500) with _ ->
    let bt = Printexc.get_raw_backtrace () in
    Printf.printf "%d\n" (Printexc.raw_backtrace_length bt));
  let rec endless n = 1 + endless (n + 1) in
  (try ignore (endless 0) with e ->
    let bt = Printexc.get_raw_backtrace () in
    Printf.printf "%s %d\n" (Printexc.to_string e) (Printexc.raw_backtrace_length bt);
    match Printexc.backtrace_slots bt with
    | Some slots ->
      Array.iteri (fun i slot -> if i < 3 then
        Option.iter print_endline (Printexc.Slot.format i slot)) slots
    | None -> print_endline "none")
