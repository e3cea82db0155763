(* floats: LU decomposition with partial pivoting, and systems solved with it. *)
exception Singular

let decompose a =
  let n = Array.length a in
  let perm = Array.init n (fun i -> i) in
  for k = 0 to n - 1 do
    let pivot = ref k in
    for i = k + 1 to n - 1 do
      if abs_float a.(i).(k) > abs_float a.(!pivot).(k) then pivot := i
    done;
    if a.(!pivot).(k) = 0. then raise Singular;
    if !pivot <> k then begin
      let row = a.(k) and p = perm.(k) in
      a.(k) <- a.(!pivot);
      a.(!pivot) <- row;
      perm.(k) <- perm.(!pivot);
      perm.(!pivot) <- p
    end;
    for i = k + 1 to n - 1 do
      a.(i).(k) <- a.(i).(k) /. a.(k).(k);
      for j = k + 1 to n - 1 do
        a.(i).(j) <- a.(i).(j) -. (a.(i).(k) *. a.(k).(j))
      done
    done
  done;
  perm

let solve a perm b =
  let n = Array.length a in
  let x = Array.init n (fun i -> b.(perm.(i))) in
  for i = 0 to n - 1 do
    for j = 0 to i - 1 do x.(i) <- x.(i) -. (a.(i).(j) *. x.(j)) done
  done;
  for i = n - 1 downto 0 do
    for j = i + 1 to n - 1 do x.(i) <- x.(i) -. (a.(i).(j) *. x.(j)) done;
    x.(i) <- x.(i) /. a.(i).(i)
  done;
  x

let () =
  let n = 180 in
  let seed = ref 12345 in
  let random () =
    seed := ((!seed * 1103515245) + 12345) land 0x3fffffff;
    (float_of_int !seed /. float_of_int 0x3fffffff) -. 0.5
  in
  for round = 1 to 8 do
    let a = Array.init n (fun _ -> Array.init n (fun _ -> random ())) in
    let expected = Array.init n (fun i -> float_of_int (i mod 10)) in
    let b = Array.map (fun row ->
      let sum = ref 0. in
      Array.iteri (fun j v -> sum := !sum +. (v *. expected.(j))) row;
      !sum) a in
    let perm = decompose a in
    let x = ref (solve a perm b) in
    for _ = 1 to 10 do x := solve a perm b done;
    let error = ref 0. in
    Array.iteri (fun i v -> error := max !error (abs_float (v -. expected.(i)))) !x;
    let trace = ref 0. in
    for i = 0 to n - 1 do trace := !trace +. log (abs_float a.(i).(i)) done;
    Printf.printf "round %d: log|det| %.6f, right: %b\n" round !trace (!error < 1e-6)
  done
