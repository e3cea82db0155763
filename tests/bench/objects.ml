(* calls: Method calls, inheritance and late binding: a small event simulation. *)
class virtual actor (id : int) = object (self)
  val mutable energy = 100
  method id = id
  method energy = energy
  method virtual act : int -> int
  method tick t =
    let used = self#act t in
    energy <- energy - used;
    if energy < 0 then self#rest;
    energy
  method rest = energy <- energy + 1000
end

class walker id = object inherit actor id method act t = (t + id) land 7 end
class runner id = object (self)
  inherit walker id as super
  method! act t = (2 * super#act t) + self#bonus
  method bonus = 1
end
class sprinter id = object
  inherit runner id as super
  val mutable n = 0
  method! bonus = n <- n + 1; n land 3
  method! rest = super#rest; n <- 0
end

let () =
  let actors =
    Array.init 30 (fun i ->
        match i mod 3 with
        | 0 -> new walker i
        | 1 -> (new runner i :> actor)
        | _ -> (new sprinter i :> actor)) in
  let sum = ref 0 in
  for t = 1 to 400_000 do Array.iter (fun a -> sum := !sum + a#tick t) actors done;
  Printf.printf "%d %d\n" !sum (Array.fold_left (fun acc a -> acc + (a#id * a#energy)) 0 actors)
