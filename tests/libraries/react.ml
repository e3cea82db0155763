(* Events and signals. *)
open React
let () =
  let e, send = E.create () in
  let doubled = E.map (fun x -> x * 2) e in
  let sum = S.fold ( + ) 0 e in
  let big = S.map ~eq:( = ) (fun s -> s > 10) sum in
  let log = E.map (Printf.printf "event %d\n") doubled in
  let watch = S.map (Printf.printf "big %b\n") big in
  let both = S.l2 (fun a b -> Printf.sprintf "%d %b" a b) sum big in
  let shown = S.map print_endline both in
  List.iter send [ 3; 4; 5; -20 ];
  let x, set = S.create 1 in
  let y = S.l2 ( + ) x sum in
  Printf.printf "%d\n" (S.value y);
  let step = Step.create () in
  set ~step 100;
  send ~step 7;
  Step.execute step;
  Printf.printf "%d\n" (S.value y);
  let switched = S.switch (S.map ~eq:( == ) (fun b -> if b then x else sum) big) in
  set 5; send 50;
  Printf.printf "%d\n" (S.value switched);
  let acc = E.accum (E.map (fun n l -> n :: l) e) [] in
  let last = S.hold [] acc in
  List.iter send [ 1; 2 ];
  Printf.printf "%s\n" (String.concat "," (List.map string_of_int (S.value last)));
  E.stop log; S.stop watch; S.stop shown;
  send 1
