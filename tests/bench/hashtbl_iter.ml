(* closures: Inverted index and co-occurrence counts: Hashtbl.iter, fold and filter_map_inplace with
   functions. *)
let words =
  [| "ant"; "bee"; "cat"; "dog"; "eel"; "fox"; "gnu"; "hen"; "ibis";
     "jay"; "koi"; "lark"; "mole"; "newt"; "owl"; "pig" |]

let documents =
  Array.init 5000 (fun d ->
      List.init 12 (fun i ->
          words.(((d * d) + (i * 7) + (d / 3 * i)) mod 16) ^ string_of_int ((d + i) mod 9)))

let update table key ~default f =
  Hashtbl.replace table key (f (try Hashtbl.find table key with Not_found -> default))

let index = Hashtbl.create 64
let count = Hashtbl.create 64

let () =
  Array.iteri
    (fun d text -> List.iter (fun word ->
      update index word ~default:[] (fun ds -> d :: ds);
      update count word ~default:0 succ) text)
    documents;
  let most =
    Hashtbl.fold
      (fun word n (w, m) -> if n > m || (n = m && word < w) then (word, n) else (w, m))
      count ("", 0) in
  Printf.printf "%d words, most frequent: %s %d\n" (Hashtbl.length index) (fst most) (snd most);
  let pairs = Hashtbl.create 1000 in
  Hashtbl.iter
    (fun a ds ->
      List.iter
        (fun d ->
          List.iter (fun b -> if a < b then update pairs (a, b) ~default:0 succ) documents.(d))
        ds)
    index;
  Printf.printf "%d pairs\n" (Hashtbl.length pairs);
  let total = ref 0 in
  for round = 1 to 500 do
    Hashtbl.iter (fun _ n -> total := !total + (n * round)) pairs;
    total :=
      Hashtbl.fold (fun (a, _) n sum -> if String.length a > 4 then sum + n else sum) pairs !total
  done;
  Printf.printf "total %d\n" !total;
  Hashtbl.filter_map_inplace (fun _ n -> if n > 20 then Some (n / 2) else None) pairs;
  let top =
    Hashtbl.fold (fun pair n all -> (n, pair) :: all) pairs []
    |> List.sort (fun x y -> compare y x) in
  List.iteri (fun i (n, (a, b)) -> if i < 3 then Printf.printf "%s %s %d\n" a b n) top
