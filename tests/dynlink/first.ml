(* A plugin: state of its own, closures over it, many arguments, a functor of the host's. *)
let counter = ref 0
let table : (string, int list) Hashtbl.t = Hashtbl.create 8

let transform n =
  incr counter;
  Hashtbl.replace table (string_of_int n) [ n; !counter ];
  n + !counter

let nine a b c d e f g h i = a + (b * c) - d + (e * f) - g + (h * i)

let make f list = List.rev_map (fun n -> f (nine n 1 2 3 4 5 6 7 8)) list

module Square = struct
  type t = int
  let make n = n
  let area n = n * n
end

module Total = Api.Total (Square)

let () =
  Api.log "first" (string_of_int (Total.of_list [ 1; 2; 3 ]));
  Api.register { name = "first"; transform; make }
