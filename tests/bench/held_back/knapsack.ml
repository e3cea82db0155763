(* arrays: Dynamic programming: knapsacks, coin change, matrix chains, longest increasing
   subsequences. *)
let knapsack weights values capacity =
  let best = Array.make (capacity + 1) 0 in
  Array.iteri
    (fun i w ->
      for c = capacity downto w do
        let with_it = best.(c - w) + values.(i) in
        if with_it > best.(c) then best.(c) <- with_it
      done)
    weights;
  best.(capacity)

let change coins amount =
  let ways = Array.make (amount + 1) 0 in
  ways.(0) <- 1;
  List.iter
    (fun coin ->
      for a = coin to amount do
        ways.(a) <- (ways.(a) + ways.(a - coin)) mod 1_000_000_007
      done)
    coins;
  ways.(amount)

let chain dims =
  let n = Array.length dims - 1 in
  let cost = Array.make_matrix n n 0 in
  for len = 2 to n do
    for i = 0 to n - len do
      let j = i + len - 1 in
      cost.(i).(j) <- max_int;
      for k = i to j - 1 do
        let c = cost.(i).(k) + cost.(k + 1).(j) + (dims.(i) * dims.(k + 1) * dims.(j + 1)) in
        if c < cost.(i).(j) then cost.(i).(j) <- c
      done
    done
  done;
  cost.(0).(n - 1)

let increasing a =
  let tails = Array.make (Array.length a) 0 and len = ref 0 in
  Array.iter
    (fun x ->
      let lo = ref 0 and hi = ref !len in
      while !lo < !hi do
        let m = (!lo + !hi) / 2 in
        if tails.(m) < x then lo := m + 1 else hi := m
      done;
      tails.(!lo) <- x;
      if !lo = !len then incr len)
    a;
  !len

let () =
  let weights = Array.init 120 (fun i -> 5 + (i * 37 mod 91))
  and values = Array.init 120 (fun i -> 10 + (i * 53 mod 97)) in
  Printf.printf "knapsack %d\n" (knapsack weights values 60_000);
  Printf.printf "fits %d\n" (knapsack weights values 2_000);
  Printf.printf "change %d\n" (change [ 1; 2; 5; 10; 20; 50; 100; 200 ] 300_000);
  Printf.printf "chain %d\n" (chain (Array.init 190 (fun i -> 5 + (i * 29 mod 40))));
  Printf.printf "increasing %d\n" (increasing (Array.init 100_000 (fun i -> i * 7919 mod 100_003)))
