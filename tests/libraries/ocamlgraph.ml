(* Graphs: paths, components, orders, flows. *)
module V = struct type t = int let compare = compare let hash = Hashtbl.hash let equal = ( = ) end
module E = struct type t = int let compare = compare let default = 1 end
module G = Graph.Persistent.Digraph.ConcreteLabeled (V) (E)
module W = struct
  type edge = G.E.t
  type label = int
  type t = int
  let weight = G.E.label
  let add = ( + )
  let zero = 0
  let compare = compare
end
module Paths = Graph.Path.Dijkstra (G) (W)
module Components = Graph.Components.Make (G)
module Topological = Graph.Topological.Make_stable (G)
module Ops = Graph.Oper.P (G)
module U = Graph.Imperative.Graph.Concrete (V)
module Colour = Graph.Coloring.Make (U)
module Dfs = Graph.Traverse.Dfs (G)
let edges = [ (1, 7, 2); (1, 9, 3); (1, 14, 6); (2, 10, 3); (2, 15, 4); (3, 11, 4); (3, 2, 6);
  (4, 6, 5); (6, 9, 5) ]
let () =
  let g = List.fold_left (fun g (a, w, b) -> G.add_edge_e g (a, w, b)) G.empty edges in
  Printf.printf "%d %d\n" (G.nb_vertex g) (G.nb_edges g);
  let path, weight = Paths.shortest_path g 1 5 in
  List.iter (fun (a, _, b) -> Printf.printf "%d->%d " a b) path;
  Printf.printf "%d\n" weight;
  Topological.iter (Printf.printf "%d ") g;
  print_newline ();
  let g' = G.add_edge g 4 2 in
  let n, which = Components.scc g' in
  Printf.printf "%d %b %b\n" n (which 2 = which 4) (Dfs.has_cycle g');
  Printf.printf "%d\n" (G.nb_edges (Ops.transitive_closure g));
  let u = U.create () in
  List.iter (fun (a, _, b) -> U.add_edge u a b) edges;
  let colours = Colour.coloring u 4 in
  Printf.printf "%b\n" (List.for_all (fun (a, _, b) -> Colour.H.find colours a <> Colour.H.find
    colours b) edges);
  let module Dot = Graph.Graphviz.Dot (struct
    include G
    let vertex_name = string_of_int
    let graph_attributes _ = []
    let default_vertex_attributes _ = []
    let vertex_attributes _ = []
    let default_edge_attributes _ = []
    let edge_attributes (_, w, _) = [ `Label (string_of_int w) ]
    let get_subgraph _ = None
  end) in
  Dot.output_graph stdout g
