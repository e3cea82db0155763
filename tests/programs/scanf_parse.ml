(* Scanf on strings: numbers, words, ranges, widths, failures. *)
let attempt name f =
  match f () with
  | s -> Printf.printf "%s: %s\n" name s
  | exception Scanf.Scan_failure m -> Printf.printf "%s: scan failure %s\n" name m
  | exception Failure m -> Printf.printf "%s: failure %s\n" name m
  | exception End_of_file -> Printf.printf "%s: end of file\n" name

let rec all_ints ib acc =
  match Scanf.bscanf ib " %d" Fun.id with
  | n -> all_ints ib (n :: acc)
  | exception (End_of_file | Scanf.Scan_failure _ | Failure _) -> List.rev acc

let () =
  let open Scanf in
  attempt "ints" (fun () -> sscanf "12 -34 +5" "%d %d %d" (fun a b c -> string_of_int (a + b + c)));
  attempt "mixed" (fun () ->
      sscanf "x=10, y=2.5" "%c=%d, y=%f" (fun c d f -> Printf.sprintf "%c %d %g" c d f));
  attempt "hex" (fun () ->
      sscanf "ff 0x10 777 0b11" "%x %i %o %i"
        (fun a b c d -> Printf.sprintf "%d %d %d %d" a b c d));
  attempt "strings" (fun () ->
      sscanf "hello  world rest" "%s %s %s@." (fun a b c -> a ^ "/" ^ b ^ "/" ^ c));
  attempt "quoted" (fun () ->
      sscanf "\"a\\nb\" 'c'" "%S %C" (fun s c -> String.escaped s ^ String.make 1 c));
  attempt "range" (fun () ->
      sscanf "abc123-_x" "%[a-z]%[0-9]%[^x]" (fun a b c -> Printf.sprintf "%s|%s|%s" a b c));
  attempt "width" (fun () ->
      sscanf "123456789" "%3d%2d%s" (fun a b c -> Printf.sprintf "%d %d %s" a b c));
  attempt "delim" (fun () ->
      sscanf "key:value;tail" "%s@:%s@;%s" (fun k v t -> String.concat "," [ k; v; t ]));
  attempt "skip" (fun () -> sscanf "1 2 3" "%d %_d %d" (fun a b -> string_of_int ((a * 10) + b)));
  attempt "position" (fun () -> sscanf "abc def" "%s%n" (fun s n -> s ^ string_of_int n));
  attempt "bool" (fun () -> sscanf "true false" "%B %b" (fun a b -> string_of_bool (a && not b)));
  attempt "int64" (fun () ->
      sscanf "9000000000 12" "%Ld %ld" (fun a b -> Int64.to_string a ^ Int32.to_string b));
  attempt "float" (fun () ->
      sscanf "1e3 -0.5 .25" "%f %g %e" (fun a b c -> Printf.sprintf "%g %g %g" a b c));
  attempt "bad int" (fun () -> sscanf "abc" "%d" string_of_int);
  attempt "mismatch" (fun () -> sscanf "a-b" "a+%s" Fun.id);
  attempt "eof" (fun () -> sscanf "5" "%d %d" (fun a b -> string_of_int (a + b)));
  attempt "overflow" (fun () -> sscanf "99999999999999999999" "%d" string_of_int);
  print_endline
    (String.concat ","
       (List.map string_of_int (all_ints (Scanning.from_string " 1 2\n3\t4 x 5") [])));
  attempt "format" (fun () -> sscanf_format "%d-%s" "%d-%s" (fun f -> Printf.sprintf f 3 "x"));
  attempt "unescaped" (fun () -> Scanf.unescaped "a\\tb\\065");
  sscanf "3 4" "%d %d" (Printf.printf "%d,%d\n")
