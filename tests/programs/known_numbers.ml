(* Numbers that a function captures or finds in a module, where loops begin with them. *)

let gravity = 9.81
let seed = 0x9E3779B97F4A7C15L
let small = 7l

let largest numbers =
  let best = ref neg_infinity and place = ref (-1) in
  Array.iteri
    (fun i x ->
      if x > !best then begin
        best := x;
        place := i
      end)
    numbers;
  (!best, !place)

let least_in numbers =
  let least = ref infinity in
  for i = 0 to Array.length numbers - 1 do
    if numbers.(i) < !least then least := numbers.(i)
  done;
  !least

let fall steps =
  let speed = ref gravity in
  for _ = 1 to steps do
    speed := (!speed *. 0.5) +. gravity
  done;
  !speed

let scramble rounds =
  let state = ref seed and other = ref small in
  for i = 1 to rounds do
    state := Int64.logxor !state (Int64.shift_left !state (i land 7));
    other := Int32.add !other (Int64.to_int32 !state)
  done;
  (!state, !other)

(* A captured variable that is a float here and nothing known there. *)
let adders = List.map (fun step -> fun x -> x +. step) [ 1.0; gravity; nan ]

module Physics = struct
  let limit = epsilon_float

  (* One that is there before the field is read as itself. *)
  let same = limit == limit
end

let converge x =
  let guess = ref x and step = ref Physics.limit and rounds = ref 0 in
  while !step > Physics.limit || !rounds = 0 do
    let next = 0.5 *. (!guess +. (x /. !guess)) in
    step := Float.abs (next -. !guess);
    guess := next;
    incr rounds
  done;
  (!guess, !rounds)

(* One that is handed on is shared as it was: a marshaled list shows that. *)
let bounded x = if x < 1.0 then infinity else x *. 2.0
let shared () = String.length (Marshal.to_string (List.map bounded [ 0.0; 0.5; 3.0; 0.1 ]) [])

let () =
  let numbers = Array.init 100 (fun i -> sin (Float.of_int (i * i))) in
  let best, place = largest numbers in
  Printf.printf "%.6f at %d, least %.6f\n" best place (least_in numbers);
  let best, place = largest [||] in
  Printf.printf "%f at %d, least %f\n" best place (least_in [||]);
  List.iter (fun n -> Printf.printf "%.6f " (fall n)) [ 0; 1; 2; 50 ];
  print_newline ();
  List.iter
    (fun n ->
      let a, b = scramble n in
      Printf.printf "%Lx %lx " a b)
    [ 0; 1; 100 ];
  print_newline ();
  List.iter (fun add -> Printf.printf "%.2f " (add 0.5)) adders;
  let guess, rounds = converge 2.0 in
  Printf.printf "%.10f %d %b\n" guess rounds Physics.same;
  Printf.printf "%d bytes\n" (shared ());
  let weak = Weak.create 1 in
  Weak.set weak 0 (Some gravity);
  ignore (fall 3);
  Gc.full_major ();
  print_endline (match Weak.get weak 0 with Some x -> string_of_float x | None -> "lost")
