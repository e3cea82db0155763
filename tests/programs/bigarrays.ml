(* Bigarray: kinds, layouts, slices, blits, conversions of each element type, comparison. *)
open Bigarray

let show1 f a = String.concat " " (List.init (Array1.dim a) (fun i -> f a.{i}))
let attempt f = try ignore (f ()); print_endline "ok" with Invalid_argument m -> print_endline m

let () =
  let a = Array1.of_array float64 c_layout [| 1.5; 2.5; 3.5 |] in
  a.{1} <- a.{0} +. a.{2};
  print_endline (show1 string_of_float a);
  let b = Array1.create int8_signed c_layout 4 and c = Array1.create int8_unsigned c_layout 4 in
  List.iteri (fun i v -> b.{i} <- v; c.{i} <- v) [ 127; 128; -1; 300 ];
  Printf.printf "%s | %s\n" (show1 string_of_int b) (show1 string_of_int c);
  let d = Array1.create int16_signed c_layout 3 and e = Array1.create int16_unsigned c_layout 3 in
  List.iteri (fun i v -> d.{i} <- v; e.{i} <- v) [ 32768; -1; 70000 ];
  Printf.printf "%s | %s\n" (show1 string_of_int d) (show1 string_of_int e);
  let f = Array1.of_array int32 c_layout [| 1l; -1l; Int32.max_int |] in
  let g = Array1.of_array int64 c_layout [| 1L; -1L; Int64.min_int |] in
  let h = Array1.of_array nativeint c_layout [| 5n; -6n |]
  and i = Array1.of_array int c_layout [| max_int; -3 |] in
  Printf.printf "%s | %s | %s | %s\n" (show1 Int32.to_string f) (show1 Int64.to_string g)
    (show1 Nativeint.to_string h) (show1 string_of_int i);
  let s = Array1.of_array float32 c_layout [| 0.1; 1e10; 3. |] in
  print_endline (show1 (Printf.sprintf "%.9g") s);
  let ch = Array1.of_array char c_layout [| 'x'; 'y' |] in
  ch.{0} <- 'z';
  print_endline (show1 (String.make 1) ch);
  let cx = Array1.create complex64 c_layout 2 in
  Array1.fill cx { Complex.re = 1.; im = -2. };
  Printf.printf "%g %g\n" cx.{1}.Complex.re cx.{1}.Complex.im;
  let m = Array2.init int c_layout 3 4 (fun i j -> (10 * i) + j) in
  let row = Array2.slice_left m 1 in
  row.{2} <- 99;
  Printf.printf "%d %d %d %d\n" m.{1, 2} (Array2.dim1 m) (Array2.dim2 m) (Array1.dim row);
  let sub = Array2.sub_left m 1 2 in
  Printf.printf "%d %d\n" sub.{0, 2} sub.{1, 3};
  let fm = Array2.init float64 fortran_layout 2 3 (fun i j -> float_of_int ((i * 10) + j)) in
  let col = Array2.slice_right fm 2 in
  Printf.printf "%g %g %g\n" fm.{2, 3} col.{1} col.{2};
  let g3 = Array3.create int32 c_layout 2 2 2 in
  Array3.fill g3 7l;
  g3.{1, 0, 1} <- 8l;
  Printf.printf "%ld %ld\n" g3.{1, 0, 1} g3.{0, 1, 0};
  let gen = genarray_of_array2 m in
  Printf.printf "%d %d %d\n" (Genarray.num_dims gen) (Genarray.nth_dim gen 1)
    (Genarray.get gen [| 2; 3 |]);
  let flat = reshape_1 gen 12 in
  print_endline (show1 string_of_int flat);
  let copy = Array1.create int c_layout 12 in
  Array1.blit flat copy;
  copy.{0} <- 5;
  Printf.printf "%b %d %d\n" (copy = flat) (compare copy flat) (compare flat copy);
  Printf.printf "%d %d\n" (Array1.size_in_bytes s) (Array2.size_in_bytes fm);
  attempt (fun () -> a.{3});
  attempt (fun () -> m.{0, 4});
  attempt (fun () -> fm.{0, 1});
  attempt (fun () -> Array1.sub a 2 5);
  attempt (fun () -> reshape_1 gen 11);
  attempt (fun () -> Array1.create int c_layout (-1));
  let total = ref 0. in
  let big = Array1.create float64 c_layout 1000 in
  for i = 0 to 999 do big.{i} <- float_of_int i done;
  for i = 0 to 999 do total := !total +. big.{i} done;
  Printf.printf "%g\n" !total

(* A slice without indices of an array without elements. *)
let () =
  let g = Genarray.create Int C_layout [| 3; 0 |] in
  match Genarray.slice_left g [||] with
  | _ -> print_endline "a view"
  | exception Invalid_argument message -> print_endline message
