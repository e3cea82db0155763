(* floats: Atoms of a molecule's chain placed by composed transformations, which are records of
   twelve floats. *)
type pt = { x : float; y : float; z : float }

type tfo =
  { a : float; b : float; c : float; d : float; e : float; f : float;
    g : float; h : float; i : float; tx : float; ty : float; tz : float }

let identity =
  { a = 1.; b = 0.; c = 0.; d = 0.; e = 1.; f = 0.; g = 0.; h = 0.; i = 1.;
    tx = 0.; ty = 0.; tz = 0. }

let apply t p =
  { x = (p.x *. t.a) +. (p.y *. t.d) +. (p.z *. t.g) +. t.tx;
    y = (p.x *. t.b) +. (p.y *. t.e) +. (p.z *. t.h) +. t.ty;
    z = (p.x *. t.c) +. (p.y *. t.f) +. (p.z *. t.i) +. t.tz }

let combine s t =
  { a = (s.a *. t.a) +. (s.b *. t.d) +. (s.c *. t.g);
    b = (s.a *. t.b) +. (s.b *. t.e) +. (s.c *. t.h);
    c = (s.a *. t.c) +. (s.b *. t.f) +. (s.c *. t.i);
    d = (s.d *. t.a) +. (s.e *. t.d) +. (s.f *. t.g);
    e = (s.d *. t.b) +. (s.e *. t.e) +. (s.f *. t.h);
    f = (s.d *. t.c) +. (s.e *. t.f) +. (s.f *. t.i);
    g = (s.g *. t.a) +. (s.h *. t.d) +. (s.i *. t.g);
    h = (s.g *. t.b) +. (s.h *. t.e) +. (s.i *. t.h);
    i = (s.g *. t.c) +. (s.h *. t.f) +. (s.i *. t.i);
    tx = (s.tx *. t.a) +. (s.ty *. t.d) +. (s.tz *. t.g) +. t.tx;
    ty = (s.tx *. t.b) +. (s.ty *. t.e) +. (s.tz *. t.h) +. t.ty;
    tz = (s.tx *. t.c) +. (s.ty *. t.f) +. (s.tz *. t.i) +. t.tz }

let turn_z angle = { identity with a = cos angle; b = sin angle; d = -.sin angle; e = cos angle }
let turn_x angle = { identity with e = cos angle; f = sin angle; h = -.sin angle; i = cos angle }
let move x y z = { identity with tx = x; ty = y; tz = z }

let distance p q =
  let dx = p.x -. q.x and dy = p.y -. q.y and dz = p.z -. q.z in
  sqrt ((dx *. dx) +. (dy *. dy) +. (dz *. dz))

let base =
  [ { x = 0.; y = 0.; z = 0. }; { x = 1.2; y = 0.1; z = 0. };
    { x = 1.9; y = -0.8; z = 0.5 }; { x = 0.7; y = -1.1; z = 1.3 } ]

(* Extends the chain in all ways that keep atoms apart, as deep as asked; counts the chains. *)
let rec search depth frame placed =
  if depth = 0 then 1
  else
    List.fold_left
      (fun count (turn, bend) ->
        let frame =
          combine (combine (turn_z turn) (turn_x bend)) (combine (move 2.3 0. 0.4) frame) in
        let atoms = List.map (apply frame) base in
        let apart =
          List.for_all (fun p -> List.for_all (fun q -> distance p q > 0.55) placed) atoms in
        if apart then count + search (depth - 1) frame (List.rev_append atoms placed) else count)
      0 [ (0.6, 0.3); (-0.9, 1.1); (2.1, -0.5) ]

let () =
  for depth = 1 to 9 do
    Printf.printf "%d: %d\n" depth (search depth identity (List.map (apply identity) base))
  done;
  let rec walk n t =
    if n = 0 then t else walk (n - 1) (combine (turn_z 0.01) (combine (move 0.01 0. 0.) t)) in
  let p = apply (walk 300_000 identity) { x = 1.; y = 2.; z = 3. } in
  Printf.printf "%.6f %.6f %.6f\n" p.x p.y p.z
