(* arrays: an image of bytes in a Bigarray, blurred, its histogram equalised, its edges found and
   counted. *)
open Bigarray

type image = (int, int8_unsigned_elt, c_layout) Array2.t

let make h w : image = Array2.create int8_unsigned c_layout h w

let noise h w =
  let image = make h w and seed = ref 42 in
  for i = 0 to h - 1 do
    for j = 0 to w - 1 do
      seed := ((!seed * 1103515245) + 12345) land 0x3fffffff;
      image.{i, j} <- ((i * j / 64) + (!seed lsr 24)) land 255
    done
  done;
  image

let blur (from : image) (into : image) =
  for i = 1 to Array2.dim1 from - 2 do
    for j = 1 to Array2.dim2 from - 2 do
      let sum = ref 0 in
      for di = -1 to 1 do
        for dj = -1 to 1 do sum := !sum + from.{i + di, j + dj} done
      done;
      into.{i, j} <- !sum / 9
    done
  done

let equalise (image : image) =
  let counts = Array1.create int c_layout 256 in
  Array1.fill counts 0;
  let h = Array2.dim1 image and w = Array2.dim2 image in
  for i = 0 to h - 1 do
    for j = 0 to w - 1 do
      let level = image.{i, j} in
      counts.{level} <- counts.{level} + 1
    done
  done;
  for level = 1 to 255 do counts.{level} <- counts.{level} + counts.{level - 1} done;
  for i = 0 to h - 1 do
    for j = 0 to w - 1 do image.{i, j} <- counts.{image.{i, j}} * 255 / (h * w) done
  done

let edges (image : image) =
  let count = ref 0 in
  for i = 1 to Array2.dim1 image - 2 do
    for j = 1 to Array2.dim2 image - 2 do
      let dx = image.{i, j + 1} - image.{i, j - 1} and dy = image.{i + 1, j} - image.{i - 1, j} in
      if abs dx + abs dy > 60 then incr count
    done
  done;
  !count

let () =
  let image = ref (noise 256 256) and other = ref (make 256 256) in
  for round = 1 to 24 do
    blur !image !other;
    let swap = !image in
    image := !other;
    other := swap;
    equalise !image;
    Printf.printf "round %d: %d edges, middle %d\n" round (edges !image) !image.{128, 128}
  done
