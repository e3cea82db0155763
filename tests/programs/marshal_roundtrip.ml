(* Marshal in both directions: every kind of block, sharing, cycles, closures, headers, damaged
   input. *)
type t =
  | Leaf
  | Int of int
  | Str of string
  | Pair of t * t
  | Rec of { mutable next : t option; f : float }
type node = { id : int; mutable link : node option }

let hex s =
  String.concat ""
    (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (String.to_seq s)))
let show_bytes name v flags =
  let s = Marshal.to_string v flags in
  let shown = if String.length s <= 120 then hex s else Digest.to_hex (Digest.string s) in
  Printf.printf "%s %d %s\n" name (String.length s) shown
let roundtrip v = Marshal.from_string (Marshal.to_string v []) 0

let () =
  List.iter (fun n -> show_bytes "int" n [])
    [ 0; 1; 63; 64; -1; 127; 128; -129; 32767; 40000; 1 lsl 30; 1 lsl 31; max_int; min_int ];
  List.iter (fun s -> show_bytes "str" s [])
    [ ""; "abc"; String.make 31 'a'; String.make 32 'b'; String.make 300 'c' ];
  List.iter (fun f -> show_bytes "float" f []) [ 0.; 1.5; -0.; infinity ];
  show_bytes "farray" [| 1.; 2.; 3. |] [];
  show_bytes "farray" (Array.init 300 float_of_int) [];
  show_bytes "list" [ 1; 2; 3 ] [];
  show_bytes "boxed" (1l, 2L, 3n, -4L, Int64.max_int) [];
  show_bytes "variant" (Pair (Int 3, Pair (Str "x", Leaf))) [];
  show_bytes "array" (Array.init 500 (fun i -> i * i)) [];
  let shared = "shared" in
  show_bytes "sharing" (shared, shared, [ shared ]) [];
  show_bytes "nosharing" (shared, shared, [ shared ]) [ Marshal.No_sharing ];
  let a, b = roundtrip (shared, shared) in
  Printf.printf "%b %b\n" (a == b) (a = shared);
  let r = Rec { next = None; f = 2.5 } in
  (match r with Rec x -> x.next <- Some r | _ -> ());
  (match roundtrip r with
   | Rec { next = Some (Rec { f; next = Some again }); _ } as whole ->
       Printf.printf "%g %b\n" f (again == whole)
   | _ -> print_endline "?");
  let rec chain n = if n = 0 then None else Some { id = n; link = chain (n - 1) } in
  let c = chain 20000 in
  Printf.printf "%b\n" (roundtrip c = c);
  let table = Hashtbl.create 10 in
  for i = 0 to 30 do Hashtbl.add table (string_of_int i) (i, float_of_int i) done;
  let t2 : (string, int * float) Hashtbl.t = roundtrip table in
  Printf.printf "%d %b\n" (Hashtbl.length t2) (Hashtbl.find t2 "17" = (17, 17.));
  let k = 10 in
  let f x = x + k in
  let g : int -> int = Marshal.from_string (Marshal.to_string f [ Marshal.Closures ]) 0 in
  Printf.printf "%d\n" (g 32);
  (try ignore (Marshal.to_string f []) with Invalid_argument m -> print_endline m);
  let s = Marshal.to_bytes [ 1; 2 ] [] in
  Printf.printf "%d %d %d\n" Marshal.header_size (Marshal.data_size s 0) (Marshal.total_size s 0);
  (try ignore (Marshal.from_string "short" 0) with Invalid_argument m -> print_endline m);
  (try ignore (Marshal.from_string (String.make 30 'x') 0) with Failure m -> print_endline m);
  let buf = Bytes.make 100 ' ' in
  let n = Marshal.to_buffer buf 5 90 (3, "three") [] in
  let (three, s) : int * string = Marshal.from_bytes buf 5 in
  Printf.printf "%d %d %s\n" n three s;
  (try ignore (Marshal.to_buffer buf 0 20 "does not fit in here" [])
   with Failure m -> print_endline m);
  let v : int array * string list * t =
    roundtrip (Array.init 10 Fun.id, [ "a"; "b" ], Pair (Leaf, Str "end")) in
  let a, l, t = v in
  Printf.printf "%d %s %b\n" (Array.fold_left ( + ) 0 a) (String.concat "" l)
    (t = Pair (Leaf, Str "end"))
