(* Properties, true and false ones, with a fixed seed. *)
open QCheck
let reverse = Test.make ~count:200 ~name:"reverse twice" (list small_int) (fun l ->
  List.rev (List.rev l) = l)
let wrong = Test.make ~count:200 ~name:"sorted" (list small_nat) (fun l -> List.sort compare l = l)
let implied = Test.make ~name:"division" (pair small_int small_int) (fun (a, b) -> assume (b <> 0);
  (a / b * b) + (a mod b) = a)
let raising = Test.make ~name:"raises" small_int (fun n ->
  if n > 10 then failwith "large" else true)
type tree = Leaf | Node of tree * int * tree
let rec size = function Leaf -> 0 | Node (l, _, r) -> size l + 1 + size r
let tree = Gen.(sized (fix (fun self n -> if n = 0 then return Leaf else map3 (fun l x r ->
  Node (l, x, r)) (self (n / 2)) nat (self (n / 2)))))
let trees = Test.make ~name:"sizes" (make ~print:(fun t -> string_of_int (size t)) tree) (fun t ->
  size t < 100_000)
let () =
  let rand = Random.State.make [| 42 |] in
  let code = QCheck_base_runner.run_tests ~colors:false ~rand [ reverse; implied; trees ] in
  Printf.printf "%d\n" code;
  let code = QCheck_base_runner.run_tests ~colors:false ~rand [ wrong; raising ] in
  Printf.printf "%d\n" code;
  let g = Gen.generate ~rand ~n:5 Gen.(string_size ~gen:printable (int_bound 8)) in
  List.iter (Printf.printf "%S ") g;
  print_newline ()
