(* Elements of bigarrays that are boxed integers: read and written in loops, kept, handed on, and
   where there are none. *)

open Bigarray

let n = 40

let mix (a : (int32, int32_elt, c_layout) Array1.t) =
  let h = ref 7l in
  for i = 1 to n - 1 do
    a.{i} <- Int32.add (Int32.mul a.{i} 31l) (Int32.logxor a.{i - 1} !h);
    h := Int32.sub !h (Int32.shift_right_logical a.{i} 3)
  done;
  !h

let mix64 (a : (int64, int64_elt, c_layout) Array2.t) =
  let h = ref 1L in
  for i = 0 to 4 do
    for j = 0 to 7 do
      a.{i, j} <- Int64.logor (Int64.shift_left a.{i, j} 7) (Int64.of_int (i * j));
      h := Int64.add (Int64.mul !h 1000003L) a.{i, j}
    done
  done;
  !h

let mix_native (a : (nativeint, nativeint_elt, c_layout) Array3.t) =
  let h = ref 0n in
  for i = 0 to 2 do
    for j = 0 to 2 do
      for k = 0 to 2 do
        a.{i, j, k} <- Nativeint.neg (Nativeint.add a.{i, j, k} (Nativeint.of_int (i + (j * k))));
        h := Nativeint.logxor (Nativeint.shift_left !h 1) a.{i, j, k}
      done
    done
  done;
  !h

(* The same code for both layouts: Fortran's is not done in place. *)
let sum get first last =
  let s = ref 0l in
  for i = first to last do
    s := Int32.add !s (get i)
  done;
  !s

let largest (a : (int32, int32_elt, c_layout) Array1.t) =
  let best = ref a.{0} in
  for i = 1 to n - 1 do
    if Int32.compare a.{i} !best > 0 then best := a.{i}
  done;
  !best

let at name f =
  match f () with
  | x -> Printf.printf "%s: %ld\n" name x
  | exception Invalid_argument what -> Printf.printf "%s: %s\n" name what

let () =
  let a = Array1.create int32 c_layout n in
  for i = 0 to n - 1 do
    a.{i} <- Int32.of_int (i * 0x7654321)
  done;
  for _ = 1 to 5 do
    Printf.printf "%lx %ld\n" (mix a) (largest a)
  done;
  let b = Array2.create int64 c_layout 5 8 in
  Array2.fill b 0x123456789abcdefL;
  Printf.printf "%Lx %Lx\n" (mix64 b) (mix64 b);
  let c = Array3.create nativeint c_layout 3 3 3 in
  Array3.fill c (-5n);
  Printf.printf "%nx %nx\n" (mix_native c) (mix_native c);
  let f = Array1.create int32 fortran_layout n in
  for i = 1 to n do
    f.{i} <- a.{i - 1}
  done;
  Printf.printf "%ld %ld\n" (sum (fun i -> a.{i}) 0 (n - 1)) (sum (fun i -> f.{i}) 1 n);
  let part = Array1.sub a 3 5 in
  part.{0} <- Int32.add part.{4} 1l;
  Printf.printf "%ld %ld\n" a.{3} (sum (Array1.get part) 0 4);
  let kept = List.init 5 (fun i -> a.{i * 7}) in
  List.iter (Printf.printf "%ld ") kept;
  print_newline ();
  at "below" (fun () -> Int32.add a.{-1} 1l);
  at "behind" (fun () -> Int32.add a.{n} 1l);
  at "last" (fun () -> Int32.add a.{n - 1} 1l);
  at "written" (fun () -> a.{n} <- Int32.add a.{0} 1l; 0l);
  at "of fortran's" (fun () -> f.{0} <- Int32.add f.{1} 1l; 0l)
