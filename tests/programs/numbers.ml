(* Numbers in and out, a line a value: each conversion of `printf`, each reading, each function of
   analysis, on random values of many kinds. Arguments: the check, `all` or `list`; how many values;
   the seed. `bactrian bench --numbers` runs it with a million of them. *)
external format_float : string -> float -> string = "caml_format_float"
external format_int : string -> int -> string = "caml_format_int"
external format_int32 : string -> int32 -> string = "caml_int32_format"
external format_int64 : string -> int64 -> string = "caml_int64_format"
external format_nativeint : string -> nativeint -> string = "caml_nativeint_format"
external hexadecimal : float -> int -> char -> string = "caml_hexstring_of_float"

let pick a = a.(Random.int (Array.length a))
let one_in n = Random.int n = 0
let repeat n f = String.concat "" (List.init n (fun _ -> f ()))
let digits n = String.init n (fun _ -> Char.chr (48 + Random.int 10))

(* Values. *)

let bits () =
  let part shift = Int64.shift_left (Int64.of_int (Random.bits ())) shift in
  Int64.logxor (part 0) (Int64.logxor (part 30) (part 60))

let special =
  [| 0.; -0.; infinity; neg_infinity; nan; -.nan; 1.; -1.; 0.5; 2.5; 4.9e-324; min_float; max_float;
     epsilon_float; 1e22; 1e23; 0x1p53; 0x1p-1022; 0x1.fffffffffffffp-1023; 0.1; 1e15; 1e16;
     123456789.; 9.5; 99.5; 0.00001; 0.0001; 999999.5 |]

(* Of either sign, with any payload. *)
let signalling_nan () =
  let payload = Int64.succ (Int64.shift_right_logical (bits ()) (13 + Random.int 51)) in
  Int64.float_of_bits
    (Int64.logor payload (if Random.bool () then 0x7ff0000000000000L else 0xfff0000000000000L))

let signed x = if Random.bool () then x else -.x
let power_of_ten n = float_of_string ("1e" ^ string_of_int n)
let near x =
  Int64.float_of_bits (Int64.add (Int64.bits_of_float x) (Int64.of_int (Random.int 5 - 2)))

(* Every float is as likely; then decimals; ties of decimal and binary digits; subnormals; near
   whole numbers; near powers; a scale of magnitudes. *)
let any_float () =
  match Random.int 10 with
  | 0 | 1 -> Int64.float_of_bits (bits ())
  | 2 -> signed (float (Random.bits ()) /. power_of_ten (Random.int 10))
  | 3 -> signed (float (Random.int 1_000_000) /. float (1 lsl Random.int 12))
  | 4 -> Int64.float_of_bits (Int64.shift_right_logical (bits ()) (11 + Random.int 53))
  | 5 -> near (signed (float (Random.int 2_000_000)))
  | 6 -> near (signed (ldexp 1. (Random.int 2098 - 1074)))
  | 7 -> near (power_of_ten (Random.int 632 - 323))
  | 8 -> signed (ldexp (Random.float 1.) (Random.int 80 - 40))
  | _ ->
      match Random.int 8 with
      | 0 -> signalling_nan ()
      | 1 | 2 -> pick special
      | _ -> signed (Random.float 20.)

let any_int64 () =
  match Random.int 4 with
  | 0 -> bits ()
  | 1 -> Int64.shift_right (bits ()) (Random.int 64)
  | 2 -> Int64.of_int (Random.int 2001 - 1000)
  | _ ->
      Int64.add
        (pick
           [| 0L; Int64.max_int; Int64.min_int; 0x7fffffffL; 0x3fffffffffffffffL; 0xffffffffL;
              1000000L |])
        (Int64.of_int (Random.int 3 - 1))

(* Conversion specifications. *)

let precision () =
  match Random.int 8 with
  | 0 | 1 | 2 -> ""
  | 3 -> "."
  | 4 -> "." ^ string_of_int (Random.int 401)
  | _ -> "." ^ string_of_int (Random.int 20)
let width () = match Random.int 3 with 0 -> string_of_int (1 + Random.int 30) | _ -> ""
let specification letter =
  "%" ^ repeat (Random.int 3) (fun () -> pick [| "-"; "+"; " "; "#"; "0" |])
  ^ width () ^ precision () ^ letter

let out_float letter () =
  let format = specification letter and x = any_float () in
  Printf.printf "%Lx %s %s\n" (Int64.bits_of_float x) format (format_float format x)

let out_shown show () =
  let x = any_float () in
  Printf.printf "%Lx %s\n" (Int64.bits_of_float x) (show x)

