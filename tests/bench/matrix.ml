(* floats: Float matrix product and Gaussian elimination on arrays of arrays. *)
let multiply a b =
  let n = Array.length a and m = Array.length b.(0) and k = Array.length b in
  let c = Array.make_matrix n m 0. in
  for i = 0 to n - 1 do
    for j = 0 to m - 1 do
      let s = ref 0. in
      for l = 0 to k - 1 do s := !s +. (a.(i).(l) *. b.(l).(j)) done;
      c.(i).(j) <- !s
    done
  done;
  c

let determinant m =
  let a = Array.map Array.copy m and n = Array.length m and det = ref 1. in
  for i = 0 to n - 1 do
    let p = ref i in
    for r = i + 1 to n - 1 do if abs_float a.(r).(i) > abs_float a.(!p).(i) then p := r done;
    if !p <> i then begin
      let t = a.(i) in
      a.(i) <- a.(!p);
      a.(!p) <- t;
      det := -. !det
    end;
    det := !det *. a.(i).(i);
    for r = i + 1 to n - 1 do
      let f = a.(r).(i) /. a.(i).(i) in
      for c = i to n - 1 do a.(r).(c) <- a.(r).(c) -. (f *. a.(i).(c)) done
    done
  done;
  !det

let () =
  let n = 240 in
  let m =
    Array.init n (fun i ->
        Array.init n (fun j -> if i = j then 2. else 1. /. float_of_int (i + j + 1))) in
  let p = multiply m (multiply m m) in
  Printf.printf "%.6f %.6e\n" p.(3).(5) (determinant m)
