  (func $of.run (param $code i32) (param $top i32) (param $locals i32) (param $x i64) (result i64)
    (local $pc i32) (local $sp i32) (local $a i32) (local $b i32) (local $fuel i32) (local $v i32)
    (local $slot i32)
    (local.set $pc (local.get $code))
    (local.set $sp (local.get $top))
    (local.set $fuel (i32.const 300))
    (call $of.push.context (local.get $pc))
    (call $of.write.reg (i64.const 0) (local.get $x))
    (call $of.write.reg (i64.const 1) (i64.const 11))
    (call $of.write.reg (i64.const 2) (i64.const 0))
    (call $of.write.reg (i64.const 3) (local.get $x))
    (call $of.write.reg (i64.const 4) (i64.const -1))
    (block $end
      (loop $next
        (call $of.update.context (local.get $pc))
        (call $of.assert (local.get $pc) (i32.const 1))
        (local.set $fuel (i32.sub (local.get $fuel) (i32.const 1)))
        (br_if $end (i32.eqz (local.get $fuel)))
        (local.set $a (i32.load8_u offset=1 (local.get $pc)))
        (local.set $b (i32.load16_s offset=2 (local.get $pc)))
        (local.set $slot (i32.add (local.get $sp) (i32.shl (local.get $a) (i32.const 3))))
        (block $special (block $call (block $memory (block $switch (block $branch (block $jump
        (block $move (block $register (block $set (block $get (block $write (block $read
        (block $pop (block $push (block $mix (block $constant
          (br_table $constant $mix $push $pop $read $write $get $set $register $move $jump $branch
            $switch $memory $call $special $end (i32.load8_u (local.get $pc))))
          ;; constant: one of the instruction's or of the request's
          (call $of.write.reg (i64.const 0)
            (if (result i64) (i32.lt_u (local.get $a) (i32.const 2))
              (then (call $of.constant (local.get $a)))
              (else (i64.extend_i32_s (local.get $b)))))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; mix: with an operand of the instruction
          (call $of.write.reg (i64.const 0)
            (i64.add
              (i64.mul (call $of.read.reg (i64.const 0)) (i64.const 5))
              (i64.extend_i32_u (i32.rotl (local.get $b) (local.get $a)))))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; push
          (local.set $sp (i32.sub (local.get $sp) (i32.const 8)))
          (call $of.push (local.get $sp) (call $of.read.reg (i64.const 0)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; pop: subtracts what was on top
          (call $of.write.reg (i64.const 0)
            (i64.sub (call $of.read.reg (i64.const 0)) (call $of.pop (local.get $sp))))
          (local.set $sp (i32.add (local.get $sp) (i32.const 8)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; read
          (call $of.write.reg (i64.const 0) (call $of.read (local.get $slot) (local.get $a)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; write
          (call $of.write (local.get $slot) (local.get $a) (call $of.read.reg (i64.const 0)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; get: a local, or one that the accumulator chooses
          (if (i32.ge_u (local.get $a) (i32.const 4))
            (then
              (local.set $a
                (i32.and (i32.wrap_i64 (call $of.read.reg (i64.const 0))) (i32.const 3)))))
          (call $of.write.reg (i64.const 0)
            (call $of.get
              (i32.add (local.get $locals) (i32.shl (local.get $a) (i32.const 3)))
              (local.get $a)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; set: the same
          (if (i32.ge_u (local.get $a) (i32.const 4))
            (then
              (local.set $a
                (i32.and (i32.wrap_i64 (call $of.read.reg (i64.const 0))) (i32.const 3)))))
          (call $of.set
            (i32.add (local.get $locals) (i32.shl (local.get $a) (i32.const 3)))
            (local.get $a)
            (call $of.read.reg (i64.const 0)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; register: xors one
          (call $of.write.reg (i64.const 0)
            (i64.xor (call $of.read.reg (i64.const 0))
              (call $of.read.reg (i64.extend_i32_u (local.get $a)))))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; move: to a register
          (call $of.write.reg (i64.extend_i32_u (local.get $a)) (call $of.read.reg (i64.const 0)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; jump
          (call $of.trace (local.get $a))
          (local.set $pc (i32.add (local.get $pc) (local.get $b)))
          (br $next))
          ;; branch: two ways on, each with a context
          (if (i64.eqz (i64.and (call $of.read.reg (i64.const 0)) (i64.const 1)))
            (then
              (local.set $pc (i32.add (local.get $pc) (local.get $b)))
              (call $of.update.context (local.get $pc))
              (br $next)))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; switch: on `b` jump instructions that follow, or over them
          (local.set $v
            (call $of.specialize.value
              (i32.and (i32.wrap_i64 (call $of.read.reg (i64.const 0))) (i32.const 7))
              (local.get $a)
              (i32.sub (local.get $b) (i32.const 1))))
          (block $chosen
            (block $7 (block $6 (block $5 (block $4 (block $3 (block $2 (block $1 (block $0
              (br_table $0 $1 $2 $3 $4 $5 $6 $7 (local.get $v)))
            (local.set $v (i32.const 0)) (br $chosen))
            (local.set $v (i32.const 1)) (br $chosen))
            (local.set $v (i32.const 2)) (br $chosen))
            (local.set $v (i32.const 3)) (br $chosen))
            (local.set $v (i32.const 4)) (br $chosen))
            (local.set $v (i32.const 5)) (br $chosen))
            (local.set $v (i32.const 6)) (br $chosen))
            (local.set $v (i32.const 7))
          )
          (if (i32.or (i32.ge_u (local.get $v) (local.get $b))
                (i32.lt_u (local.get $v) (local.get $a)))
            (then (local.set $v (local.get $b))))
          (local.set $pc
            (i32.add (i32.add (local.get $pc) (i32.const 4))
              (i32.shl (local.get $v) (i32.const 2))))
          (br $next))
          ;; memory: a word that the accumulator chooses
          (local.set $v
            (i32.and (i32.wrap_i64 (call $of.read.reg (i64.const 0))) (i32.const 0xff)))
          (i64.store offset=0x8000 (local.get $v)
            (i64.add (i64.load offset=0x8000 (local.get $v)) (call $of.read.reg (i64.const 1))))
          (call $of.write.reg (i64.const 0) (i64.load offset=0x8000 (local.get $v)))
          (if (local.get $a)
            (then (drop (i32.div_u (i32.const 7) (i32.and (local.get $v) (i32.const 15))))))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; call: of what looks at memory, or only at the accumulator
          (call $report (call $of.read.reg (i64.const 0)))
          (if (local.get $a)
            (then
              (call $of.sync)
              (call $look (local.get $sp) (local.get $top) (local.get $locals))))
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next))
          ;; special: a loop of its own contexts, `a` rounds
          (call $of.bucket (local.get $a))
          (call $of.push.context (local.get $a))
          (block $out
            (loop $round
              (br_if $out (i32.eqz (local.get $a)))
              (local.set $a (i32.sub (local.get $a) (i32.const 1)))
              (call $of.update.context (local.get $a))
              (call $of.write.reg (i64.const 0)
                (i64.add (i64.mul (call $of.read.reg (i64.const 0)) (i64.const 3))
                  (i64.extend_i32_u (local.get $a))))
              (br $round)))
          (call $of.pop.context)
          (local.set $pc (i32.add (local.get $pc) (i32.const 4)))
          (br $next)))
    (call $of.sync)
    (call $look (local.get $sp) (local.get $top) (local.get $locals))
    (call $of.pop.context)
    (i64.add (call $of.read.reg (i64.const 0)) (i64.extend_i32_u (local.get $fuel))))