let out_int letter () =
  let format = specification letter and n = any_int64 () in
  Printf.printf "%Ld %s %s %s %s %s\n" n format (format_int64 format n)
    (format_nativeint format (Int64.to_nativeint n)) (format_int format (Int64.to_int n))
    (format_int32 format (Int64.to_int32 n))

(* Readings. *)

let sign () = pick [| ""; ""; ""; "-"; "+" |]
let underscore () = if one_in 20 then "_" else ""

let any_decimal () =
  match Random.int 5 with
  | 0 ->
      digits (1 + Random.int 25) ^ "." ^ digits (Random.int 25) ^ underscore ()
      ^ pick [| ""; "e" ^ sign () ^ digits (1 + Random.int 3) |]
  | 1 -> format_float (pick [| "%.15g"; "%.16g"; "%.17g"; "%.20e"; "%.400g" |]) (any_float ())
  | 2 ->
      (* Halfway between two floats, exactly or with one more digit. *)
      let x = Int64.float_of_bits (Int64.logand (bits ()) Int64.max_int) in
      let exponent = snd (frexp x) in
      if exponent < -200 || exponent > 900 then format_float "%.770e" x
      else format_float "%.1000f" (ldexp (x +. ldexp 0.5 (exponent - 53)) 0) ^ pick [| ""; "1" |]
  | 3 ->
      let whole = Int64.to_int (Int64.shift_right_logical (bits ()) (2 + Random.int 10)) lor 1 in
      string_of_int whole
      ^ pick
          [| ""; "."; "e0"; "0"; ".5"; "e-" ^ digits 2; "e" ^ digits 2;
             "00000000000000000000000001" |]
  | _ -> digits (1 + Random.int 800) ^ "e-" ^ digits (1 + Random.int 3)

let any_hexadecimal () =
  let digits n = repeat n (fun () -> Printf.sprintf "%x" (Random.int 16)) in
  let digits n =
    match Random.int 4 with
    | 0 -> String.make n '0'
    | 1 -> digits (n / 2) ^ String.make (n - (n / 2)) '0'
    | _ -> digits n in
  "0x" ^ digits (Random.int 20) ^ underscore () ^ pick [| ""; "." ^ digits (Random.int 20) |]
  ^ pick
      [| ""; "p" ^ sign () ^ string_of_int (Random.int 40);
         "p" ^ sign () ^ string_of_int (Random.int 1150);
         "p" ^ sign () ^ string_of_int (Random.int 100_000) |]

let any_numeral () =
  let digits alphabet =
    String.init (1 + Random.int 24) (fun _ -> alphabet.[Random.int (String.length alphabet)]) in
  match Random.int 7 with
  | 0 -> sign () ^ pick [| "0x"; "0X" |] ^ digits "0123456789abcdefABCDEF"
  | 1 -> sign () ^ pick [| "0o"; "0O" |] ^ digits "01234567"
  | 2 -> sign () ^ pick [| "0b"; "0B" |] ^ digits "01"
  | 3 -> sign () ^ pick [| "0u"; "0U" |] ^ digits "0123456789"
  | 4 -> sign () ^ digits "0123456789_"
  | 5 -> Int64.to_string (any_int64 ())
  | _ -> digits "0123456789abcdefxXoObBuU_+-. epPEnaif()infINF"

let read_float numeral () =
  let s = sign () ^ numeral () in
  match float_of_string s with
  | x -> Printf.printf "%S %Lx\n" s (Int64.bits_of_float x)
  | exception Failure message -> Printf.printf "%S %s\n" s message

let read_ints () =
  let s = any_numeral () in
  let report read show = match read s with n -> show n | exception Failure message -> message in
  Printf.printf "%S %s %s %s %s\n" s
    (report int_of_string string_of_int) (report Int32.of_string Int32.to_string)
    (report Int64.of_string Int64.to_string) (report Nativeint.of_string Nativeint.to_string)

(* Functions: arguments as wide as each has an interesting part. *)

let argument () =
  match Random.int 8 with
  | 0 -> if one_in 4 then signalling_nan () else any_float ()
  | 1 | 2 -> Random.float 2. -. 1.
  | 3 | 4 -> Random.float 20. -. 10.
  | 5 -> Random.float 1500. -. 750.
  | 6 -> ldexp (Random.float 2. -. 1.) (Random.int 60 - 30)
  | _ -> float (Random.int 20_000 - 10_000) /. float (1 lsl Random.int 10)

