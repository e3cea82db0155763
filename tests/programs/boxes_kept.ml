(* The box of a number that others can find stays that box: in weak tables, in closures, in blocks,
   after it was handed through functions. *)
module Same = Weak.Make (struct
  type t = int64

  let equal = Int64.equal
  let hash = Hashtbl.hash
end)

module Values = Ephemeron.K1.Make (struct
  type t = int64

  let equal = Int64.equal
  let hash = Hashtbl.hash
end)

let next n = if Int64.rem n 2L = 0L then Int64.div n 2L else Int64.add (Int64.mul n 3L) 1L

let table = Same.create 100
let the n = Same.merge table n
let values = Values.create 100

let rec fill n =
  if not (Values.mem values n) then begin
    let after = the (next n) in
    Values.add values n after;
    fill after
  end

let kept = Array.init 60 (fun i -> the (Int64.of_int i))

let rec chain n count =
  let after = Values.find values n in
  if the (next n) != after then print_endline "not the same";
  if n = 1L then count else chain after (count + 1)

(* A parameter that is stored and returned. *)
let last = ref [ 0. ]

let remember x =
  last := [ x ];
  if x > 1e9 then x +. 1. else x

let rec remembered n x =
  if n = 0 then remember x
  else
    let y = remembered (n - 1) (x +. 1.) in
    if List.hd !last == y then y else nan

(* A result that is stored, and looked at by its address. *)
let cells = Weak.create 3

let rec sum n total = if n = 0 then total else sum (n - 1) (total +. float_of_int n)

let held =
  let x = sum 100 0. in
  Weak.set cells 0 (Some x);
  let f () = x in
  Weak.set cells 1 (Some (f ()));
  f

let () =
  Array.iter fill kept;
  Gc.full_major ();
  let lengths = Array.map (fun n -> if n = 0L then 0 else chain n 0) kept in
  Array.iter (Printf.printf "%d ") lengths;
  Printf.printf "\n%d\n" (Array.length kept);
  Printf.printf "%.1f\n" (remembered 10 0.5);
  Gc.full_major ();
  Printf.printf "%b %b\n" (Weak.check cells 0) (Weak.check cells 1);
  Printf.printf "%.1f\n" (held ())
