let total prices = List.fold_left ( +. ) 0 prices

let () = print_float (total [ 1.5; 2.5 ])
