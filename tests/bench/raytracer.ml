(* floats: A ray tracer of spheres over a plane, vectors are records, objects are closures. *)
type vec = { x : float; y : float; z : float }

let vec x y z = { x; y; z }
let ( +| ) a b = vec (a.x +. b.x) (a.y +. b.y) (a.z +. b.z)
let ( -| ) a b = vec (a.x -. b.x) (a.y -. b.y) (a.z -. b.z)
let ( *| ) k a = vec (k *. a.x) (k *. a.y) (k *. a.z)
let dot a b = (a.x *. b.x) +. (a.y *. b.y) +. (a.z *. b.z)
let unit a = 1. /. sqrt (dot a a) *| a

type hit = { distance : float; point : vec; normal : vec; shine : float }
type thing = { intersect : vec -> vec -> hit option }

let sphere centre radius shine =
  let intersect origin direction =
    let v = centre -| origin in
    let b = dot v direction in
    let disc = (b *. b) -. dot v v +. (radius *. radius) in
    if disc < 0. then None
    else begin
      let root = sqrt disc in
      let distance = if b -. root > 1e-4 then b -. root else b +. root in
      if distance < 1e-4 then None
      else begin
        let point = origin +| (distance *| direction) in
        Some { distance; point; normal = unit (point -| centre); shine }
      end
    end
  in
  { intersect }

let plane height =
  let intersect origin direction =
    if abs_float direction.y < 1e-6 then None
    else begin
      let distance = (height -. origin.y) /. direction.y in
      if distance < 1e-4 then None
      else Some { distance; point = origin +| (distance *| direction);
                  normal = vec 0. 1. 0.; shine = 0.2 }
    end
  in
  { intersect }

let light = unit (vec 1. 3. (-2.))

let nearest scene origin direction =
  List.fold_left
    (fun best thing ->
      match best, thing.intersect origin direction with
      | None, hit -> hit
      | best, None -> best
      | Some b, Some h -> if h.distance < b.distance then Some h else best)
    None scene

let rec trace scene depth origin direction =
  match nearest scene origin direction with
  | None -> 0.3 +. (0.5 *. max 0. direction.y)
  | Some h ->
    let lit = max 0. (dot h.normal light) in
    let shade = match nearest scene h.point light with None -> lit | Some _ -> 0.2 *. lit in
    if depth = 0 then shade
    else begin
      let mirrored = direction -| (2. *. dot h.normal direction *| h.normal) in
      ((1. -. h.shine) *. shade) +. (h.shine *. trace scene (depth - 1) h.point mirrored)
    end

let () =
  let ring = List.init 6 (fun i ->
    let a = float_of_int i *. 1.0471975511965976 in
    sphere (vec (2. *. cos a) 0.3 (5. +. (2. *. sin a))) 0.7 0.4) in
  let scene = plane (-0.5) :: sphere (vec 0. 1. 5.) 1. 0.6 :: ring in
  let size = 380 in
  let total = ref 0. in
  for py = 0 to size - 1 do
    let line = ref 0. in
    for px = 0 to size - 1 do
      let at p = (2. *. float_of_int p /. float_of_int size) -. 1. in
      line := !line +. trace scene 3 (vec 0. 0.5 0.) (unit (vec (at px) (-.at py) 1.5))
    done;
    if py mod 76 = 0 then Printf.printf "line %3d: %.6f\n" py !line;
    total := !total +. !line
  done;
  Printf.printf "%.6f\n" !total
