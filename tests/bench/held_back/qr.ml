(* floats: Householder's QR decomposition, least squares, and eigenvalues by unshifted QR steps. *)
let make n m f = Array.init n (fun i -> Array.init m (f i))

(* Turns [a] into its triangle; the same reflections go over [b]. *)
let reflect a b =
  let n = Array.length a and m = Array.length a.(0) and width = Array.length b.(0) in
  let v = Array.make n 0. in
  for k = 0 to min (n - 1) m - 1 do
    let norm = ref 0. in
    for i = k to n - 1 do norm := !norm +. (a.(i).(k) *. a.(i).(k)) done;
    let alpha = if a.(k).(k) > 0. then -.sqrt !norm else sqrt !norm in
    for i = k to n - 1 do v.(i) <- a.(i).(k) done;
    v.(k) <- v.(k) -. alpha;
    let vv = ref 0. in
    for i = k to n - 1 do vv := !vv +. (v.(i) *. v.(i)) done;
    if !vv > 1e-300 then begin
      let over matrix j =
        let dot = ref 0. in
        for i = k to n - 1 do dot := !dot +. (v.(i) *. matrix.(i).(j)) done;
        let scale = 2. *. !dot /. !vv in
        for i = k to n - 1 do matrix.(i).(j) <- matrix.(i).(j) -. (scale *. v.(i)) done
      in
      for j = k to m - 1 do over a j done;
      for j = 0 to width - 1 do over b j done
    end
  done

let back_substitute r b =
  let m = Array.length r.(0) in
  let x = Array.make m 0. in
  for i = m - 1 downto 0 do
    let sum = ref b.(i).(0) in
    for j = i + 1 to m - 1 do sum := !sum -. (r.(i).(j) *. x.(j)) done;
    x.(i) <- !sum /. r.(i).(i)
  done;
  x

let () =
  let samples = 5000 and degree = 12 in
  let at i = (2. *. float_of_int i /. float_of_int samples) -. 1. in
  for round = 1 to 3 do
    let a = make samples degree (fun i j -> at i ** float_of_int j) in
    let b = make samples 1 (fun i _ -> cos (float_of_int round *. at i)) in
    reflect a b;
    let x = back_substitute a b in
    Printf.printf "fit %d: %.6f %.6f %.6f\n" round x.(0) x.(2) x.(4)
  done;
  let n = 24 in
  let matrix =
    ref (make n n (fun i j ->
        1. /. float_of_int (i + j + 1) +. if i = j then float_of_int i else 0.)) in
  for _ = 1 to 400 do
    let r = Array.map Array.copy !matrix in
    let qt = make n n (fun i j -> if i = j then 1. else 0.) in
    reflect r qt;
    matrix := make n n (fun i j ->
      let sum = ref 0. in
      for k = i to n - 1 do sum := !sum +. (r.(i).(k) *. qt.(j).(k)) done;
      !sum)
  done;
  Printf.printf "largest: %.5f, sum %.5f\n" !matrix.(0).(0)
    (Array.fold_left ( +. ) 0. (Array.mapi (fun i row -> row.(i)) !matrix))
