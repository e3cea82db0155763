(* Functions of one to nine parameters, in two parts or in one, applied in all ways to split their
   arguments; some raise in the first part or the last. All allocate, so that collections move what
   is held. *)
exception Refused of string

let check stage n = if n < 0 then raise (Refused stage) else string_of_int n

let single = [
  Obj.repr (fun a -> check "1" a);
  Obj.repr (fun a b -> check "2" a ^ check "2" b);
  Obj.repr (fun a b c -> check "3" a ^ check "3" b ^ check "3" c);
  Obj.repr (fun a b c d -> String.concat "" (List.map (check "4") [ a; b; c; d ]));
  Obj.repr (fun a b c d e -> String.concat "" (List.map (check "5") [ a; b; c; d; e ]));
  Obj.repr (fun a b c d e f -> String.concat "" (List.map (check "6") [ a; b; c; d; e; f ]));
  Obj.repr (fun a b c d e f g -> String.concat "" (List.map (check "7") [ a; b; c; d; e; f; g ]));
  Obj.repr (fun a b c d e f g h ->
      String.concat "" (List.map (check "8") [ a; b; c; d; e; f; g; h ]));
  Obj.repr (fun a b c d e f g h i ->
      String.concat "" (List.map (check "9") [ a; b; c; d; e; f; g; h; i ]));
]

(* So that these are no functions of more parameters. *)
let later f = Sys.opaque_identity f

let double = [
  2, Obj.repr (fun a -> let x = check "1+" a in later (fun b -> x ^ check "+1" b));
  3, Obj.repr (fun a -> let x = check "1+" a in later (fun b c -> x ^ check "+2" b ^ check "+2" c));
  3, Obj.repr (fun a b -> let x = check "2+" a ^ check "2+" b in later (fun c -> x ^ check "+1" c));
  4, Obj.repr (fun a b ->
      let x = check "2+" a ^ check "2+" b in later (fun c d -> x ^ check "+2" c ^ check "+2" d));
  5, Obj.repr (fun a b c ->
      let x = check "3+" (a + b + c) in later (fun d e -> x ^ check "+2" d ^ check "+2" e));
  7, Obj.repr (fun a b c d ->
      let x = check "4+" (a + b + c + d) in later (fun e f g -> x ^ check "+3" (e + f + g)));
  9, Obj.repr (fun a b c d e f g h ->
      let x = check "8+" (a + b + c + d + e + f + g + h) in later (fun i -> x ^ check "+1" i));
]

(* The arguments by pieces of these sizes. *)
let rec apply (f : Obj.t) arguments sizes : Obj.t =
  match sizes with
  | [] -> f
  | size :: sizes ->
    let f', rest =
      match size, arguments with
      | 1, a :: r -> (Obj.magic f) a, r
      | 2, a :: b :: r -> (Obj.magic f) a b, r
      | 3, a :: b :: c :: r -> (Obj.magic f) a b c, r
      | 4, a :: b :: c :: d :: r -> (Obj.magic f) a b c d, r
      | 5, a :: b :: c :: d :: e :: r -> (Obj.magic f) a b c d e, r
      | 6, a :: b :: c :: d :: e :: f' :: r -> (Obj.magic f) a b c d e f', r
      | 7, a :: b :: c :: d :: e :: f' :: g :: r -> (Obj.magic f) a b c d e f' g, r
      | 8, a :: b :: c :: d :: e :: f' :: g :: h :: r -> (Obj.magic f) a b c d e f' g h, r
      | 9, a :: b :: c :: d :: e :: f' :: g :: h :: i :: r -> (Obj.magic f) a b c d e f' g h i, r
      | _ -> assert false
    in
    apply f' rest sizes

let rec splits n =
  if n = 0 then [ [] ]
  else
    List.concat_map
      (fun first -> List.map (fun rest -> first :: rest) (splits (n - first)))
      (List.init n succ)

let try_all count f =
  let tried = ref 0 and digest = ref "" in
  let note text = incr tried; digest := Digest.string (!digest ^ text) in
  List.iter
    (fun sizes ->
      for negative = 0 to count do
        let arguments = List.init count (fun i -> if i + 1 = negative then -1000 else i + 1) in
        match (Obj.obj (apply f arguments sizes) : string) with
        | text -> note text
        | exception Refused stage -> note ("refused " ^ stage)
      done)
    (splits count);
  Printf.printf "%d: %d %s\n" count !tried (Digest.to_hex !digest)

(* A constant callee that waits, and goes on to wait. *)
let add4 a b c d = a + (10 * b) + (100 * c) + (1000 * d)

let () =
  List.iteri (fun i f -> try_all (i + 1) f) single;
  List.iter (fun (count, f) -> try_all count f) double;
  let one = add4 1 in
  let two = one 2 in
  let three = two 3 and other = add4 4 3 in
  let all = apply (Obj.repr add4) [ 1; 2; 3; 4 ] [ 1; 1; 2 ] in
  Printf.printf "%d %d %d %d %d\n" (three 4) (two 5 6) (one 7 8 9) (other 2 1) (Obj.obj all : int)
