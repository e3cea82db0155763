(* Hashtbl: generic and functorial, shadowed bindings, resizing, iteration order, statistics. *)
module Str_table = Hashtbl.Make (struct
  type t = string
  let equal = String.equal
  let hash s = String.length s + if s = "" then 0 else Char.code s.[0]
end)

let word_counts text =
  let t = Hashtbl.create 4 in
  List.iter
    (fun w -> Hashtbl.replace t w (1 + Option.value ~default:0 (Hashtbl.find_opt t w)))
    (String.split_on_char ' ' text);
  Hashtbl.fold (fun k v acc -> (k, v) :: acc) t [] |> List.sort compare

let memo_fib () =
  let t = Hashtbl.create 16 in
  let rec fib n =
    match Hashtbl.find t n with
    | v -> v
    | exception Not_found ->
      let v = if n < 2 then n else fib (n - 1) + fib (n - 2) in
      Hashtbl.add t n v;
      v
  in
  fib 80

type key = { name : string; tags : int list; pos : float * char }

let () =
  List.iter (fun (w, n) -> Printf.printf "%s=%d " w n) (word_counts "a b a c b a d e a c");
  print_newline ();
  Printf.printf "%d\n" (memo_fib ());
  let t = Hashtbl.create 8 in
  Hashtbl.add t "x" 1;
  Hashtbl.add t "x" 2;
  Hashtbl.add t "y" 3;
  Printf.printf "%d %d " (Hashtbl.find t "x") (List.length (Hashtbl.find_all t "x"));
  Hashtbl.remove t "x";
  Printf.printf "%d %b %b\n" (Hashtbl.find t "x") (Hashtbl.mem t "y") (Hashtbl.mem t "z");
  let big = Hashtbl.create 1 in
  for i = 0 to 999 do Hashtbl.replace big (i * 7919) i done;
  let s = Hashtbl.stats big in
  Printf.printf "%d %d %d\n" s.num_bindings s.num_buckets s.max_bucket_length;
  Hashtbl.filter_map_inplace (fun _ v -> if v mod 100 = 0 then Some (-v) else None) big;
  Hashtbl.iter (fun k v -> Printf.printf "%d:%d " k v) big;
  print_newline ();
  let keys = Hashtbl.create 10 in
  let k i =
    { name = string_of_int i; tags = List.init (i mod 5) Fun.id; pos = (float_of_int i, 'c') } in
  for i = 0 to 50 do Hashtbl.add keys (k i) i done;
  Printf.printf "%d %b\n" (Hashtbl.find keys (k 33)) (Hashtbl.mem keys { (k 3) with name = "?" });
  let st = Str_table.create 3 in
  List.iter (fun s -> Str_table.replace st s (String.length s))
    [ "one"; "two"; "three"; "four"; "one" ];
  Str_table.iter (fun k v -> Printf.printf "%s/%d " k v) st;
  Printf.printf "%d\n" (Str_table.length st);
  let copy = Hashtbl.copy t in
  Hashtbl.reset t;
  Printf.printf "%d %d\n" (Hashtbl.length t) (Hashtbl.length copy);
  let from_seq = Hashtbl.of_seq (List.to_seq [ (1, "a"); (2, "b"); (1, "c") ]) in
  Hashtbl.to_seq from_seq |> List.of_seq |> List.sort compare
  |> List.iter (fun (k, v) -> Printf.printf "%d%s " k v);
  print_newline ()
