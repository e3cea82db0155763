(* Signalling NaNs, of which OCaml's `nan` is one: what each function on floats makes of their
   bits. *)
let functions =
  [ ("sqrt", sqrt); ("exp", exp); ("exp2", Float.exp2); ("expm1", expm1); ("log", log);
    ("log2", Float.log2); ("log10", log10); ("log1p", log1p); ("sin", sin); ("cos", cos);
    ("tan", tan); ("asin", asin); ("acos", acos); ("atan", atan); ("sinh", sinh); ("cosh", cosh);
    ("tanh", tanh); ("asinh", Float.asinh); ("acosh", Float.acosh); ("atanh", Float.atanh);
    ("cbrt", Float.cbrt); ("erf", Float.erf); ("erfc", Float.erfc); ("ceil", ceil);
    ("floor", floor); ("trunc", Float.trunc); ("round", Float.round); ("succ", Float.succ);
    ("pred", Float.pred); ("neg", fun x -> -.x); ("abs", abs_float);
    ("frexp", fun x -> fst (frexp x)); ("fraction", fun x -> fst (modf x));
    ("whole", fun x -> snd (modf x)); ("ldexp", fun x -> ldexp x 0);
    ("up", fun x -> ldexp x 5000); ("down", fun x -> ldexp x (-5000));
    ("single", fun x -> Int32.float_of_bits (Int32.bits_of_float x));
    ("read", fun x -> float_of_string (Printf.sprintf "%h" x));
    ("marshalled", fun x -> Marshal.from_string (Marshal.to_string x []) 0) ]

let functions_2 =
  [ ("atan2", atan2); ("pow", ( ** )); ("hypot", hypot); ("fmod", mod_float);
    ("copysign", copysign); ("nextafter", Float.next_after); ("add", ( +. )); ("sub", ( -. ));
    ("mul", ( *. )); ("div", ( /. )); ("min", Float.min); ("max", Float.max);
    ("min_num", Float.min_num); ("max_num", Float.max_num); ("poly min", min); ("poly max", max) ]

let bits = Int64.bits_of_float
let signalling = Int64.float_of_bits 0x7ff0_0000_0000_0123L
let negative = Int64.float_of_bits 0xfff4_0000_0000_0456L
let quiet = Int64.float_of_bits 0x7ff8_0000_0000_0789L

let values =
  [ ("s", signalling); ("-s", negative); ("q", quiet); ("0", 0.); ("1", 1.); ("-1", -1.);
    ("2.5", 2.5); ("inf", infinity); ("-inf", neg_infinity) ]

let is_nan (_, x) = Float.is_nan x
let each f = List.iter f values

let () =
  Printf.printf "%f %h %Lx\n" (1.0 ** nan) (nan ** 0.) (bits nan);
  List.iter (fun (name, f) ->
    Printf.printf "%s %Lx %Lx\n" name (bits (f signalling)) (bits (f negative))) functions;
  List.iter (fun (name, f) ->
    each (fun a -> each (fun b ->
      if is_nan a || is_nan b then
        Printf.printf "%s %s %s %Lx\n" name (fst a) (fst b) (bits (f (snd a) (snd b))))))
    functions_2;
  each (fun a -> each (fun b -> each (fun c ->
    if is_nan a || is_nan b || is_nan c then
      let result = Float.fma (snd a) (snd b) (snd c) in
      Printf.printf "fma %s %s %s %Lx\n" (fst a) (fst b) (fst c) (bits result))))

let () =
  Printf.printf "%f %h %.3e %F %s\n" negative signalling negative signalling
    (string_of_float negative);
  Printf.printf "%Lx %Lx\n" (bits (float_of_string "nan")) (bits (float_of_string "-nan"));
  Printf.printf "%lx %lx\n" (Int32.bits_of_float signalling) (Int32.bits_of_float negative);
  Printf.printf "%Lx\n" (bits (Int32.float_of_bits 0x7f800123l));
  Printf.printf "%b %d %d %b\n" (Float.sign_bit negative) (compare signalling negative)
    (Float.compare signalling 1.) (signalling = signalling);
  Printf.printf "%d %d %d\n" (Hashtbl.hash signalling) (Hashtbl.hash negative) (Hashtbl.hash nan);
  Printf.printf "%d %Ld %ld\n" (truncate signalling) (Int64.of_float signalling)
    (Int32.of_float negative);
  let single = Bigarray.Array1.create Bigarray.float32 Bigarray.c_layout 2 in
  single.{0} <- signalling; single.{1} <- negative;
  Printf.printf "%Lx %Lx\n" (bits single.{0}) (bits single.{1});
  let double = Bigarray.Array1.create Bigarray.float64 Bigarray.c_layout 1 in
  Bigarray.Array1.fill double negative;
  let array = Array.map (fun x -> x) [| signalling; negative |] in
  Printf.printf "%Lx %Lx %Lx\n" (bits double.{0}) (bits array.(0)) (bits array.(1))
