(* floats: Spectral norm of an infinite matrix: float arrays and small float functions. *)
let a i j = 1. /. float_of_int (((i + j) * (i + j + 1) / 2) + i + 1)

let times f v out =
  let n = Array.length v in
  for i = 0 to n - 1 do
    let s = ref 0. in
    for j = 0 to n - 1 do s := !s +. (f i j *. v.(j)) done;
    out.(i) <- !s
  done

let () =
  let n = 600 in
  let u = Array.make n 1. and v = Array.make n 0. and t = Array.make n 0. in
  let at_a x y = times a x t; times (fun i j -> a j i) t y in
  for _ = 1 to 10 do at_a u v; at_a v u done;
  let vbv = ref 0. and vv = ref 0. in
  Array.iteri (fun i vi -> vv := !vv +. (vi *. vi); vbv := !vbv +. (u.(i) *. vi)) v;
  Printf.printf "%.9f\n" (sqrt (!vbv /. !vv))
