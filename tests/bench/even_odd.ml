(* calls: Mutual recursion: even and odd, Hofstadter's sequences, an automaton with a function for
   each state. *)
let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let rec female n = if n = 0 then 1 else n - male (female (n - 1))
and male n = if n = 0 then 0 else n - female (male (n - 1))

(* Whether a binary number, its digits from the left, is divisible by three. *)
let rec zero n bit =
  if bit < 0 then true else if (n lsr bit) land 1 = 0 then zero n (bit - 1) else one n (bit - 1)
and one n bit =
  if bit < 0 then false else if (n lsr bit) land 1 = 0 then two n (bit - 1) else zero n (bit - 1)
and two n bit =
  if bit < 0 then false else if (n lsr bit) land 1 = 0 then one n (bit - 1) else two n (bit - 1)

let rec hanoi n source target spare moves =
  if n = 0 then moves
  else hanoi (n - 1) spare target source (1 + hanoi (n - 1) source spare target moves)

let () =
  let count = ref 0 in
  for n = 1 to 6000 do if even n then incr count done;
  Printf.printf "%d\n" !count;
  Printf.printf "%d %d\n" (female 130) (male 131);
  let count = ref 0 in
  for n = 0 to 400_000 do if zero n 19 then incr count done;
  Printf.printf "%d\n" !count;
  Printf.printf "%d\n" (hanoi 19 'a' 'b' 'c' 0)
