(* arrays: Shortest paths between all pairs, transitive closure, and the longest common subsequence:
   loops over matrices. *)
let infinite = max_int / 4

let graph n =
  let seed = ref 99 in
  let next k = seed := ((!seed * 1103515245) + 12345) land 0x3fffffff; (!seed lsr 8) mod k in
  let d = Array.make_matrix n n infinite in
  for i = 0 to n - 1 do
    d.(i).(i) <- 0;
    for _ = 1 to 5 do d.(i).(next n) <- 1 + next 100 done;
    d.(i).(i) <- 0
  done;
  d

let floyd d =
  let n = Array.length d in
  for k = 0 to n - 1 do
    for i = 0 to n - 1 do
      for j = 0 to n - 1 do
        let through = d.(i).(k) + d.(k).(j) in
        if through < d.(i).(j) then d.(i).(j) <- through
      done
    done
  done

let closure r =
  let n = Array.length r in
  for k = 0 to n - 1 do
    for i = 0 to n - 1 do
      if r.(i).(k) then for j = 0 to n - 1 do r.(i).(j) <- r.(i).(j) || r.(k).(j) done
    done
  done

let () =
  let n = 230 in
  let d = graph n in
  let near = Array.map (Array.map (fun w -> w < 30)) d in
  floyd d;
  let sum = ref 0 and far = ref 0 in
  Array.iter
    (Array.iter (fun w -> if w < infinite then begin sum := !sum + w; far := max !far w end))
    d;
  Printf.printf "sum %d, diameter %d\n" !sum !far;
  closure near;
  let pairs =
    Array.fold_left (Array.fold_left (fun count b -> if b then count + 1 else count)) 0 near in
  Printf.printf "reachable %d\n" pairs;
  let a = Array.init 1200 (fun i -> (i * i) mod 17)
  and b = Array.init 1200 (fun i -> (i * i * i) mod 17) in
  let lcs = Array.make_matrix 1201 1201 0 in
  for i = 1 to 1200 do
    for j = 1 to 1200 do
      lcs.(i).(j) <-
        (if a.(i - 1) = b.(j - 1) then lcs.(i - 1).(j - 1) + 1
         else max lcs.(i - 1).(j) lcs.(i).(j - 1))
    done
  done;
  Printf.printf "common %d\n" lcs.(1200).(1200)
