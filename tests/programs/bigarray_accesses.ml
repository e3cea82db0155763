(* Accesses to bigarrays by the operators that compilers evaluate in line: each kind, both layouts,
   one to three dimensions, views, indices out of bounds, conversions of what is written, zeros and
   NaNs. *)
open Bigarray

let attempt name f =
  match f () with
  | () -> Printf.printf "%s: fine\n" name
  | exception Invalid_argument message -> Printf.printf "%s: %s\n" name message

(* Functions of known kinds: elements are used as floats or integers at once. *)

let sum1 (a : (float, float64_elt, c_layout) Array1.t) =
  let sum = ref 0. in
  for i = 0 to Array1.dim a - 1 do sum := !sum +. a.{i} done;
  !sum

let product (a : (float, float64_elt, c_layout) Array2.t)
    (b : (float, float64_elt, c_layout) Array2.t) =
  let n = Array2.dim1 a and m = Array2.dim2 b in
  let c = Array2.create float64 c_layout n m in
  for i = 0 to n - 1 do
    for j = 0 to m - 1 do
      let sum = ref 0. in
      for k = 0 to Array2.dim2 a - 1 do sum := !sum +. (a.{i, k} *. b.{k, j}) done;
      c.{i, j} <- !sum
    done
  done;
  c

let scale3 (a : (float, float64_elt, fortran_layout) Array3.t) x =
  for i = 1 to Array3.dim1 a do
    for j = 1 to Array3.dim2 a do
      for k = 1 to Array3.dim3 a do a.{i, j, k} <- a.{i, j, k} *. x done
    done
  done

let smooth (a : (float, float32_elt, c_layout) Array1.t) =
  for i = 1 to Array1.dim a - 2 do a.{i} <- (a.{i - 1} +. a.{i} +. a.{i + 1}) /. 3. done

let histogram (bytes : (int, int8_unsigned_elt, c_layout) Array1.t) =
  let counts = Array1.create int c_layout 256 in
  Array1.fill counts 0;
  for i = 0 to Array1.dim bytes - 1 do counts.{bytes.{i}} <- counts.{bytes.{i}} + 1 done;
  counts

let shift_chars (a : (char, int8_unsigned_elt, c_layout) Array2.t) n =
  for i = 0 to Array2.dim1 a - 1 do
    for j = 0 to Array2.dim2 a - 1 do a.{i, j} <- Char.unsafe_chr (Char.code a.{i, j} + n) done
  done

let show1 show a = String.concat " " (List.init (Array1.dim a) (fun i -> show a.{i}))

let () =
  let a = Array1.of_array float64 c_layout [| 0.5; 1.5; -0.25 |] in
  Printf.printf "%g\n" (sum1 a);
  let m = Array2.init float64 c_layout 3 4 (fun i j -> float_of_int ((i * 4) + j)) in
  let t = Array2.init float64 c_layout 4 2 (fun i j -> float_of_int (i - j)) in
  let p = product m t in
  Printf.printf "%g %g %g\n" p.{0, 0} p.{1, 1} p.{2, 0};
  let c =
    Array3.init float64 fortran_layout 2 3 4 (fun i j k ->
        float_of_int ((i * 100) + (j * 10) + k)) in
  scale3 c 2.;
  Printf.printf "%g %g %g\n" c.{1, 1, 1} c.{2, 3, 4} c.{2, 1, 3};
  let s = Array1.of_array float32 c_layout [| 0.1; 0.2; 0.4; 1e30; 0.3 |] in
  smooth s;
  print_endline (show1 (Printf.sprintf "%.9g") s);
  let h = histogram (Array1.of_array int8_unsigned c_layout [| 3; 255; 3; 0; 300 |]) in
  Printf.printf "%d %d %d %d\n" h.{0} h.{3} h.{44} h.{255};
  let text = Array2.init char c_layout 2 3 (fun i j -> "camels".[(i * 3) + j]) in
  shift_chars text 200;
  Printf.printf "%d %d\n" (Char.code text.{0, 0}) (Char.code text.{1, 2})

(* Each kind in each layout: what is read back of numbers that do not fit. *)

let integers = [ 0; 1; -1; 127; 128; 255; 256; 32767; 32768; 65535; 65536; max_int; min_int ]

