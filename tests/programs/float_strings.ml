(* Floats to strings and back: shortest forms, %.17g round trips, hexadecimal, odd spellings. *)
let values =
  [ 0.; -0.; 1.; 0.1; 1. /. 3.; 1e22; 1e23; 123456789.123456789; 5e-324; 2.2250738585072014e-308;
    1.7976931348623157e308; 9007199254740993.; 4.35; 0.000123; 1e-5; 100.; 1e15; 1e16; 123456.7;
    -2.5e-10; 6.02214076e23; 0.3; 299792458. ]

let parse s = match float_of_string s with f -> Printf.sprintf "%h" f | exception Failure m -> m

let () =
  List.iter
    (fun f ->
      Printf.printf "%s %s %.17g %.3e %.6f %h %b\n" (string_of_float f) (Float.to_string f) f f
        (if Float.abs f < 1e18 then f else 0.) f
        (float_of_string (Printf.sprintf "%.17g" f) = f))
    values;
  List.iter
    (fun s -> Printf.printf "%S %s\n" s (parse s))
    [ "1"; "1."; ".5"; "-.5e1"; "1e5"; "1E+5"; "1e-5"; "0x1p3"; "0x1.8p-1"; "0xA.8"; "-0x1p-1074";
      "0x1p-1075"; "0x1.00000000000008p0"; "0x1.00000000000018p0"; "nan"; "inf"; "-inf"; "infinity";
      "1_000.5"; "_1"; ""; " 1"; "1 "; "e5"; "1e"; "0x"; "1e400"; "1e-400"; "--1"; "+1";
      "179769313486231580793728971405303415079934132710037826936173778980444968292764\
       750946649017977587207096330286416692887910946555547851940402630657488\
       671505820681908902000708383676273854845817711531764475730270069855571\
       366959622842914819860834936475292719074168444365510704342711559699508093042880" ];
  for p = 0 to 12 do Printf.printf "%.*f %.*e %.*g\n" p 2.5 p 12345.6789 p 0.000012345 done;
  Printf.printf "%5.0f|%-8.2f|%08.3f|%+.2f|% .1f|%#.0f\n" 2.5 3.14159 (-2.5) 1. 1. 3.;
  Printf.printf "%s %s\n" (string_of_float 1e21) (string_of_float 12345678901234.5);
  Printf.printf "%F %F %F %F\n" 1e21 0.1 1e-7 (-0.);
  let acc = ref 0. in
  for i = 1 to 300 do
    let x = sqrt (float_of_int i) *. (10. ** float_of_int ((i mod 40) - 20)) in
    acc := !acc +. (float_of_string (Printf.sprintf "%.12g" x) /. x)
  done;
  Printf.printf "%.9f\n" !acc;
  print_float 1.5; print_char ' '; print_float (-3.); print_newline ();
  Printf.printf "%s %s\n"
    (match float_of_string_opt "zz" with None -> "none" | Some _ -> "some")
    (string_of_float (float_of_int max_int))
