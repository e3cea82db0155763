type colour = Red | Green | Blue

let name = function
  | Red -> "red"
  | Green -> "green"

let unused argument = ignore (name Blue)
