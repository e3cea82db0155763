(* allocation: Chains of 100,000 ephemerons, the data of each being the key of the one before. First
   only the key of the first is held otherwise, then none. They are made in the order in which
   ocamlrun does not take quadratic time. *)
module E = Ephemeron.K1

type link = { number : int }

let length = 100_000

let chain links =
  let rec extend i chain =
    if i = 0 then chain
    else begin
      let ephemeron = E.create () in
      E.set_key ephemeron links.(i - 1);
      E.set_data ephemeron links.(i);
      extend (i - 1) (ephemeron :: chain)
    end
  in
  extend (Array.length links - 1) []

let alive chain = List.fold_left (fun n e -> if E.check_data e then n + 1 else n) 0 chain

let () =
  for round = 1 to 15 do
    let links = Array.init (length + 1) (fun number -> { number }) in
    Gc.minor ();
    let chain = chain links in
    let first = ref (Some links.(0)) in
    Array.fill links 0 (length + 1) { number = 0 };
    Gc.full_major ();
    let held = if Option.is_some (Sys.opaque_identity !first) then "held" else "not held" in
    Printf.printf "%d: %s, %d alive" round held (alive chain);
    first := None;
    Gc.full_major ();
    Printf.printf ", then %d\n" (alive chain)
  done
