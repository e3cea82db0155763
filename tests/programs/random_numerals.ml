(* Random texts, nearly numerals, read as each type of number; and numerals on the edges of their
   types. *)
let () = Random.init 7
let pick a = a.(Random.int (Array.length a))
let text alphabet length =
  String.init length (fun _ -> alphabet.[Random.int (String.length alphabet)])

let report name read show s =
  match read s with
  | n -> Printf.printf " %s=%s" name (show n)
  | exception Failure message -> Printf.printf " %s:%s" name message

let read s =
  Printf.printf "%S" s;
  report "int" int_of_string string_of_int s;
  report "int32" Int32.of_string Int32.to_string s;
  report "int64" Int64.of_string Int64.to_string s;
  report "native" Nativeint.of_string Nativeint.to_string s;
  report "float" float_of_string
    (fun x -> if Float.is_nan x then "nan" else Printf.sprintf "%h" x)
    s;
  print_newline ()

let decimal = "0123456789"
let hexadecimal = "0123456789abcdefABCDEF"
let sign () = pick [| ""; "-"; "+" |]

let integer () =
  let prefix, digits =
    pick [| ("", decimal); ("0x", hexadecimal); ("0o", "01234567"); ("0b", "01");
            ("0u", decimal); ("", decimal ^ "_") |]
  in
  sign () ^ prefix ^ text digits (1 + Random.int 22)

let exponent letter = if Random.bool () then letter ^ sign () ^ text decimal (Random.int 4) else ""
let point () = pick [| ""; "." |]

let () =
  for _ = 1 to 150 do
    read (text "0123456789abcdefxXoObBuU_+-. epPEnaif()infINF" (Random.int 6));
    read (integer ());
    read (sign () ^ text decimal (Random.int 25)
          ^ point () ^ text decimal (Random.int 25) ^ exponent "e");
    read (sign () ^ "0x" ^ text hexadecimal (Random.int 20)
          ^ point () ^ text hexadecimal (Random.int 20) ^ exponent "p")
  done;
  List.iter read
    [ "nan"; "-nan"; "nan(12)"; "nan(0x12)"; "nan()"; "nan(z_)"; "INFINITY"; "infin"; " 1"; "1 ";
      "\t1.5"; " 0x1p3"; "4611686018427387903"; "4611686018427387904"; "-4611686018427387904";
      "0x7fffffffffffffff"; "0x8000000000000000"; "0u9223372036854775808"; "9223372036854775807";
      "-9223372036854775808"; "0x1.8p-1075"; "0x3p-1075"; "0x1p2147483648"; "0x0p99999999999";
      "0x1p-99999999999"; "0x1.fffffffffffff8p0"; "0x1.fffffffffffff7p1023";
      "0x1.fffffffffffff8p1023" ]
