(* arrays: Simple sorts over Bytes and int arrays: bubble, insertion, shell, counting. *)
let text n = Bytes.init n (fun i -> Char.chr (32 + (i * 7919 mod 95)))

let bubble b =
  let last = ref (Bytes.length b - 1) and swapped = ref true in
  while !swapped do
    swapped := false;
    for i = 0 to !last - 1 do
      let x = Bytes.get b i and y = Bytes.get b (i + 1) in
      if x > y then begin
        Bytes.set b i y;
        Bytes.set b (i + 1) x;
        swapped := true
      end
    done;
    decr last
  done

let insertion a =
  for i = 1 to Array.length a - 1 do
    let x = a.(i) and j = ref (i - 1) in
    while !j >= 0 && a.(!j) > x do
      a.(!j + 1) <- a.(!j);
      decr j
    done;
    a.(!j + 1) <- x
  done

let shell a =
  let gap = ref 1 in
  while !gap < Array.length a / 3 do gap := (3 * !gap) + 1 done;
  while !gap > 0 do
    for i = !gap to Array.length a - 1 do
      let x = a.(i) and j = ref i in
      while !j >= !gap && a.(!j - !gap) > x do
        a.(!j) <- a.(!j - !gap);
        j := !j - !gap
      done;
      a.(!j) <- x
    done;
    gap := !gap / 3
  done

let counting b =
  let count = Array.make 256 0 in
  Bytes.iter (fun c -> count.(Char.code c) <- count.(Char.code c) + 1) b;
  let at = ref 0 in
  Array.iteri (fun code n -> Bytes.fill b !at n (Char.chr code); at := !at + n) count

let checksum a = Array.fold_left (fun h x -> ((h * 31) + x) land 0x3fffffff) 0 a

let () =
  let b = text 4000 in
  bubble b;
  Printf.printf "%s\n" (Digest.to_hex (Digest.bytes b));
  let c = text 4000 in
  counting c;
  Printf.printf "%b\n" (Bytes.equal b c);
  let numbers n = Array.init n (fun i -> i * 7919 mod 10_007) in
  let a = numbers 4000 in
  insertion a;
  Printf.printf "%d\n" (checksum a);
  let a = numbers 120_000 in
  shell a;
  Printf.printf "%d\n" (checksum a)
