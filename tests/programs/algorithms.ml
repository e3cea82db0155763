(* Graphs, dynamic programming, Huffman coding, union-find, tries, regular expressions, sudoku. *)
module Is = Set.Make (struct type t = int * int let compare = compare end)

let dijkstra n edges src =
  let dist = Array.make n max_int in
  dist.(src) <- 0;
  let rec go q =
    match Is.min_elt_opt q with
    | None -> ()
    | Some ((d, u) as e) ->
      let q = Is.remove e q in
      go (if d > dist.(u) then q
          else
            List.fold_left
              (fun q (a, b, w) ->
                if a = u && d + w < dist.(b) then (dist.(b) <- d + w; Is.add (d + w, b) q) else q)
              q edges)
  in
  go (Is.singleton (0, src));
  dist

let lcs a b =
  let n = String.length a and m = String.length b in
  let t = Array.make_matrix (n + 1) (m + 1) 0 in
  for i = n - 1 downto 0 do
    for j = m - 1 downto 0 do
      t.(i).(j) <-
        (if a.[i] = b.[j] then 1 + t.(i + 1).(j + 1) else max t.(i + 1).(j) t.(i).(j + 1))
    done
  done;
  let rec walk i j =
    if i = n || j = m then ""
    else if a.[i] = b.[j] then String.make 1 a.[i] ^ walk (i + 1) (j + 1)
    else if t.(i + 1).(j) >= t.(i).(j + 1) then walk (i + 1) j
    else walk i (j + 1) in
  walk 0 0

type huff = Leaf of int * char | Node of int * huff * huff
let weight = function Leaf (w, _) | Node (w, _, _) -> w
let huffman s =
  let counts = Array.make 256 0 in
  String.iter (fun c -> counts.(Char.code c) <- counts.(Char.code c) + 1) s;
  let leaves =
    List.filter (fun t -> weight t > 0) (List.init 256 (fun i -> Leaf (counts.(i), Char.chr i))) in
  let rec build l = match List.stable_sort (fun a b -> compare (weight a) (weight b)) l with
    | [] -> failwith "empty"
    | [ t ] -> t
    | a :: b :: r -> build (Node (weight a + weight b, a, b) :: r) in
  let rec codes prefix = function
    | Leaf (_, c) -> [ (c, prefix) ]
    | Node (_, l, r) -> codes (prefix ^ "0") l @ codes (prefix ^ "1") r in
  codes "" (build leaves)

let components n pairs =
  let parent = Array.init n Fun.id in
  let rec find x =
    if parent.(x) = x then x else begin parent.(x) <- find parent.(x); parent.(x) end in
  List.iter (fun (a, b) -> parent.(find a) <- find b) pairs;
  List.length (List.sort_uniq compare (List.init n find))

type trie = { mutable word : bool; children : (char, trie) Hashtbl.t }
let new_trie () = { word = false; children = Hashtbl.create 2 }
let insert t w =
  let node = ref t in
  String.iter
    (fun c ->
      node :=
        (match Hashtbl.find_opt !node.children c with
         | Some n -> n
         | None -> let n = new_trie () in Hashtbl.add !node.children c n; n))
    w;
  !node.word <- true
let rec count_words t =
  Hashtbl.fold (fun _ c acc -> acc + count_words c) t.children (Bool.to_int t.word)

type re = Chr of char | Any | Seq of re list | Alt of re * re | Star of re
let rec matches r s i k = match r with
  | Chr c -> i < String.length s && s.[i] = c && k (i + 1)
  | Any -> i < String.length s && k (i + 1)
  | Seq [] -> k i
  | Seq (r :: rest) -> matches r s i (fun j -> matches (Seq rest) s j k)
  | Alt (a, b) -> matches a s i k || matches b s i k
  | Star r -> matches r s i (fun j -> j > i && matches (Star r) s j k) || k i
let full r s = matches r s 0 (fun i -> i = String.length s)

let coins amount values =
  let ways = Array.make (amount + 1) 0 in
  ways.(0) <- 1;
  List.iter (fun v -> for i = v to amount do ways.(i) <- ways.(i) + ways.(i - v) done) values;
  ways.(amount)

let topological n deps =
  let state = Array.make n 0 and out = ref [] in
  let rec visit v =
    if state.(v) = 1 then failwith "cycle";
    if state.(v) = 0 then begin
      state.(v) <- 1;
      List.iter (fun (a, b) -> if a = v then visit b) deps;
      state.(v) <- 2;
      out := v :: !out
    end
  in
  for v = 0 to n - 1 do visit v done;
  !out

let ints l = String.concat " " (List.map string_of_int l)

let () =
  let edges =
    List.concat_map
      (fun i -> [ (i, (i * 3 + 1) mod 20, i + 2); (i, (i * 7 + 2) mod 20, 9) ])
      (List.init 20 Fun.id) in
  print_endline
    (ints
       (List.map (fun d -> if d = max_int then -1 else d) (Array.to_list (dijkstra 20 edges 0))));
  print_endline (lcs "the quick brown fox jumped" "a thick crown of oxen humped");
  List.iter (fun (c, s) -> Printf.printf "%C:%s " c s) (huffman "abracadabra, alakazam");
  print_newline ();
  Printf.printf "%d\n" (components 50 (List.init 30 (fun i -> (i, (i * i) mod 50))));
  let t = new_trie () in
  List.iter (insert t) [ "to"; "tea"; "ten"; "to"; "i"; "in"; "inn" ];
  Printf.printf "%d\n" (count_words t);
  let r = Seq [ Chr 'a'; Star (Alt (Chr 'b', Seq [ Chr 'c'; Any ])); Chr 'd' ] in
  List.iter (fun s -> Printf.printf "%s:%b " s (full r s))
    [ "ad"; "abbd"; "acxd"; "abcxbd"; "abc"; ""; "acd" ];
  print_newline ();
  Printf.printf "%d\n" (coins 200 [ 1; 2; 5; 10; 20; 50; 100; 200 ]);
  print_endline (ints (topological 8 [ (0, 3); (1, 3); (3, 5); (5, 2); (7, 0) ]));
  try ignore (topological 3 [ (0, 1); (1, 2); (2, 0) ]) with Failure m -> print_endline m
