(* The compatibility module for results. *)
let halve n = if n mod 2 = 0 then Result.Ok (n / 2) else Result.Error (Printf.sprintf "%d is odd" n)
let rec chain n = function
  | 0 -> Result.Ok n
  | k -> Result.bind (halve n) (fun n -> chain n (k - 1))
let () =
  List.iter
    (fun (n, k) -> match chain n k with Result.Ok n -> Printf.printf "%d\n" n | Result.Error m ->
      print_endline m)
    [ (8, 3); (12, 3); (0, 5) ];
  Printf.printf "%b %d\n" (Result.is_ok (halve 3)) (Result.value ~default:0 (halve 3));
  let folded = Result.fold ~ok:string_of_int ~error:String.uppercase_ascii in
  Printf.printf "%s %s\n" (folded (halve 4)) (folded (halve 5));
  Printf.printf "%b\n" (Result.equal ~ok:( = ) ~error:( = ) (halve 4) (Result.map (fun x ->
    x) (Ok 2)))
