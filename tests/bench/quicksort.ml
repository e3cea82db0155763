(* arrays: Quicksort, heapsort and the library's sort of integer arrays. *)
let rec quicksort (a : int array) lo hi =
  if lo < hi then begin
    let pivot = a.((lo + hi) lsr 1) and i = ref lo and j = ref hi in
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

let heapsort (a : int array) =
  let rec sift i n =
    let l = (2 * i) + 1 in
    if l < n then begin
      let c = if l + 1 < n && a.(l + 1) > a.(l) then l + 1 else l in
      if a.(c) > a.(i) then begin
        let t = a.(c) in
        a.(c) <- a.(i);
        a.(i) <- t;
        sift c n
      end
    end
  in
  let n = Array.length a in
  for i = (n / 2) - 1 downto 0 do sift i n done;
  for i = n - 1 downto 1 do
    let t = a.(0) in
    a.(0) <- a.(i);
    a.(i) <- t;
    sift 0 i
  done

let random_array n =
  let seed = ref 12345 in
  Array.init n (fun _ -> seed := ((!seed * 1103515245) + 12345) land 0x7fffffff; !seed)

let () =
  let a = random_array 600_000 in
  let b = Array.sub a 0 150_000 and c = Array.sub a 150_000 100_000 in
  quicksort a 0 (Array.length a - 1);
  heapsort b;
  Array.sort compare c;
  let sorted a =
    try
      for i = 1 to Array.length a - 1 do
        if a.(i - 1) > a.(i) then raise Exit
      done;
      true
    with Exit -> false in
  Printf.printf "%b %b %b %d\n" (sorted a) (sorted b) (sorted c) a.(1000)
