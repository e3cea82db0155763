(* Containers, strings, hashing, sexps, and numbers of Jane Street's library. *)
open Base
let print fmt = Stdlib.Printf.printf fmt
type t = { name : string; humps : int } [@@warning "-69"]
let () =
  let camels = List.init 20 ~f:(fun i -> { name = Printf.sprintf "c%d" (i * 7 % 20);
    humps = i % 3 }) in
  let by = Map.of_alist_multi (module Int) (List.map camels ~f:(fun c -> (c.humps, c.name))) in
  Map.iteri by ~f:(fun ~key ~data -> print "%d: %s\n" key (String.concat ~sep:" " data));
  let table = Hashtbl.create (module String) in
  List.iter camels ~f:(fun c -> Hashtbl.update table c.name ~f:(function None -> 1 | Some n ->
    n + 1));
  print "%d %s\n" (Hashtbl.length table)
    (Sexp.to_string (List.sexp_of_t String.sexp_of_t (List.sort ~compare:String.compare
      (Hashtbl.keys table))))
let () =
  print "%d %d %d\n" (Hash.run String.hash_fold_t "camel") (String.hash "x") (Int.hash 42);
  print "%s\n" (String.tr ~target:'a' ~replacement:'o' "banana");
  print "%s\n" (String.split "a,b,,c" ~on:',' |> List.map ~f:(Printf.sprintf "<%s>")
    |> String.concat);
  print "%d %d %d\n" (-7 % 3) (Int.rem (-7) 3) (Int.pow 3 13);
  print "%d %d %d\n" (Int.popcount 0xff0f) (Int.ctz 48) (Int.clz 1);
  print "%s %s\n" (Float.to_string 0.1) (Float.to_string (Float.round_decimal 2.34567
    ~decimal_digits:2));
  print "%Ld %b\n" (Int64.of_string "123456789012") Int63.(of_int 5 < of_int 7);
  (match Or_error.try_with (fun () -> failwith "broken") with
  | Ok () -> ()
  | Error e -> print "%s\n" (Error.to_string_hum (Error.tag e ~tag:"outer")));
  let q = Queue.of_list [ 3; 1; 2 ] in
  Queue.enqueue q 9;
  print "%d %d\n" (Queue.dequeue_exn q) (Queue.sum (module Int) q ~f:Fn.id);
  let a = Array.of_list [ 5; 3; 9; 1 ] in
  Array.sort a ~compare:Int.descending;
  print "%s\n" (Sexp.to_string (Array.sexp_of_t Int.sexp_of_t a));
  print "%s\n" (Md5_lib.to_hex (Md5_lib.string "camel"));
  let r = Random.State.make [| 1; 2 |] in
  print "%d %d %f\n" (Random.State.int r 1000) (Random.State.int_incl r 5 9) (Random.State.float r
    1.);
  let s = Sequence.unfold ~init:1 ~f:(fun n -> if n > 1000 then None else Some (n, n * 3)) in
  print "%d\n" (Sequence.fold s ~init:0 ~f:( + ));
  print "%s\n" (Sexp.to_string_hum (Set.sexp_of_m__t (module Int) (Set.of_list (module Int) [ 3; 1;
    3 ])));
  print "%b\n" (Comparable.lexicographic [ (fun (a, _) (b, _) ->
    Int.compare a b) ] (1, 2) (1, 3) = 0)
