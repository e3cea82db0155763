(* arrays: A brainf*** interpreter with compiled jumps: an array-driven virtual machine with pattern
   matching. *)
type op = Move of int | Add of int | Out | Jz of int | Jnz of int

let compile src =
  let code = Array.make (String.length src) Out and n = ref 0 and stack = ref [] in
  let emit op = code.(!n) <- op; incr n in
  let bump d =
    match if !n > 0 then code.(!n - 1) else Out with
    | Add k -> code.(!n - 1) <- Add (k + d)
    | _ -> emit (Add d) in
  let shift d =
    match if !n > 0 then code.(!n - 1) else Out with
    | Move k -> code.(!n - 1) <- Move (k + d)
    | _ -> emit (Move d) in
  String.iter
    (function
      | '+' -> bump 1
      | '-' -> bump (-1)
      | '>' -> shift 1
      | '<' -> shift (-1)
      | '.' -> emit Out
      | '[' -> stack := !n :: !stack; emit (Jz 0)
      | ']' ->
        let start = List.hd !stack in
        stack := List.tl !stack;
        code.(start) <- Jz !n;
        emit (Jnz start)
      | _ -> ())
    src;
  Array.sub code 0 !n

let run code =
  let tape = Array.make 3000 0 and p = ref 0 and pc = ref 0 and out = Buffer.create 100 in
  while !pc < Array.length code do
    (match code.(!pc) with
     | Move d -> p := !p + d
     | Add d -> tape.(!p) <- (tape.(!p) + d) land 255
     | Out -> Buffer.add_char out (Char.chr tape.(!p))
     | Jz t -> if tape.(!p) = 0 then pc := t
     | Jnz t -> if tape.(!p) <> 0 then pc := t);
    incr pc
  done;
  Buffer.contents out

(* Counts in nested loops, then prints a greeting. *)
let program =
  "++++++++++[>++++++++++++[>++++++++++++++++[>++++++++++++++++[>++++++++[>+<-]<-]<-]<-]<-]"
  ^ "++++++++++[>+++++++>++++++++++>+++>+<<<<-]>++.>+.+++++++..+++.>++.<<+++++++++++++++.\
     >.+++.------.--------.>+.>."

let () =
  let code = compile program in
  let s = ref "" in
  for _ = 1 to 24 do s := run code done;
  Printf.printf "%d %s\n" (Array.length code) (String.escaped !s)
