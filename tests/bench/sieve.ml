(* arrays: The sieve of Eratosthenes over bytes, several times. *)
let count limit =
  let composite = Bytes.make (limit + 1) '\000' in
  let n = ref 0 in
  for i = 2 to limit do
    if Bytes.get composite i = '\000' then begin
      incr n;
      let j = ref (i * i) in
      while !j <= limit do
        Bytes.set composite !j '\001';
        j := !j + i
      done
    end
  done;
  !n

let () =
  let total = ref 0 in
  for k = 1 to 5 do total := !total + count (1_000_000 * k) done;
  Printf.printf "%d\n" !total
