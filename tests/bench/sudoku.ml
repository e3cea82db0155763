(* arrays: Sudoku by backtracking with sets of digits as bits of integers. *)
let puzzles =
  [ "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......";
    "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9";
    "52...6.........7.13...........4..8..6......5...........418.........3..2...87.....";
    "6.....8.3.4.7.................5.4.7.3..2.....1.6.......2.....5.....8.6......1....";
    "48.3............71.2.......7.5....6....2..8.............1.76...3.....4......5....";
    "....14....3....2...7..........9...3.6.1.............8.2.....1.4....5.6.....7.8..." ]

let rows = Array.make 9 0
let columns = Array.make 9 0
let boxes = Array.make 9 0
let grid = Array.make 81 0
let nodes = ref 0

let box cell = (cell / 27 * 3) + (cell mod 9 / 3)

let toggle cell bit =
  rows.(cell / 9) <- rows.(cell / 9) lxor bit;
  columns.(cell mod 9) <- columns.(cell mod 9) lxor bit;
  boxes.(box cell) <- boxes.(box cell) lxor bit

let free cell = 0x3fe land lnot (rows.(cell / 9) lor columns.(cell mod 9) lor boxes.(box cell))
let rec popcount x = if x = 0 then 0 else 1 + popcount (x land (x - 1))

(* The empty cell with the fewest candidates; -1 if there is none. *)
let choose () =
  let best = ref (-1) and fewest = ref 10 in
  for cell = 0 to 80 do
    if grid.(cell) = 0 then begin
      let n = popcount (free cell) in
      if n < !fewest then begin fewest := n; best := cell end
    end
  done;
  !best

let rec solve () =
  incr nodes;
  let cell = choose () in
  if cell < 0 then true
  else begin
    let candidates = free cell in
    let rec attempt digit =
      if digit > 9 then begin grid.(cell) <- 0; false end
      else begin
        let bit = 1 lsl digit in
        if candidates land bit = 0 then attempt (digit + 1)
        else begin
          grid.(cell) <- digit;
          toggle cell bit;
          if solve () then true else begin toggle cell bit; attempt (digit + 1) end
        end
      end
    in
    attempt 1
  end

let load text =
  List.iter (fun a -> Array.fill a 0 9 0) [ rows; columns; boxes ];
  String.iteri (fun cell c ->
    grid.(cell) <- (if c = '.' then 0 else Char.code c - 48);
    if c <> '.' then toggle cell (1 lsl grid.(cell))) text

let () =
  List.iter (fun text ->
    nodes := 0;
    load text;
    let solved = solve () in
    Printf.printf "%b %5d %s\n" solved !nodes
      (String.concat "" (Array.to_list (Array.map string_of_int grid))))
    puzzles
