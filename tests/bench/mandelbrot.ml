(* floats: The Mandelbrot set as a checksum: float loops with early exit. *)
let rec escape cr ci zr zi n =
  if n = 0 then 0
  else
    let r2 = zr *. zr and i2 = zi *. zi in
    if r2 +. i2 > 4. then n else escape cr ci (r2 -. i2 +. cr) ((2. *. zr *. zi) +. ci) (n - 1)

let () =
  let size = 640 and sum = ref 0 and inside = ref 0 in
  for y = 0 to size - 1 do
    for x = 0 to size - 1 do
      let cr = (2. *. float_of_int x /. float_of_int size) -. 1.5
      and ci = (2. *. float_of_int y /. float_of_int size) -. 1. in
      let n = escape cr ci 0. 0. 80 in
      if n = 0 then incr inside else sum := !sum + n
    done
  done;
  Printf.printf "%d %d\n" !inside !sum
