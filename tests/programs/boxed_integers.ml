(* Int32, Int64 and Nativeint: arithmetic, shifts, division, conversion, parsing and formatting. *)
let guarded f = match f () with v -> v | exception Division_by_zero -> "div0" | exception Failure m -> m

let () =
  let v32 = [ 0l; 1l; -1l; 12345l; Int32.max_int; Int32.min_int ] in
  List.iter
    (fun a ->
      List.iter
        (fun b ->
          let open Int32 in
          Printf.printf "%ld %ld %ld %s %s %ld %ld %d|" (add a b) (sub a b) (mul a b)
            (guarded (fun () -> to_string (div a b))) (guarded (fun () -> to_string (rem a b))) (logxor a b) (logand a b) (compare a b))
        v32;
      Printf.printf "%ld %ld %ld %ld\n" (Int32.shift_left a 5) (Int32.shift_right a 3) (Int32.shift_right_logical a 3) (Int32.lognot a))
    v32;
  let v64 = [ 0L; 1L; -1L; 1234567890123L; Int64.max_int; Int64.min_int ] in
  List.iter
    (fun a ->
      List.iter
        (fun b ->
          let open Int64 in
          Printf.printf "%Ld %Ld %Ld %s %s %Ld %d|" (add a b) (sub a b) (mul a b) (guarded (fun () -> to_string (div a b)))
            (guarded (fun () -> to_string (rem a b))) (logor a b) (unsigned_compare a b))
        v64;
      Printf.printf "%Ld %Ld %Ld %Lu %LX\n" (Int64.shift_left a 5) (Int64.shift_right a 3) (Int64.shift_right_logical a 60) a a)
    v64;
  let hash = ref 0xcbf29ce484222325L in
  String.iter (fun c -> hash := Int64.mul (Int64.logxor !hash (Int64.of_int (Char.code c))) 0x100000001b3L) "the quick brown fox";
  Printf.printf "%Lx\n" !hash;
  Printf.printf "%ld %ld %ld %ld\n" (Int32.of_int 0x1ffffffff) (Int32.of_float 3.99) (Int32.of_float (-1e20)) (Int32.of_float nan);
  Printf.printf "%Ld %Ld %Ld %d\n" (Int64.of_float 1e18) (Int64.of_float 1e30) (Int64.of_int min_int) (Int64.to_int Int64.max_int);
  Printf.printf "%g %g %h\n" (Int32.to_float (-5l)) (Int64.to_float Int64.max_int) (Int64.float_of_bits 0x3ff8000000000000L);
  Printf.printf "%Lx %lx %h\n" (Int64.bits_of_float (-2.5)) (Int32.bits_of_float 0.1) (Int32.float_of_bits 0x40490fdbl);
  Printf.printf "%nd %nd %nx\n" (Nativeint.add Nativeint.max_int 1n) (Nativeint.div 100n (-7n)) (Nativeint.lognot 0n);
  Printf.printf "%Ld %ld %nd %d\n" (Int64.of_int32 (-7l)) (Int64.to_int32 0x1_0000_0005L) (Nativeint.of_int32 9l) Nativeint.size;
  List.iter
    (fun s ->
      Printf.printf "%s %s %s\n" (guarded (fun () -> Int32.to_string (Int32.of_string s)))
        (guarded (fun () -> Int64.to_string (Int64.of_string s))) (guarded (fun () -> Nativeint.to_string (Nativeint.of_string s))))
    [ "0"; "-12"; "0xff"; "0b101"; "2147483647"; "2147483648"; "-2147483648"; "-2147483649"; "9223372036854775808"; "0xffffffffffffffff"; "0u4294967295"; "1_0"; ""; "x" ];
  Printf.printf "%Ld %Ld %Ld\n" (Int64.unsigned_div (-1L) 10L) (Int64.unsigned_rem (-1L) 10L) (Int64.abs (-5L));
  Printf.printf "%d %b %b\n" (Hashtbl.hash 5L) (1L = 1L) (1L == Sys.opaque_identity 2L)
