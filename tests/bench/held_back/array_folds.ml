(* closures: Array.map, mapi, fold, init, iter2 and exists with functions: statistics, images,
   polynomials. *)
let mean a = Array.fold_left ( +. ) 0. a /. float_of_int (Array.length a)

let variance a =
  let m = mean a in
  mean (Array.map (fun x -> (x -. m) ** 2.) a)

let correlation a b =
  let ma = mean a and mb = mean b in
  let products = Array.map2 (fun x y -> (x -. ma) *. (y -. mb)) a b in
  mean products /. sqrt (variance a *. variance b)

let histogram buckets f a =
  let counts = Array.make buckets 0 in
  Array.iter (fun x -> let k = f x in counts.(k) <- counts.(k) + 1) a;
  counts

let blur image =
  let at i j = try image.(i).(j) with Invalid_argument _ -> 0 in
  Array.mapi
    (fun i row ->
      Array.mapi
        (fun j v -> (at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1) + (4 * v)) / 8)
        row)
    image

let horner coefficients x = Array.fold_right (fun c acc -> c + (x * acc) mod 10_007) coefficients 0
let prefix_sums a = let sum = ref 0 in Array.map (fun x -> sum := !sum + x; !sum) a

let () =
  let samples = Array.init 40_000 (fun i -> float_of_int (i * 7919 mod 10_007)) in
  let others = Array.mapi (fun i x -> (x /. 2.) +. float_of_int (i mod 100)) samples in
  for _ = 1 to 12 do ignore (correlation others samples) done;
  Printf.printf "%.4f %.4f %.6f\n" (mean samples) (variance samples) (correlation samples others);
  let counts = histogram 10 (fun x -> int_of_float x / 1001) samples in
  Array.iter (Printf.printf "%d ") counts;
  print_newline ();
  let image =
    ref (Array.init 150 (fun i ->
        Array.init 150 (fun j -> if (i / 10) + (j / 10) land 1 = 0 then 255 else i))) in
  for _ = 1 to 20 do image := blur !image done;
  Printf.printf "%d\n" (Array.fold_left (Array.fold_left ( + )) 0 !image);
  let coefficients = Array.init 300 (fun i -> (i * i) mod 101) in
  let values = Array.init 2500 (horner coefficients) in
  Printf.printf "%d\n" (Array.fold_left max min_int values);
  let total = ref 0 in
  for k = 1 to 400 do
    let sums = prefix_sums (Array.map (fun v -> v land k) values) in
    if Array.exists (fun v -> v = 1000) sums then incr total;
    Array.iteri (fun i v -> if v mod 7 = 0 then total := !total + i) sums
  done;
  Printf.printf "%d\n" !total
