(* What the program has made before its first effect, and what that leads to, dies like anything
   else: a queue that elements went through, a stream that is walked. *)

type stream = Cons of Bytes.t * stream Lazy.t

let rec from n =
  let size = if n < 2 then 1 else 1_000_000 in
  Cons (Bytes.make size 'x', lazy (from (n + 1)))

let next cursor =
  let (Cons (_, rest)) = !cursor in
  cursor := Lazy.force rest

let cursor = ref (from 0)
let () = next cursor
let queue = Queue.create ()
let () = List.iter (fun n -> Queue.add n queue) [ 1; 2; 3 ]
let () = print_endline "begun"

let () =
  for n = 1 to 4_000_000 do
    Queue.add (Queue.pop queue + n) queue
  done;
  for _ = 1 to 200 do
    next cursor
  done;
  print_endline "done"