let check_integers name (kind : (int, 'b) kind) =
  let c = Array1.create kind c_layout 4 and f = Array2.create kind fortran_layout 2 3 in
  let row = Array3.create kind c_layout 2 2 2 in
  let one n =
    c.{2} <- n;
    f.{2, 3} <- n;
    row.{1, 0, 1} <- n;
    if c.{2} <> f.{2, 3} || c.{2} + 1 <> row.{1, 0, 1} + 1 then print_string "different ";
    string_of_int (c.{2} + 0)
  in
  Printf.printf "%s: %s\n" name (String.concat " " (List.map one integers))

let () =
  check_integers "int8_signed" int8_signed;
  check_integers "int8_unsigned" int8_unsigned;
  check_integers "int16_signed" int16_signed;
  check_integers "int16_unsigned" int16_unsigned;
  check_integers "int" int

let floats =
  [ 0.; -0.; 1.5; 0.1; -1e300; 1e-320; infinity; neg_infinity; nan;
    Int64.float_of_bits 0xfff8_0000_0000_0123L ]

let check_floats name (kind : (float, 'b) kind) =
  let c = Array1.create kind c_layout 4 and f = Array2.create kind fortran_layout 2 3 in
  let one x =
    c.{3} <- x;
    f.{1, 2} <- c.{3};
    let bits y = Int64.bits_of_float y in
    if bits c.{3} <> bits f.{1, 2} then print_string "different ";
    Printf.sprintf "%Lx %.17g" (bits c.{3}) (1. /. c.{3})
  in
  Printf.printf "%s: %s\n" name (String.concat ", " (List.map one floats))

let () =
  check_floats "float64" float64;
  check_floats "float32" float32

let () =
  let a = Array1.create int32 c_layout 2 and b = Array1.create int64 fortran_layout 2 in
  let n = Array2.create nativeint c_layout 2 2 and z = Array1.create complex32 c_layout 2 in
  let w = Array3.create complex64 fortran_layout 1 2 1 in
  a.{1} <- Int32.min_int;
  b.{2} <- Int64.of_int32 a.{1};
  n.{1, 0} <- Int64.to_nativeint b.{2};
  z.{1} <- { Complex.re = 0.1; im = -0. };
  w.{1, 2, 1} <- Complex.mul z.{1} { Complex.re = 2.; im = 1. };
  Printf.printf "%ld %Ld %nd %g %g\n" (Int32.pred a.{1}) (Int64.neg b.{2}) n.{1, 0}
    w.{1, 2, 1}.re (1. /. z.{1}.im)

(* Out of bounds, in each dimension and direction; nothing is written then. *)

let read1 (a : (float, float64_elt, c_layout) Array1.t) i = a.{i} +. 1.
let write1 (a : (float, float64_elt, c_layout) Array1.t) i = a.{i} <- float_of_int i
let read2 (a : (int, int_elt, c_layout) Array2.t) i j = a.{i, j} + 1
let write2 (a : (int, int_elt, c_layout) Array2.t) i j = a.{i, j} <- i
let read3 (a : (float, float64_elt, c_layout) Array3.t) i j k = a.{i, j, k} < 1.
let write3 (a : (float, float64_elt, c_layout) Array3.t) i j k = a.{i, j, k} <- 1. +. float_of_int k
let read_fortran (a : (float, float64_elt, fortran_layout) Array2.t) i j = a.{i, j} +. 1.
let write_fortran (a : (float, float64_elt, fortran_layout) Array2.t) i j =
  a.{i, j} <- 1. +. float_of_int j
let read_byte (a : (char, int8_unsigned_elt, c_layout) Array1.t) i = a.{i}
let write_byte (a : (char, int8_unsigned_elt, c_layout) Array1.t) i = a.{i} <- 'x'

let () =
  let a1 = Array1.create float64 c_layout 3 and a2 = Array2.create int c_layout 2 3 in
  let a3 = Array3.create float64 c_layout 2 3 4 and f2 = Array2.create float64 fortran_layout 2 3 in
  let bytes = Array1.create char c_layout 5 and empty = Array1.create float64 c_layout 0 in
  Array1.fill a1 0.; Array2.fill a2 0; Array3.fill a3 0.; Array2.fill f2 0.; Array1.fill bytes 'a';
  List.iter
    (fun i ->
      let name = string_of_int i in
      attempt (name ^ " read1") (fun () -> ignore (read1 a1 i));
      attempt (name ^ " write1") (fun () -> write1 a1 i);
      attempt (name ^ " empty") (fun () -> write1 empty i);
      attempt (name ^ " read2") (fun () -> ignore (read2 a2 i 0));
      attempt (name ^ " read2'") (fun () -> ignore (read2 a2 0 i));
      attempt (name ^ " write2") (fun () -> write2 a2 i 2);
      attempt (name ^ " write2'") (fun () -> write2 a2 1 i);
      attempt (name ^ " read3") (fun () -> ignore (read3 a3 i 0 0));
      attempt (name ^ " read3'") (fun () -> ignore (read3 a3 0 i 0));
      attempt (name ^ " read3''") (fun () -> ignore (read3 a3 1 2 i));
      attempt (name ^ " write3") (fun () -> write3 a3 i 0 0);
      attempt (name ^ " write3'") (fun () -> write3 a3 1 i 3);
      attempt (name ^ " write3''") (fun () -> write3 a3 1 2 i);
      attempt (name ^ " fortran") (fun () -> ignore (read_fortran f2 i 1));
      attempt (name ^ " fortran'") (fun () -> write_fortran f2 1 i);
      attempt (name ^ " byte") (fun () -> ignore (read_byte bytes i));
      attempt (name ^ " byte'") (fun () -> write_byte bytes i))
    [ -1; 0; 1; 2; 3; 4; 5; max_int; min_int; 1 lsl 32; (1 lsl 61) + 1 ];
  let total = ref 0. in
  for i = 0 to 1 do
    for j = 0 to 2 do
      for k = 0 to 3 do
        total := !total +. a3.{i, j, k}
      done
    done
  done;
  Printf.printf "%s, %d %d %d, %g, %g %g, %s\n" (show1 string_of_float a1)
    a2.{0, 2} a2.{1, 0} a2.{1, 2} !total f2.{1, 1} f2.{2, 3}
    (show1 (String.make 1) bytes)

(* Views share their elements. *)

let () =
  let m = Array2.init float64 c_layout 4 5 (fun i j -> float_of_int ((10 * i) + j)) in
  let row = Array2.slice_left m 2 and rows = Array2.sub_left m 1 2 in
  row.{4} <- -0.;
  rows.{0, 0} <- rows.{0, 0} +. row.{1};
  Printf.printf "%g %g %g\n" (1. /. m.{2, 4}) m.{1, 0} (sum1 row);
  let flat = reshape_1 (genarray_of_array2 m) 20 in
  flat.{7} <- flat.{7} *. 2.;
  Printf.printf "%g %g\n" m.{1, 2} (sum1 (Array1.sub flat 5 5));
  attempt "row" (fun () -> ignore (read1 row 5));
  attempt "rows" (fun () -> rows.{2, 0} <- 1.);
  let turned = Array2.change_layout m fortran_layout in
  Printf.printf "%g %g\n" (read_fortran turned 1 2) (read_fortran turned 5 4);
  attempt "turned" (fun () -> ignore (read_fortran turned 5 5));
  let f = Array3.init int fortran_layout 2 3 4 (fun i j k -> (100 * i) + (10 * j) + k) in
  let plane = Array3.slice_right_2 f 4 in
  Printf.printf "%d %d %d %d\n" (plane.{1, 3} + 0)
    (Array2.dim1 plane) (Array2.dim2 plane) (Array3.dim3 f)

(* Kinds that are not known where elements are accessed, and found out by a match. *)

let describe : type a b. (a, b) kind -> (a, b, c_layout) Array1.t -> string =
 fun kind a ->
  let x = a.{0} in
  let y = a.{1} in
  match kind with
  | Float64 -> string_of_float (x +. y)
  | Float32 -> string_of_float (x -. y)
  | Int -> string_of_int (x + y)
  | Int8_signed -> string_of_int (x * y)
  | Char -> Printf.sprintf "%c%c" x y
  | Int32 -> Int32.to_string (Int32.add x y)
  | _ -> "other"

let fill : type a b. (a, b) kind -> (a, b, c_layout) Array1.t -> a -> unit =
 fun _ a x -> for i = 0 to Array1.dim a - 1 do a.{i} <- x done

let () =
  let show kind x =
    let a = Array1.create kind c_layout 2 in
    fill kind a x;
    a.{1} <- a.{0};
    print_endline (describe kind a)
  in
  show float64 1.25; show float32 0.1; show int (-7); show int8_signed 200; show char 'q';
  show int32 5l; show int64 6L; show complex32 Complex.one

(* One function for arrays of several kinds, a loop that goes on after exceptions. *)

let mixed (x : (float, float64_elt, c_layout) Array1.t)
    (y : (float, float32_elt, c_layout) Array1.t)
    (n : (int, int16_signed_elt, c_layout) Array1.t) =
  let outside = ref 0 and sum = ref 0. in
  for i = -2 to 6 do
    try
      y.{i} <- x.{i} *. 1.1;
      n.{i} <- n.{i} + (i * 20000);
      sum := !sum +. y.{i} +. float_of_int n.{i}
    with Invalid_argument _ -> incr outside
  done;
  (!outside, !sum)

let () =
  let x = Array1.of_array float64 c_layout [| 1.; 2.; 3.; 4. |] in
  let y = Array1.create float32 c_layout 5
  and n = Array1.of_array int16_signed c_layout [| 1; 2; 3 |] in
  Array1.fill y 0.;
  for _ = 1 to 3 do
    let outside, sum = mixed x y n in
    Printf.printf "%d %.9g\n" outside sum
  done

(* Fortran's layout and small integers where the kind is known: one to three dimensions, indices
   out of bounds in each, kinds that only a view tells apart. *)

let turn1 (a : (float, float32_elt, fortran_layout) Array1.t) =
  for i = Array1.dim a downto 2 do a.{i} <- a.{i} -. (0.3 *. a.{i - 1}) done

let turn2 (a : (int, int_elt, fortran_layout) Array2.t) =
  for j = 1 to Array2.dim2 a do
    for i = 1 to Array2.dim1 a do a.{i, j} <- (a.{i, j} * 10) + i + j done
  done

let turn3 (a : (float, float32_elt, fortran_layout) Array3.t) =
  for k = 2 to Array3.dim3 a - 1 do
    for j = 1 to Array3.dim2 a do
      for i = 1 to Array3.dim1 a do
        a.{i, j, k} <- (a.{i, j, k - 1} *. 0.7) +. a.{i, j, k + 1}
      done
    done
  done

let mix (s : (int, int8_signed_elt, c_layout) Array1.t)
    (p : (int, int16_signed_elt, c_layout) Array2.t)
    (u : (int, int16_unsigned_elt, fortran_layout) Array3.t)
    (b : (int, int8_unsigned_elt, fortran_layout) Array1.t)
    (c : (char, int8_unsigned_elt, fortran_layout) Array1.t)
    (t : (int, int8_signed_elt, fortran_layout) Array2.t) =
  let sum = ref 0 in
  for i = 0 to Array1.dim s - 1 do
    s.{i} <- s.{i} * 3;
    p.{1, i} <- (s.{i} * 1000) + p.{0, i};
    u.{1, i + 1, 2} <- p.{1, i} - u.{2, i + 1, 1};
    b.{i + 1} <- u.{1, i + 1, 2} + b.{i + 1};
    c.{i + 1} <- Char.unsafe_chr (Char.code c.{i + 1} + b.{i + 1});
    t.{i + 1, 2} <- b.{i + 1} - t.{i + 1, 1};
    sum := (!sum * 7) + s.{i} + p.{1, i} + u.{1, i + 1, 2} + t.{i + 1, 2}
  done;
  !sum

let wide (a : (int32, int32_elt, fortran_layout) Array1.t)
    (b : (int64, int64_elt, fortran_layout) Array2.t)
    (c : (nativeint, nativeint_elt, fortran_layout) Array3.t) =
  for i = 1 to Array1.dim a do
    a.{i} <- Int32.mul (Int32.add a.{i} 7l) 0x12345l;
    b.{2, i} <- Int64.logxor (Int64.of_int32 a.{i}) (Int64.shift_left b.{1, i} 33);
    c.{i, 1, 2} <- Nativeint.add (Int64.to_nativeint b.{2, i}) c.{i, 2, 1}
  done

let get_f (a : (float, float64_elt, fortran_layout) Array3.t) i j k = a.{i, j, k} +. 1.
let set_f (a : (float, float64_elt, fortran_layout) Array3.t) i j k = a.{i, j, k} <- 9. +. float i
let get_i (a : (int, int_elt, fortran_layout) Array3.t) i j k = a.{i, j, k} + 1
let set_i (a : (int, int_elt, fortran_layout) Array3.t) i j k = a.{i, j, k} <- i
let get_s (a : (int, int16_signed_elt, c_layout) Array2.t) i j = a.{i, j} + 1
let set_s (a : (int, int16_signed_elt, c_layout) Array2.t) i j = a.{i, j} <- i
let get_l (a : (int64, int64_elt, fortran_layout) Array2.t) i j = Int64.succ a.{i, j}
let set_l (a : (int64, int64_elt, fortran_layout) Array2.t) i j = a.{i, j} <- Int64.of_int i

let () =
  let a = Array1.init float32 fortran_layout 6 (fun i -> float_of_int i /. 3.) in
  turn1 a;
  print_endline (show1 (Printf.sprintf "%.9g") (Array1.change_layout a c_layout));
  let b = Array2.init int fortran_layout 2 3 (fun i j -> (i * 3) - j) in
  turn2 b;
  let turned = Array2.change_layout b c_layout in
  Printf.printf "%d %d %d %d\n" b.{1, 1} b.{2, 3} turned.{2, 0} turned.{0, 1};
  let c = Array3.init float32 fortran_layout 2 3 4 (fun i j k -> float_of_int ((i * j) + k)) in
  turn3 c;
  Printf.printf "%.9g %.9g %.9g\n" c.{2, 3, 3} c.{1, 2, 2} c.{2, 1, 3};
  let s = Array1.init int8_signed c_layout 4 (fun i -> (i * 50) - 60) in
  let p = Array2.init int16_signed c_layout 2 4 (fun i j -> (i * 20000) + (j * 9000)) in
  let u = Array3.init int16_unsigned fortran_layout 2 4 2 (fun i j k -> (i * j * k * 9999) + 7) in
  let bytes = Array1.init int8_unsigned fortran_layout 4 (fun i -> i * 60) in
  let chars = Array1.init char fortran_layout 4 (fun i -> Char.chr (i * 60)) in
  let t = Array2.init int8_signed fortran_layout 4 2 (fun i j -> (i * 40) - (j * 90)) in
  for _ = 1 to 3 do Printf.printf "%d " (mix s p u bytes chars t) done;
  Printf.printf "%d %d %d\n" t.{3, 2} u.{1, 4, 2} (Char.code chars.{4});
  let l = Array2.init int64 fortran_layout 2 3 (fun i j -> Int64.of_int ((i * 1000) - j)) in
  let w = Array1.init int32 fortran_layout 3 (fun i -> Int32.of_int (i * 0x7654321)) in
  let n = Array3.init nativeint fortran_layout 3 2 2 (fun i j k -> Nativeint.of_int (i - j + k)) in
  for _ = 1 to 2 do wide w l n done;
  Printf.printf "%ld %Ld %nd\n" w.{3} l.{2, 2} n.{3, 1, 2};
  let f = Array3.create float64 fortran_layout 2 3 4 in
  let g = Array3.create int fortran_layout 2 3 4 in
  Array3.fill f 0.; Array3.fill g 0;
  List.iter
    (fun i ->
      let name = Printf.sprintf "%d in Fortran" i in
      attempt (name ^ " get") (fun () -> ignore (get_f f i 1 1));
      attempt (name ^ " get'") (fun () -> ignore (get_f f 1 i 1));
      attempt (name ^ " get''") (fun () -> ignore (get_f f 1 1 i));
      attempt (name ^ " set") (fun () -> set_f f i 3 4);
      attempt (name ^ " set'") (fun () -> set_f f 2 i 4);
      attempt (name ^ " set''") (fun () -> set_f f 2 3 i);
      attempt (name ^ " integer") (fun () ->
          ignore (get_i g i 1 1 + get_i g 1 i 1 + get_i g 1 1 i));
      attempt (name ^ " integer'") (fun () -> set_i g i 1 1; set_i g 1 i 1; set_i g 1 1 i);
      attempt (name ^ " pair") (fun () -> ignore (get_s p i 0 + get_s p 0 i));
      attempt (name ^ " pair'") (fun () -> set_s p 1 i; set_s p i 1);
      attempt (name ^ " wide") (fun () -> ignore (get_l l i 1, get_l l 1 i));
      attempt (name ^ " wide'") (fun () -> set_l l 1 i; set_l l i 1))
    [ -1; 0; 1; 2; 3; 4; 5; max_int; min_int; 1 lsl 32; (1 lsl 61) + 1 ];
  let all = Array.to_list (Array.init 24 Fun.id) in
  let at a i = a.{(i mod 2) + 1, (i / 2 mod 3) + 1, (i / 6) + 1} in
  print_endline (String.concat " " (List.map (fun i -> string_of_float (at f i)) all));
  print_endline (String.concat " " (List.map (fun i -> string_of_int (at g i)) all));
  Printf.printf "%d %d %Ld %Ld\n" p.{1, 1} p.{1, 0} l.{1, 1} l.{2, 1}
