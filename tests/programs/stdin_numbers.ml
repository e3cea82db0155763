(* Scanf on stdin: a small table of numbers, statistics, a matrix product. *)
let read_matrix rows cols =
  Array.init rows (fun _ -> Array.init cols (fun _ -> Scanf.scanf " %d" Fun.id))

let () =
  let n = Scanf.scanf " %d" Fun.id in
  let xs = List.init n (fun _ -> Scanf.scanf " %f" Fun.id) in
  let mean = List.fold_left ( +. ) 0. xs /. float_of_int n in
  let var = List.fold_left (fun acc x -> acc +. ((x -. mean) ** 2.)) 0. xs /. float_of_int n in
  Printf.printf "%d values, mean %.4f, deviation %.4f\n" n mean (sqrt var);
  let rows, inner, cols = Scanf.scanf " %dx%dx%d" (fun a b c -> (a, b, c)) in
  let a = read_matrix rows inner in
  let b = read_matrix inner cols in
  for i = 0 to rows - 1 do
    for j = 0 to cols - 1 do
      let s = ref 0 in
      for k = 0 to inner - 1 do s := !s + (a.(i).(k) * b.(k).(j)) done;
      Printf.printf "%d " !s
    done;
    print_newline ()
  done;
  let names = Scanf.scanf " %s@;%s@\n" (fun a b -> (a, b)) in
  Printf.printf "%s / %s\n" (fst names) (snd names);
  (try Scanf.scanf " %d" (Printf.printf "%d\n")
   with Scanf.Scan_failure _ | Failure _ -> print_endline "not a number");
  (try Scanf.scanf "%s %s" (fun a b -> Printf.printf "%s|%s\n" a b)
   with End_of_file -> print_endline "eof");
  try Scanf.scanf " %d" (Printf.printf "%d\n") with End_of_file -> print_endline "end"
