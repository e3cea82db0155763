(* References that only one function sees, compiled as for a debugger: they are kept in stack slots,
   and so are numbers in them. *)

let sum_to n =
  let total = ref 0 in
  for i = 1 to n do total := !total + i done;
  !total

let collatz n =
  let n = ref n and steps = ref 0 in
  while !n <> 1 do
    n := if !n land 1 = 0 then !n / 2 else 3 * !n + 1;
    incr steps
  done;
  !steps

let mean numbers =
  let sum = ref 0.0 and count = ref 0 in
  Array.iter ignore numbers;
  for i = 0 to Array.length numbers - 1 do
    sum := !sum +. numbers.(i);
    incr count
  done;
  !sum /. float_of_int !count

let hash s =
  let h = ref 0xcbf29ce484222325L in
  for i = 0 to String.length s - 1 do
    h := Int64.mul (Int64.logxor !h (Int64.of_int (Char.code s.[i]))) 0x100000001b3L
  done;
  !h

(* What the handler sees was written before the exception. *)
let until_raised limit =
  let seen = ref 0 and last = ref "none" in
  (try
     while true do
       incr seen;
       last := string_of_int !seen;
       if !seen = limit then raise Exit
     done
   with Exit -> last := !last ^ "!");
  (!seen, !last)

let nested_handlers () =
  let depth = ref 0 in
  let rec go n = if n = 0 then failwith "end" else (go (n - 1)) + 1 in
  for i = 1 to 3 do
    try
      incr depth;
      (try ignore (go i) with Failure _ -> depth := !depth + 10; raise Not_found)
    with Not_found -> depth := !depth * 2
  done;
  !depth

(* These are seen by others. *)
let shared () =
  let a = ref 1 and b = ref 2 in
  let c = a in
  let add () = b := !b + !a in
  c := 10;
  add ();
  List.iter (fun x -> b := !b + x) [1; 2; 3];
  (!a, !b, a == c, a = ref 10)

let swap () =
  let a = ref 1 and b = ref 2 in
  for _ = 1 to 5 do
    let t = !a in
    a := !b;
    b := t
  done;
  (!a, !b)

let counted_as_argument () =
  let n = ref 0 in
  let unit_and_value () v = v in
  let first = unit_and_value (incr n) !n in
  let second = unit_and_value (decr n) 7 in
  (first, second, !n)

let many a b c d e f g h i j =
  let r = ref a and s = ref b in
  for k = 1 to 4 do
    incr r;
    s := !s + !r + c + d + e + f + g + h + i + j + k
  done;
  (!r, !s)

let option_as_reference x =
  let o = Some x in
  match o with Some y -> y + 1 | None -> 0

let polymorphic x y =
  let r = ref x in
  let before = !r in
  r := y;
  [before; !r]

let closures_made_in_a_loop () =
  let made = ref [] and n = ref 0 in
  while !n < 4 do
    let now = !n in
    made := (fun () -> now * now) :: !made;
    incr n
  done;
  List.map (fun f -> f ()) !made

let living_blocks () =
  let l = ref [] in
  for i = 1 to 20_000 do
    l := if i land 1023 = 0 then [] else string_of_int i :: !l
  done;
  List.length !l

(* In the program's own code. *)
let at_toplevel =
  let product = ref 1 in
  for i = 1 to 10 do product := !product * i done;
  !product

let () =
  let a, last = until_raised 5 in
  let swapped, with_ = swap () in
  let first, second, n = counted_as_argument () in
  let r, s = many 1 2 3 4 5 6 7 8 9 10 in
  let p, q, same, equal = shared () in
  Printf.printf "%d %d %.3f %Lx\n" (sum_to 1000) (collatz 97) (mean [| 1.5; 2.5; 3.25 |])
    (hash "camel");
  Printf.printf "%d %s %d\n" a last (nested_handlers ());
  Printf.printf "%d %d %b %b\n" p q same equal;
  Printf.printf "%d %d, %d %d %d, %d %d\n" swapped with_ first second n r s;
  Printf.printf "%d %s %s\n" (option_as_reference 4)
    (String.concat " " (polymorphic "a" "b"))
    (String.concat " " (List.map string_of_int (closures_made_in_a_loop ())));
  Printf.printf "%d %d\n" (living_blocks ()) at_toplevel
