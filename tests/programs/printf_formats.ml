(* Printf: every conversion, flags, widths, precisions, continuations and format values. *)
type tree = Leaf | Node of tree * int * tree
let rec pp_tree () = function
  | Leaf -> "."
  | Node (l, v, r) -> Printf.sprintf "(%a %d %a)" pp_tree l v pp_tree r

let rec insert x = function
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, v, r) -> if x < v then Node (insert x l, v, r) else Node (l, v, insert x r)

let () =
  Printf.printf "[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%i] [%u]\n" 42 42 42 42 42 42 (-42) 42;
  Printf.printf "[%x] [%X] [%#x] [%#X] [%o] [%#o] [%08x] [%-8x]\n" 255 255 255 255 8 8 48879 48879;
  Printf.printf "[%s] [%10s] [%-10s] [%S] [%c] [%C] [%b] [%B]\n"
    "str" "str" "str" "q\"\n" 'c' '\n' true false;
  Printf.printf "[%f] [%.2f] [%10.3f] [%-10.1f] [%+.1f] [%010.2f] [% f]\n"
    3.14159 3.14159 3.14159 3.14159 3.14159 (-3.14159) 1.;
  Printf.printf "[%e] [%.3e] [%E] [%g] [%G] [%g] [%g] [%.3g] [%#g]\n"
    12345.678 12345.678 0.00012 1e10 1e-10 100000. 1000000. 3.14159 1.;
  Printf.printf "[%h] [%H] [%F] [%F] [%F] [%F]\n" 1.5 1.5 1.5 3. 1e100 nan;
  Printf.printf "[%f] [%g] [%e] [%5.1f] [%F] [%+f]\n"
    infinity neg_infinity nan infinity infinity nan;
  Printf.printf "[%ld] [%lx] [%Ld] [%Lx] [%nd] [%lu] [%Lu]\n"
    (-5l) (-1l) (-5L) (-1L) 7n (-1l) (-1L);
  Printf.printf "[%*d] [%-*d] [%.*f] [%*s]\n" 8 42 8 42 3 2.71828 6 "ab";
  Printf.printf "%d%% done%!\n" 50;
  Printf.printf "[%a] [%t]\n"
    (fun oc l -> List.iter (Printf.fprintf oc "%d;") l) [ 1; 2; 3 ]
    (fun oc -> output_string oc "thunk");
  print_endline
    (Printf.sprintf "%a" pp_tree (List.fold_left (fun t x -> insert x t) Leaf [ 5; 2; 8; 1; 9 ]));
  let f = Printf.sprintf "%s-%d-%s" "a" in
  print_endline (f 1 "x" ^ f 2 "y");
  let fmt () = format_of_string "%d=%s" in
  print_endline (Printf.sprintf (fmt ()) 1 "one" ^ Printf.sprintf (fmt () ^^ ";%c") 2 "two" '!');
  print_endline (string_of_format (fmt ()));
  Printf.kprintf (fun s -> print_endline (String.uppercase_ascii s)) "%s %d" "continuation" 9;
  Printf.ksprintf print_endline "%5s|%-5s|%05.1f" "ab" "cd" 2.25;
  Printf.ifprintf stdout "%d never %s\n" 1 "shown";
  let b = Buffer.create 10 in
  Printf.bprintf b "%d-%s" 5 "five";
  print_endline (Buffer.contents b);
  Printf.printf "%s\n" (Printf.sprintf "%d %d %d %d %d %d %d %d" 1 2 3 4 5 6 7 8);
  Printf.printf "%.0f %.0f %.0f %.1f %.15g %.17g\n" 0.5 1.5 2.5 0.05 0.1 0.1;
  Printf.printf "%d %s %B\n" min_int (string_of_int max_int) (string_of_bool true = "true");
  Printf.printf "%(%d%) %{%s%}\n" "<%d>" 5 "%s!";
  flush stdout

(* What C's printf does with text around a conversion. *)
external int32 : string -> int32 -> string = "caml_int32_format"
external int64 : string -> int64 -> string = "caml_int64_format"
external native : string -> nativeint -> string = "caml_nativeint_format"
external int : string -> int -> string = "caml_format_int"
external float : string -> float -> string = "caml_format_float"

let () =
  let show f = print_endline (try f () with Invalid_argument why -> why) in
  List.iter
    (fun format ->
      show (fun () -> int32 format (-42l));
      show (fun () -> int64 format 0x1234567890ABCL);
      show (fun () -> native format (-42n));
      show (fun () -> int format (-42)))
    [ "0x%X"; "%d!"; "%%%d"; "<%5d>"; "abc"; "a%-8lx|"; "%ni"; "%Lu"; "%i%%"; "x%+.3u y"; "n%%";
      "012345678901234567890123456%d"; "0123456789012345678901234567%d";
      "01234567890123456789012345678901" ];
  List.iter
    (fun format -> print_endline (float format 4.25))
    [ "v=%g"; "%f!"; "%%%e"; "[%8.2f]"; "100%% %F"; "abc"; "" ]

(* Texts that are longer than usual. *)
let () =
  let show text =
    Printf.printf "%d %s\n" (String.length text) (Digest.to_hex (Digest.string text))
  in
  List.iter show
    [ Printf.sprintf "%.100000h" 1.; Printf.sprintf "%.70000h" 0.1; Printf.sprintf "%100000h" 0.1;
      Printf.sprintf "%.100000f" 0.1; Printf.sprintf "%.100000e" 0.1;
      Printf.sprintf "%.100000g" 0.1; Printf.sprintf "%#.100000g" 0.1;
      Printf.sprintf "%.100000d" (-3);
      Printf.sprintf "%0100000.3f" 3.5; Printf.sprintf "%-100000X" 255 ]
