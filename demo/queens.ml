(* How many ways are there to put n queens on a board so that none attacks another?
   Lists, recursion, closures. *)

let rec safe column distance = function
  | [] -> true
  | queen :: others ->
    queen <> column
    && abs (queen - column) <> distance
    && safe column (distance + 1) others

let rec place size row queens =
  if row = size then 1
  else
    List.fold_left
      (fun count column ->
        if safe column 1 queens then count + place size (row + 1) (column :: queens)
        else count)
      0
      (List.init size (fun column -> column))

let () =
  for size = 4 to 11 do
    print_string
      (string_of_int size ^ " queens: " ^ string_of_int (place size 0 []) ^ " ways\n")
  done
