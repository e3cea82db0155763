(* floats: Gradient noise in three dimensions, summed over octaves. *)
let permutation =
  let p = Array.init 256 (fun i -> i) in
  let seed = ref 7 in
  for i = 255 downto 1 do
    seed := ((!seed * 16807) + 11) mod 2147483647;
    let j = !seed mod (i + 1) in
    let t = p.(i) in
    p.(i) <- p.(j);
    p.(j) <- t
  done;
  Array.init 512 (fun i -> p.(i land 255))

let fade t = t *. t *. t *. ((t *. ((t *. 6.) -. 15.)) +. 10.)
let lerp t a b = a +. (t *. (b -. a))

let grad hash x y z =
  let h = hash land 15 in
  let u = if h < 8 then x else y in
  let v = if h < 4 then y else if h = 12 || h = 14 then x else z in
  (if h land 1 = 0 then u else -.u) +. (if h land 2 = 0 then v else -.v)

let noise x y z =
  let fx = floor x and fy = floor y and fz = floor z in
  let xi = int_of_float fx land 255
  and yi = int_of_float fy land 255
  and zi = int_of_float fz land 255 in
  let x = x -. fx and y = y -. fy and z = z -. fz in
  let u = fade x and v = fade y and w = fade z in
  let p = permutation in
  let a = p.(xi) + yi and b = p.(xi + 1) + yi in
  let aa = p.(a) + zi and ab = p.(a + 1) + zi and ba = p.(b) + zi and bb = p.(b + 1) + zi in
  lerp w
    (lerp v
       (lerp u (grad p.(aa) x y z) (grad p.(ba) (x -. 1.) y z))
       (lerp u (grad p.(ab) x (y -. 1.) z) (grad p.(bb) (x -. 1.) (y -. 1.) z)))
    (lerp v
       (lerp u (grad p.(aa + 1) x y (z -. 1.)) (grad p.(ba + 1) (x -. 1.) y (z -. 1.)))
       (lerp u (grad p.(ab + 1) x (y -. 1.) (z -. 1.))
          (grad p.(bb + 1) (x -. 1.) (y -. 1.) (z -. 1.))))

let rec octaves n amplitude frequency x y z =
  if n = 0 then 0.
  else
    (amplitude *. noise (x *. frequency) (y *. frequency) (z *. frequency))
    +. octaves (n - 1) (amplitude /. 2.) (frequency *. 2.) x y z

let () =
  let size = 400 in
  let histogram = Array.make 10 0 and sum = ref 0. in
  for i = 0 to size - 1 do
    for j = 0 to size - 1 do
      let v = octaves 4 1. 1. (float_of_int i /. 16.) (float_of_int j /. 16.) 0.37 in
      sum := !sum +. v;
      let slot = max 0 (min 9 (int_of_float ((v +. 1.) *. 5.))) in
      histogram.(slot) <- histogram.(slot) + 1
    done
  done;
  Array.iter (Printf.printf "%d ") histogram;
  Printf.printf "\n%.8f\n" !sum
