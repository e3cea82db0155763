(* Int32, Int64 and Nativeint: arithmetic, shifts, division, conversion, parsing and formatting. *)
let guarded f =
  match f () with
  | v -> v
  | exception Division_by_zero -> "div0"
  | exception Failure m -> m

let () =
  let v32 = [ 0l; 1l; -1l; 12345l; Int32.max_int; Int32.min_int ] in
  List.iter
    (fun a ->
      List.iter
        (fun b ->
          let open Int32 in
          Printf.printf "%ld %ld %ld %s %s %ld %ld %d|" (add a b) (sub a b) (mul a b)
            (guarded (fun () -> to_string (div a b))) (guarded (fun () -> to_string (rem a b)))
            (logxor a b) (logand a b) (compare a b))
        v32;
      Printf.printf "%ld %ld %ld %ld\n" (Int32.shift_left a 5) (Int32.shift_right a 3)
        (Int32.shift_right_logical a 3) (Int32.lognot a))
    v32;
  let v64 = [ 0L; 1L; -1L; 1234567890123L; Int64.max_int; Int64.min_int ] in
  List.iter
    (fun a ->
      List.iter
        (fun b ->
          let open Int64 in
          Printf.printf "%Ld %Ld %Ld %s %s %Ld %d|" (add a b) (sub a b) (mul a b)
            (guarded (fun () -> to_string (div a b)))
            (guarded (fun () -> to_string (rem a b))) (logor a b) (unsigned_compare a b))
        v64;
      Printf.printf "%Ld %Ld %Ld %Lu %LX\n" (Int64.shift_left a 5) (Int64.shift_right a 3)
        (Int64.shift_right_logical a 60) a a)
    v64;
  let hash = ref 0xcbf29ce484222325L in
  String.iter
    (fun c -> hash := Int64.mul (Int64.logxor !hash (Int64.of_int (Char.code c))) 0x100000001b3L)
    "the quick brown fox";
  Printf.printf "%Lx\n" !hash;
  Printf.printf "%ld %ld %ld %ld\n" (Int32.of_int 0x1ffffffff) (Int32.of_float 3.99)
    (Int32.of_float (-1e20)) (Int32.of_float nan);
  Printf.printf "%Ld %Ld %Ld %d\n" (Int64.of_float 1e18) (Int64.of_float 1e30)
    (Int64.of_int min_int) (Int64.to_int Int64.max_int);
  Printf.printf "%g %g %h\n" (Int32.to_float (-5l)) (Int64.to_float Int64.max_int)
    (Int64.float_of_bits 0x3ff8000000000000L);
  Printf.printf "%Lx %lx %h\n" (Int64.bits_of_float (-2.5)) (Int32.bits_of_float 0.1)
    (Int32.float_of_bits 0x40490fdbl);
  Printf.printf "%nd %nd %nx\n" (Nativeint.add Nativeint.max_int 1n) (Nativeint.div 100n (-7n))
    (Nativeint.lognot 0n);
  Printf.printf "%Ld %ld %nd %d\n" (Int64.of_int32 (-7l)) (Int64.to_int32 0x1_0000_0005L)
    (Nativeint.of_int32 9l) Nativeint.size;
  List.iter
    (fun s ->
      Printf.printf "%s %s %s\n" (guarded (fun () -> Int32.to_string (Int32.of_string s)))
        (guarded (fun () -> Int64.to_string (Int64.of_string s)))
        (guarded (fun () -> Nativeint.to_string (Nativeint.of_string s))))
    [ "0"; "-12"; "0xff"; "0b101"; "2147483647"; "2147483648"; "-2147483648"; "-2147483649";
      "9223372036854775808"; "0xffffffffffffffff"; "0u4294967295"; "1_0"; ""; "x" ];
  Printf.printf "%Ld %Ld %Ld\n" (Int64.unsigned_div (-1L) 10L) (Int64.unsigned_rem (-1L) 10L)
    (Int64.abs (-5L));
  Printf.printf "%d %b %b\n" (Hashtbl.hash 5L) (1L = 1L) (1L == Sys.opaque_identity 2L)

(* Numbers that nobody looks at the boxes of: in variables, loops and branches. *)
let mix seed rounds =
  let x = ref seed and y = ref (Int64.to_int32 seed) and z = ref (Int64.to_nativeint seed) in
  for i = 1 to rounds do
    x := Int64.add (Int64.mul !x 6364136223846793005L) (Int64.of_int i);
    if Int64.compare !x 0L < 0 then y := Int32.add !y 0x7fffffffl
    else if !x = 5L then y := 0l
    else y := Int32.sub (Int32.shift_left !y 3) (Int64.to_int32 (Int64.shift_right_logical !x 40));
    z := Nativeint.logxor (Nativeint.of_int32 !y) (Nativeint.shift_right !z 1)
  done;
  Printf.printf "%Lx %lx %nx\n" !x !y !z

