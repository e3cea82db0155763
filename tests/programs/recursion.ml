(* Plain, tail and nested recursion over integers and lists. *)
let rec fact n = if n <= 1 then 1 else n * fact (n - 1)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let rec ack m n =
  if m = 0 then n + 1
  else if n = 0 then ack (m - 1) 1
  else ack (m - 1) (ack m (n - 1))

let rec gcd a b = if b = 0 then a else gcd b (a mod b)
let rec power b e =
  if e = 0 then 1
  else
    let half = power b (e / 2) in
    if e land 1 = 0 then half * half else half * half * b

let rec hanoi n from via into moves =
  if n > 0 then begin
    hanoi (n - 1) from into via moves;
    incr moves;
    if n >= 4 then Printf.printf "disc %d: %c -> %c\n" n from into;
    hanoi (n - 1) via from into moves
  end

(* A function with more arguments than fit the register entries. *)
let rec many a b c d e f g h i =
  if a = 0 then b + c + d + e + f + g + h + i
  else many (a - 1) c d e f g h i (b + a)

let rec count_down n acc = if n = 0 then acc else count_down (n - 1) (acc + n)

let rec mccarthy n = if n > 100 then n - 10 else mccarthy (mccarthy (n + 11))

let () =
  List.iter (fun n -> Printf.printf "%d! = %d\n" n (fact n)) [ 0; 1; 5; 10; 20; 25 ];
  Printf.printf "fib 18 = %d\n" (fib 18);
  Printf.printf "ack 2 9 = %d\n" (ack 2 9);
  Printf.printf "gcd = %d\n" (gcd 1071 462);
  Printf.printf "3^30 = %d\n" (power 3 30);
  let moves = ref 0 in
  hanoi 7 'a' 'b' 'c' moves;
  Printf.printf "%d moves\n" !moves;
  Printf.printf "many = %d\n" (many 50 1 2 3 4 5 6 7 8);
  Printf.printf "count_down = %d\n" (count_down 20000 0);
  Printf.printf "mccarthy = %d\n" (mccarthy 30)