let apply f () =
  let x = argument () in
  Printf.printf "%Lx %016Lx\n" (Int64.bits_of_float x) (Int64.bits_of_float (f x))

let apply_2 f () =
  let x = argument () in
  let y = if one_in 5 then near x else argument () in
  Printf.printf "%Lx %Lx %016Lx\n" (Int64.bits_of_float x) (Int64.bits_of_float y)
    (Int64.bits_of_float (f x y))

let fma x y =
  let z = pick [| -.(x *. y); argument (); ldexp (argument ()) (snd (frexp x) + snd (frexp y)) |] in
  Float.fma x y z

let apply_parts f () =
  let x = argument () in
  let first, second = f x in
  Printf.printf "%Lx %s %016Lx\n" (Int64.bits_of_float x) first (Int64.bits_of_float second)

let frexp_parts x = let m, e = frexp x in (string_of_int e, m)
let modf_parts x =
  let fraction, whole = modf x in
  (Printf.sprintf "%Lx" (Int64.bits_of_float fraction), whole)

let functions =
  [ ("sqrt", sqrt); ("exp", exp); ("exp2", Float.exp2); ("expm1", expm1); ("log", log);
    ("log2", Float.log2); ("log10", log10); ("log1p", log1p); ("sin", sin); ("cos", cos);
    ("tan", tan); ("asin", asin); ("acos", acos); ("atan", atan); ("sinh", sinh); ("cosh", cosh);
    ("tanh", tanh); ("asinh", Float.asinh); ("acosh", Float.acosh); ("atanh", Float.atanh);
    ("cbrt", Float.cbrt); ("erf", Float.erf); ("erfc", Float.erfc); ("ceil", ceil);
    ("floor", floor); ("trunc", Float.trunc); ("round", Float.round); ("succ", Float.succ);
    ("pred", Float.pred); ("neg", fun x -> -.x); ("abs", abs_float);
    ("square", fun x -> x ** 2.); ("cube", fun x -> x ** 3.);
    ("single", fun x -> Int32.float_of_bits (Int32.bits_of_float x));
    ("truncate",
     fun x -> Int64.to_float (Int64.logxor (Int64.of_float x) (Int64.of_int (truncate x)))) ]

let functions_2 =
  [ ("atan2", atan2); ("pow", ( ** )); ("hypot", hypot); ("fmod", mod_float);
    ("copysign", copysign); ("nextafter", Float.next_after); ("fma", fma);
    ("ldexp", fun x y -> ldexp x (truncate y)); ("add", ( +. )); ("sub", ( -. )); ("mul", ( *. ));
    ("div", ( /. )); ("rem", Float.rem); ("min", Float.min); ("max", Float.max);
    ("min_num", Float.min_num); ("max_num", Float.max_num) ]

let checks =
  List.map (fun letter -> ("%" ^ letter, out_float letter)) [ "e"; "f"; "g"; "E"; "F"; "G" ]
  @ List.map (fun letter -> ("%" ^ letter, out_int letter)) [ "d"; "i"; "u"; "x"; "X"; "o" ]
  @ [ ("%h", out_shown (fun x -> hexadecimal x (Random.int 24 - 4) (pick [| '-'; '+'; ' ' |])));
      ("%H", out_shown (Printf.sprintf "%H")); ("%F shown", out_shown (Printf.sprintf "%F"));
      ("%.17g", out_shown (Printf.sprintf "%.17g")); ("%.3f", out_shown (Printf.sprintf "%.3f"));
      ("string_of_float", out_shown string_of_float); ("float_of_string", read_float any_decimal);
      ("hex_float_of_string", read_float any_hexadecimal);
      ("odd_float_of_string", read_float any_numeral); ("int_of_string", read_ints) ]
  @ List.map (fun (name, f) -> (name, apply f)) functions
  @ [ ("frexp", apply_parts frexp_parts); ("modf", apply_parts modf_parts) ]
  @ List.map (fun (name, f) -> (name, apply_2 f)) functions_2

let run name check count seed =
  Random.init seed;
  if count > 0 then for _ = 1 to count do check () done

let () =
  match Array.to_list Sys.argv with
  | [ _; "list" ] -> List.iter (fun (name, _) -> print_endline name) checks
  | [ _; "all"; count; seed ] ->
      List.iter
        (fun (name, check) ->
          Printf.printf "%s:\n" name;
          run name check (int_of_string count) (int_of_string seed))
        checks
  | [ _; name; count; seed ] ->
      run name (List.assoc name checks) (int_of_string count) (int_of_string seed)
  | _ -> prerr_endline "usage: numbers CHECK COUNT SEED"; exit 2
