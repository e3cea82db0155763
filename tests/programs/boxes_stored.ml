(* Boxes of numbers that exist already, or not yet, stored into blocks that are old: what is read
   after collections is what was stored. *)

type record = { name : string; mutable float : float; mutable long : int64 }
type floats = { mutable x : float; mutable y : float }

let reference = ref 1.
let record = { name = "record"; float = 1.; long = 1L }
let array = Array.make 3 (Some 1.)
let floats = { x = 1.; y = 2. }
let last = ref nan
let native = ref 0n
let longs = [| 1L; 2L; 3L |]

(* Nobody evaluates this before the program runs. *)
let size = Array.length Sys.argv + 999

let collect () =
  let kept = List.init size (fun i -> float_of_int i +. 0.5) in
  Gc.minor ();
  List.length (List.map (fun x -> x +. 1.) kept)

let show what =
  let n = collect () in
  Printf.printf "%s: %h %h %Ld %s %h %h %nd %Ld %d\n" what !reference record.float record.long
    (match array.(1) with Some x -> Printf.sprintf "%h" x | None -> "-")
    floats.x !last !native longs.(1) n

let literals () =
  reference := 2.5;
  record.float <- -0.;
  record.long <- 0x1234_5678_9abcL;
  array.(1) <- Some 3.25;
  floats.x <- 4.5;
  native := 7n;
  longs.(1) <- 77L

let parameters x n b =
  reference := x;
  if b then record.float <- x else record.float <- x +. 1.;
  record.long <- n;
  longs.(1) <- n;
  floats.x <- x

let rec rounds n x =
  if n > 0 then begin
    if n land 1 = 0 then last := x;
    if n land 3 = 0 then reference := x else reference := !last;
    rounds (n - 1) (x +. 1.)
  end

let fields other =
  reference := other.float;
  last := !reference;
  record.long <- other.long

let () =
  literals ();
  show "literals";
  (if size > 0 then record else { record with name = "" }).float <- 6.75;
  show "chosen";
  parameters 8.5 123_456_789_012L (size > 10);
  show "parameters";
  rounds 1000 0.25;
  show "rounds";
  let other = { name = "other"; float = Sys.opaque_identity 9.75; long = Int64.of_int size } in
  ignore (collect ());
  fields other;
  show "fields";
  for i = 1 to 20 do
    if i mod 3 = 0 then reference := 0. else reference := !reference +. float_of_int i;
    if i mod 5 = 0 then record.float <- !reference
  done;
  show "loop"
