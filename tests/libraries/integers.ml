(* Integers of all widths. *)
open Unsigned
let () =
  let a = UInt8.of_int 200 and b = UInt8.of_int 100 in
  Printf.printf "%s %s %s\n" UInt8.(to_string (add a b)) UInt8.(to_string (sub b a))
    UInt8.(to_string (lognot a));
  let m = UInt32.max_int in
  Printf.printf "%s %s %s\n" (UInt32.to_string m) UInt32.(to_string (add m one)) UInt32.(to_string
    (div m (of_int 7)));
  let n = UInt64.of_string "18446744073709551615" in
  Printf.printf "%s %s %s\n" (UInt64.to_string n) UInt64.(to_string (rem n (of_int 1000)))
    UInt64.(to_string (shift_right n 60));
  Printf.printf "%d %d\n" (UInt64.compare n UInt64.zero) (UInt16.to_int (UInt16.of_int 70000));
  Printf.printf "%s %s\n" (UInt64.to_hexstring n) (UInt32.to_hexstring (UInt32.of_int 255));
  (try ignore (UInt64.div n UInt64.zero) with Division_by_zero -> print_endline "division by zero");
  (try ignore (UInt32.of_string "x") with Failure m -> print_endline m);
  Format.printf "%a %a@." UInt64.pp n Signed.Int32.pp (Signed.Int32.of_int (-5));
  Printf.printf "%d %d\n" Unsigned.Size_t.(to_int (of_int 3)) Signed.SInt.(to_int (neg (of_int 4)));
  let table = Hashtbl.create 3 in
  Hashtbl.add table (UInt32.of_int 5) "five";
  Printf.printf "%s %b\n" (Hashtbl.find table (UInt32.of_int 5)) (UInt64.of_int 3 = UInt64.of_string
    "3");
  let s = Marshal.to_string [ UInt32.of_int 77 ] [] in
  let l : UInt32.t list = Marshal.from_string s 0 in
  Printf.printf "%s %d\n" (UInt32.to_string (List.hd l)) (String.length s)
