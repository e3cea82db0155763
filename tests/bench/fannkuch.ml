(* arrays: Pancake flipping over all permutations: integer arrays. *)
let fannkuch n =
  let perm = Array.make n 0 and perm1 = Array.init n Fun.id and count = Array.make n 0 in
  let max_flips = ref 0 and checksum = ref 0 and r = ref n and index = ref 0 in
  try
    while true do
      while !r <> 1 do
        count.(!r - 1) <- !r;
        decr r
      done;
      Array.blit perm1 0 perm 0 n;
      let flips = ref 0 in
      while perm.(0) <> 0 do
        let k = perm.(0) in
        for i = 0 to k / 2 do
          let t = perm.(i) in
          perm.(i) <- perm.(k - i);
          perm.(k - i) <- t
        done;
        incr flips
      done;
      if !flips > !max_flips then max_flips := !flips;
      checksum := !checksum + if !index land 1 = 0 then !flips else - !flips;
      let continue = ref true in
      while !continue do
        if !r = n then raise Exit;
        let first = perm1.(0) in
        for i = 0 to !r - 1 do perm1.(i) <- perm1.(i + 1) done;
        perm1.(!r) <- first;
        count.(!r) <- count.(!r) - 1;
        if count.(!r) > 0 then continue := false else incr r
      done;
      incr index
    done
  with Exit -> Printf.printf "%d\nPfannkuchen(%d) = %d\n" !checksum n !max_flips

let () = fannkuch 9; fannkuch 9; fannkuch 9
