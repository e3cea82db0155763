(* Integers that are the same in all closures of a function, and some that only look like it. *)
let size = 7
let flag = true
let f x = if flag then (x * size) mod (size + 4) else x - size

module Make (X : sig val n : int end) = struct
  let n = X.n
  let twice = 2 * n
  let get x = (x + n, x * twice)
end

module A = Make (struct let n = 3 end)
module B = Make (struct let n = 4 end)

let counters =
  List.map (fun step -> let count = ref 0 in fun () -> count := !count + step; !count) [ 1; 5 ]

let later =
  let limit = ref 0 in
  for i = 1 to 5 do limit := !limit + i done;
  let bound = !limit in
  fun x -> min x bound

let chosen b = let k = if b then 10 else 20 in fun x -> x + k
let same b = let k = if b then 10 else 10 in fun x -> x + k

type node = { value : int; next : node }

let rec ring = { value = 1; next = other } and other = { value = 2; next = ring }
let rec sum k node = if k = 0 then 0 else node.value + sum (k - 1) node.next

let recover =
  let seen = ref 0 in
  (try seen := 4; if Array.length Sys.argv >= 0 then failwith "out" with Failure _ -> incr seen);
  let last = !seen in
  fun () -> last

let rec even n = if n = 0 then flag else odd (n - size + 6)
and odd n = if n = 0 then not flag else even (n - 1)

let () =
  for x = 0 to 20 do Printf.printf "%d " (f x) done;
  let (a, b) = A.get 5 and (c, d) = B.get 5 in
  Printf.printf "\n%d %d %d %d\n" a b c d;
  List.iter (fun next -> ignore (next ()); Printf.printf "%d " (next ())) counters;
  Printf.printf "%d %d %d %d %d %d\n" (later 3) (later 100) (chosen true 1) (chosen false 1)
    (same true 1) (same false 1);
  Printf.printf "%d %d %b %b\n" (sum 5 ring) (recover ()) (even 10) (odd 10)

