(* floats: The fast Fourier transform over two float arrays, in place, there and back. *)
let pi = 4. *. atan 1.

let reverse re im n =
  let j = ref 0 in
  for i = 0 to n - 2 do
    if i < !j then begin
      let t = re.(i) in re.(i) <- re.(!j); re.(!j) <- t;
      let t = im.(i) in im.(i) <- im.(!j); im.(!j) <- t
    end;
    let k = ref (n / 2) in
    while !k <= !j do
      j := !j - !k;
      k := !k / 2
    done;
    j := !j + !k
  done

let fft sign re im =
  let n = Array.length re in
  reverse re im n;
  let len = ref 2 in
  while !len <= n do
    let half = !len / 2 in
    let angle = sign *. 2. *. pi /. float_of_int !len in
    for k = 0 to half - 1 do
      let wr = cos (angle *. float_of_int k) and wi = sin (angle *. float_of_int k) in
      let i = ref k in
      while !i < n do
        let j = !i + half in
        let tr = (wr *. re.(j)) -. (wi *. im.(j)) in
        let ti = (wr *. im.(j)) +. (wi *. re.(j)) in
        re.(j) <- re.(!i) -. tr;
        im.(j) <- im.(!i) -. ti;
        re.(!i) <- re.(!i) +. tr;
        im.(!i) <- im.(!i) +. ti;
        i := !i + !len
      done
    done;
    len := 2 * !len
  done

let () =
  let n = 1 lsl 14 in
  let signal i = sin (float_of_int (i * 37)) +. (0.5 *. cos (float_of_int (i * 11))) in
  let re = Array.init n signal and im = Array.make n 0. in
  for _ = 1 to 24 do
    fft (-1.) re im;
    fft 1. re im;
    for i = 0 to n - 1 do
      re.(i) <- re.(i) /. float_of_int n;
      im.(i) <- im.(i) /. float_of_int n
    done
  done;
  let error = ref 0. in
  for i = 0 to n - 1 do error := max !error (abs_float (re.(i) -. signal i)) done;
  fft (-1.) re im;
  let power = ref 0. in
  for i = 0 to n - 1 do power := !power +. (re.(i) *. re.(i)) +. (im.(i) *. im.(i)) done;
  Printf.printf "%.4f %b\n" (!power /. float_of_int n) (!error < 1e-9)