(* One variable, a parameter, of which the box comes from elsewhere in the first round. *)
let rec bits n count =
  if n = 0L then count else bits (Int64.logand n (Int64.sub n 1L)) (Int32.succ count)

(* A box escapes on one branch; where branches meet, there are boxes of two kinds. *)
let kept = ref []
let keep n =
  let square = Int64.mul n n in
  if Int64.rem n 3L = 0L then kept := square :: !kept;
  let sign : Obj.t = if n > 4L then Obj.repr square else Obj.repr (Int64.to_int32 square) in
  Obj.size sign + (if Obj.tag sign = Obj.custom_tag then Int64.to_int square else 0)

let divide a b =
  match (Int64.div a b, Int64.rem a b) with
  | q, r -> Printf.sprintf "%Ld %Ld" q r
  | exception Division_by_zero -> "div0"

let total = ref 0L
let sum_until limit =
  try
    for i = 1 to 1_000 do
      total := Int64.add !total (Int64.div 720720L (Int64.of_int (limit - i)))
    done
  with Division_by_zero -> ()

type cell = { mutable number : int64; small : int32 }

(* Polymorphic comparison of what compiled code knows to be a box, with anything. *)
let against (x : Obj.t) =
  let one = Obj.repr (Int64.add (Sys.opaque_identity 0L) 1L) in
  Printf.printf "%b %b %b %d %d|" (x = one) (one <> x) (x < one) (compare x one) (compare one x)

let () =
  mix 42L 1_000;
  mix (-1L) 7;
  Printf.printf "%ld %ld\n" (bits (-1L) 0l) (bits 0x8000_0000_0000_0001L 5l);
  List.iter (fun n -> Printf.printf "%d " (keep (Int64.of_int n))) [ 1; 2; 3; 4; 5; 6; 9 ];
  List.iter (Printf.printf "%Ld ") !kept;
  print_newline ();
  List.iter
    (fun (a, b) -> Printf.printf "%s|" (divide a b))
    [ (7L, 2L); (-7L, 2L); (7L, 0L); (Int64.min_int, -1L); (Int64.min_int, 1L); (0L, 0L) ];
  print_newline ();
  let small = [ 0l; -1l; 7l; Int32.min_int; Int32.max_int ] in
  List.iter
    (fun a ->
      List.iter
        (fun b ->
          let q = try Int32.div a b with Division_by_zero -> 99l in
          let r = try Int32.rem a b with Division_by_zero -> 99l in
          let n =
            Nativeint.div (Nativeint.of_int32 a)
              (Nativeint.succ (Nativeint.abs (Nativeint.of_int32 b))) in
          Printf.printf "%ld %ld %nd %b %b %b %d|" q r n (a = b) (a < b) (a >= b) (compare a b))
        small)
    small;
  print_newline ();
  sum_until 20;
  Printf.printf "%Ld\n" !total;
  let c = { number = 1L; small = Int32.of_int 3 } in
  let before = c.number in
  for _ = 1 to 40 do
    c.number <- Int64.mul c.number (Int64.of_int32 c.small)
  done;
  Printf.printf "%Ld %Ld %b %b\n" before c.number (before == c.number) (c.number == c.number);
  let a = Array.init 5 (fun i -> Int64.shift_left 1L (13 * i)) in
  let same = a.(2) in
  a.(3) <- Int64.neg a.(3);
  Printf.printf "%b %b %Ld\n" (same == a.(2)) (a.(2) == a.(3)) (Array.fold_left Int64.add 0L a);
  List.iter against
    [ Obj.repr 1; Obj.repr 1L; Obj.repr (Int64.of_int 2); Obj.repr 1.; Obj.repr 1l;
      Obj.repr "1"; Obj.repr (Some 1) ];
  print_newline ();
  Printf.printf "%h %Lx %h %lx %g %g\n"
    (Int64.float_of_bits (Int64.add (Int64.bits_of_float 1.) 1L))
    (Int64.bits_of_float (Int64.to_float 3L))
    (Int32.float_of_bits (Int32.add (Int32.bits_of_float 1.5) 1l))
    (Int32.bits_of_float (Int32.to_float (-2l))) (Nativeint.to_float (-9n))
    (Int64.to_float Int64.min_int);
  let adders = List.map (fun n -> let n = Int64.of_int n in fun m -> Int64.add n m) [ 1; 2; 3 ] in
  Printf.printf "%Ld\n" (List.fold_left (fun n add -> add n) 0L adders);
  let table = Hashtbl.create 7 in
  for i = 0 to 20 do
    let key = Int64.rem (Int64.of_int (i * i)) 7L in
    Hashtbl.replace table key
      (Int64.add key (Option.value (Hashtbl.find_opt table key) ~default:0L))
  done;
  List.iter (fun key -> Printf.printf "%Ld " (Hashtbl.find table key)) [ 0L; 1L; 2L; 4L ];
  print_newline ()
