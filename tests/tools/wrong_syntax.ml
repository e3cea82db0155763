let double x =
  let y = 2 * x in
  if y > 10 then (y

let () = print_int (double 4)
