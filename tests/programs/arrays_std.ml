(* The Array module over integers, strings and nested arrays; sorting, matrices, bounds. *)
let ints a = String.concat " " (Array.to_list (Array.map string_of_int a))
let attempt f = try ignore (f ()); print_endline "ok" with Invalid_argument m -> print_endline m

let rec quicksort a lo hi =
  if lo < hi then begin
    let pivot = a.((lo + hi) / 2) and i = ref lo and j = ref hi in
    while !i <= !j do
      while a.(!i) < pivot do incr i done;
      while a.(!j) > pivot do decr j done;
      if !i <= !j then begin
        let t = a.(!i) in
        a.(!i) <- a.(!j);
        a.(!j) <- t;
        incr i;
        decr j
      end
    done;
    quicksort a lo !j;
    quicksort a !i hi
  end

let transpose m =
  Array.init (Array.length m.(0)) (fun j -> Array.init (Array.length m) (fun i -> m.(i).(j)))

let bsearch a x =
  let rec go lo hi =
    if lo >= hi then -1
    else
      let mid = (lo + hi) / 2 in
      if a.(mid) = x then mid else if a.(mid) < x then go (mid + 1) hi else go lo mid
  in
  go 0 (Array.length a)

let () =
  let a = Array.init 50 (fun i -> i * 37 mod 53) in
  let b = Array.copy a and c = Array.copy a in
  quicksort a 0 49;
  Array.sort compare b;
  Array.stable_sort (fun x y -> compare y x) c;
  print_endline (ints a);
  Printf.printf "%b %b %d %d\n" (a = b) (c = Array.of_list (List.rev (Array.to_list a)))
    (bsearch a 17) (bsearch a 1000);
  let m = [| [| 1; 2; 3 |]; [| 4; 5; 6 |] |] in
  Array.iter (fun r -> print_endline (ints r)) (transpose m);
  print_endline (ints (Array.map2 ( * ) m.(0) m.(1)));
  print_endline (ints (Array.mapi (fun i x -> (i * 100) + x) m.(1)));
  Printf.printf "%d %d\n" (Array.fold_left ( - ) 100 m.(0)) (Array.fold_right ( - ) m.(0) 100);
  Printf.printf "%b %b %b\n" (Array.exists (fun x -> x > 5) m.(1))
    (Array.for_all (fun x -> x > 4) m.(1)) (Array.mem 3 m.(0));
  let f = Array.make 10 0 in
  Array.fill f 3 4 7;
  Array.blit f 2 f 4 5;
  print_endline (ints f);
  print_endline (ints (Array.concat [ [| 1 |]; [||]; [| 2; 3 |] ]));
  let words = [| "delta"; "alpha"; "charlie"; "bravo" |] in
  Array.sort String.compare words;
  print_endline (String.concat " " (Array.to_list words));
  attempt (fun () -> a.(50));
  attempt (fun () -> a.(-1));
  attempt (fun () -> Array.make (-1) 0);
  attempt (fun () -> Array.sub a 45 10);
  attempt (fun () -> Array.blit a 0 f 5 10);
  attempt (fun () -> Array.map2 ( + ) a f);
  attempt (fun () -> Array.init (-3) Fun.id);
  attempt (fun () -> Array.fill a 49 1 0);
  let x, y = Array.split [| (1, "a"); (2, "b") |] in
  Printf.printf "%d %s\n" (Array.length x) (String.concat "" (Array.to_list y));
  let big = Array.make 2000 [] in
  Array.iteri (fun i _ -> big.(i) <- [ i ]) big;
  Printf.printf "%d\n" (Array.fold_left (fun acc l -> acc + List.hd l) 0 big);
  let grid = Array.make_matrix 5 5 '.' in
  for i = 0 to 4 do grid.(i).(i) <- '#'; grid.(i).(4 - i) <- '#' done;
  Array.iter (fun r -> print_endline (String.of_seq (Array.to_seq r))) grid
