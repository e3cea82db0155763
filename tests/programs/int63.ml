(* 63-bit integers: wrap-around, shifts, division, conversions and their limits. *)
let values =
  [ 0; 1; -1; 7; -7; 62; 63; 1 lsl 31; -(1 lsl 31); max_int; min_int; max_int - 1;
    min_int + 1; 0x5555555555555555 ]

let guarded f a b = match f a b with n -> string_of_int n | exception Division_by_zero -> "div0"

let rec checksum n x =
  if n = 0 then x else checksum (n - 1) ((x * 2862933555777941757) + 3037000493)
let xorshift x = let x = x lxor (x lsl 13) in let x = x lxor (x lsr 7) in x lxor (x lsl 17)

let popcount x =
  let rec go x n = if x = 0 then n else go (x land (x - 1)) (n + 1) in
  go x 0

let () =
  List.iter
    (fun a ->
      List.iter
        (fun b ->
          Printf.printf "%d %d %d %s %s %d %d %d %d\n" (a + b) (a - b) (a * b) (guarded ( / ) a b)
            (guarded ( mod ) a b) (a land b) (a lor b) (a lxor b) (compare a b))
        [ 0; 1; -1; 3; max_int; min_int; 0x123456789abcdef ])
    values;
  List.iter
    (fun a ->
      for s = 0 to 62 do
        if s mod 9 = 0 || s = 62 then Printf.printf "%d:%x,%x,%d " s (a lsl s) (a lsr s) (a asr s)
      done;
      Printf.printf "| %d %d %d %d %d\n" (lnot a) (-a) (abs a) (succ a) (pred a))
    values;
  Printf.printf "%d %d\n" (checksum 1000 1)
    (List.fold_left (fun x _ -> xorshift x) 88172645463325252 (List.init 100 Fun.id));
  List.iter (fun v -> Printf.printf "%d " (popcount v)) values;
  print_newline ();
  Printf.printf "%x %o %X %u %i\n" (-1) (-1) max_int (-1) min_int;
  List.iter
    (fun s ->
      match int_of_string s with
      | n -> Printf.printf "%s=%d " s n
      | exception Failure m -> Printf.printf "%s:%s " s m)
    [ "0"; "-0"; "4611686018427387903"; "4611686018427387904"; "-4611686018427387904";
      "-4611686018427387905"; "0x7fffffffffffffff"; "0xffffffffffffffff"; "0b1010"; "0o777";
      "0u123"; "1_000_000"; "_1"; "1_"; ""; " 1"; "1 "; "+5"; "-0x10"; "12a"; "0x" ];
  print_newline ();
  Printf.printf "%d %d %b\n" (Sys.int_size) (max_int + 1) (min_int / -1 = min_int)
