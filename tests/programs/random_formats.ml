(* Random conversion specifications on random numbers: integers of each type, floats in decimal and
   in hexadecimal. *)
external format_float : string -> float -> string = "caml_format_float"
external format_int : string -> int -> string = "caml_format_int"
external format_int32 : string -> int32 -> string = "caml_int32_format"
external format_int64 : string -> int64 -> string = "caml_int64_format"
external hexadecimal : float -> int -> char -> string = "caml_hexstring_of_float"

let () = Random.init 42
let pick a = a.(Random.int (Array.length a))
let bits () =
  Int64.logxor (Random.int64 Int64.max_int) (if Random.bool () then Int64.min_int else 0L)
let odd_floats =
  [| 0.; -0.; infinity; neg_infinity; 1e22; 1e23; 5e-324; max_float; min_float;
     0.5; 1.5; 2.5; 0.125 |]

let random_float () =
  match Random.int 6 with
  | 0 -> Int64.float_of_bits (Int64.shift_right_logical (bits ()) (1 + Random.int 20))
  | 1 -> float (Random.int 1000) /. 8.
  | 2 -> float (Random.int 100_000) /. 1000.
  | 3 -> ldexp (float (Random.int 1024)) (Random.int 60 - 40)
  | 4 -> Random.float 1e10 -. 5e9
  | _ -> pick odd_floats

let random_int () =
  match Random.int 3 with
  | 0 -> Random.int 100 - 50
  | 1 -> Int64.to_int (bits ())
  | _ -> pick [| 0; min_int; max_int; -1; 1 |]

let specification conversions =
  let flags = List.filter (fun _ -> Random.int 4 = 0) [ "-"; "+"; " "; "#"; "0" ] in
  let width = if Random.bool () then string_of_int (1 + Random.int 30) else "" in
  let precision = if Random.int 3 > 0 then "." ^ string_of_int (Random.int 25) else "" in
  "%" ^ String.concat "" flags ^ width ^ precision
  ^ String.make 1 conversions.[Random.int (String.length conversions)]

let () =
  for _ = 1 to 500 do
    let f = specification "eEfFgG" and x = random_float () in
    Printf.printf "%s %h %s\n" f x (format_float f x)
  done;
  for _ = 1 to 150 do
    let x = random_float () in
    Printf.printf "%s %s\n" (hexadecimal x (Random.int 20 - 3) (pick [| '-'; '+'; ' ' |]))
      (string_of_float x)
  done;
  for _ = 1 to 300 do
    let f = specification "diuxXo" and n = random_int () in
    Printf.printf "%s %d %s %s %s\n" f n (format_int f n)
      (format_int32 f (Int32.of_int n)) (format_int64 f (Int64.of_int n))
  done
