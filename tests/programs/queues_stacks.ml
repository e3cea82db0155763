(* Queue, Stack, a circular buffer, a two-list queue and a binary heap. *)
module Heap = struct
  type t = { mutable data : int array; mutable size : int }
  let create () = { data = Array.make 4 0; size = 0 }
  let swap h i j = let t = h.data.(i) in h.data.(i) <- h.data.(j); h.data.(j) <- t
  let rec up h i =
    let parent = (i - 1) / 2 in
    if i > 0 && h.data.(i) < h.data.(parent) then begin swap h i parent; up h parent end
  let rec down h i =
    let smallest = ref i in
    List.iter
      (fun c -> if c < h.size && h.data.(c) < h.data.(!smallest) then smallest := c)
      [ (2 * i) + 1; (2 * i) + 2 ];
    if !smallest <> i then begin swap h i !smallest; down h !smallest end
  let push h x =
    if h.size = Array.length h.data then h.data <- Array.append h.data (Array.make h.size 0);
    h.data.(h.size) <- x;
    h.size <- h.size + 1;
    up h (h.size - 1)
  let pop h =
    let top = h.data.(0) in
    h.size <- h.size - 1;
    h.data.(0) <- h.data.(h.size);
    down h 0;
    top
end

type 'a fifo = { front : 'a list; back : 'a list }
let enqueue x q = { q with back = x :: q.back }
let rec dequeue q =
  match q.front, q.back with
  | [], [] -> None
  | [], back -> dequeue { front = List.rev back; back = [] }
  | x :: front, _ -> Some (x, { q with front })

let josephus n k =
  let q = Queue.create () in
  for i = 1 to n do Queue.add i q done;
  let out = ref [] in
  while not (Queue.is_empty q) do
    for _ = 1 to k - 1 do Queue.add (Queue.take q) q done;
    out := Queue.pop q :: !out
  done;
  List.rev !out

let rpn tokens =
  let s = Stack.create () in
  let binary f = let b = Stack.pop s in let a = Stack.pop s in Stack.push (f a b) s in
  List.iter
    (function
      | "+" -> binary ( + )
      | "-" -> binary ( - )
      | "*" -> binary ( * )
      | n -> Stack.push (int_of_string n) s)
    tokens;
  Stack.pop s

let ints l = String.concat " " (List.map string_of_int l)

let () =
  print_endline (ints (josephus 15 4));
  Printf.printf "%d\n" (rpn (String.split_on_char ' ' "3 4 + 5 6 - * 7 +"));
  (try ignore (rpn [ "1"; "+" ]) with Stack.Empty -> print_endline "stack empty");
  (try ignore (Queue.take (Queue.create ())) with Queue.Empty -> print_endline "queue empty");
  let a = Queue.of_seq (List.to_seq [ 1; 2; 3 ]) and b = Queue.create () in
  Queue.push 9 b;
  Queue.transfer a b;
  Printf.printf "%d %d %s %d\n" (Queue.length a) (Queue.length b)
    (ints (List.of_seq (Queue.to_seq b))) (Queue.fold ( + ) 0 b);
  let h = Heap.create () in
  List.iter (Heap.push h) [ 5; 3; 9; 1; 7; 2; 8; 0; 6; 4 ];
  print_endline (ints (List.init 10 (fun _ -> Heap.pop h)));
  let rec drain q acc =
    match dequeue q with
    | None -> List.rev acc
    | Some (x, q) -> drain (if x < 20 then enqueue (x + 10) q else q) (x :: acc) in
  print_endline (ints (drain (List.fold_right enqueue [ 1; 2; 3 ] { front = []; back = [] }) []));
  let st = Stack.of_seq (String.to_seq "abc") in
  Stack.iter print_char st;
  Printf.printf " %c %d\n" (Stack.top st) (Stack.length st)
