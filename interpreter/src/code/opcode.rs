//! The 149 instructions of OCaml 4.13's bytecode and the shapes of their operands, and after them
//! those that only the loader makes.
//!
//! Invariant: variants are in the order of their numbers. What an instruction does is written in
//! [`crate::interp`] only; what it does to the stack's depth, in [`super::effect`].

/// What an operand word means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A stack slot, counted from the top.
    Slot,
    /// A number of slots, arguments or fields.
    Count,
    /// A field or environment index; a cache that is not used.
    Index,
    /// A signed integer.
    Int,
    /// A block tag.
    Tag,
    /// A distance in words from this operand to an instruction.
    Jump,
    /// A global's index.
    Global,
    /// A primitive's index.
    Primitive,
}

macro_rules! opcodes {
    ($($name:ident [$($operand:ident),*];)*) => {
        /// One instruction's operation.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Opcode { $($name),* }

        const ALL: &[Opcode] = &[$(Opcode::$name),*];

        static OPERANDS: [&[Operand]; ALL.len()] = [$(&[$(Operand::$operand),*]),*];
    };
}

opcodes! {
    Acc0 []; Acc1 []; Acc2 []; Acc3 []; Acc4 []; Acc5 []; Acc6 []; Acc7 []; Acc [Slot];
    Push [];
    PushAcc0 []; PushAcc1 []; PushAcc2 []; PushAcc3 [];
    PushAcc4 []; PushAcc5 []; PushAcc6 []; PushAcc7 [];
    PushAcc [Slot];
    Pop [Count]; Assign [Slot];
    EnvAcc1 []; EnvAcc2 []; EnvAcc3 []; EnvAcc4 []; EnvAcc [Index];
    PushEnvAcc1 []; PushEnvAcc2 []; PushEnvAcc3 []; PushEnvAcc4 []; PushEnvAcc [Index];
    PushRetAddr [Jump];
    Apply [Count]; Apply1 []; Apply2 []; Apply3 [];
    AppTerm [Count, Count]; AppTerm1 [Count]; AppTerm2 [Count]; AppTerm3 [Count];
    Return [Count]; Restart []; Grab [Count];
    Closure [Count, Jump]; ClosureRec [Count, Count];
    OffsetClosureM3 []; OffsetClosure0 []; OffsetClosure3 []; OffsetClosure [Int];
    PushOffsetClosureM3 []; PushOffsetClosure0 []; PushOffsetClosure3 []; PushOffsetClosure [Int];
    GetGlobal [Global]; PushGetGlobal [Global];
    GetGlobalField [Global, Index]; PushGetGlobalField [Global, Index];
    SetGlobal [Global];
    Atom0 []; Atom [Tag]; PushAtom0 []; PushAtom [Tag];
    MakeBlock [Count, Tag]; MakeBlock1 [Tag]; MakeBlock2 [Tag];
    MakeBlock3 [Tag]; MakeFloatBlock [Count];
    GetField0 []; GetField1 []; GetField2 []; GetField3 []; GetField [Index]; GetFloatField [Index];
    SetField0 []; SetField1 []; SetField2 []; SetField3 []; SetField [Index]; SetFloatField [Index];
    VectLength []; GetVectItem []; SetVectItem []; GetBytesChar []; SetBytesChar [];
    Branch [Jump]; BranchIf [Jump]; BranchIfNot [Jump]; Switch [Int]; BoolNot [];
    PushTrap [Jump]; PopTrap []; Raise [];
    CheckSignals [];
    CCall1 [Primitive]; CCall2 [Primitive]; CCall3 [Primitive];
    CCall4 [Primitive]; CCall5 [Primitive];
    CCallN [Count, Primitive];
    Const0 []; Const1 []; Const2 []; Const3 []; ConstInt [Int];
    PushConst0 []; PushConst1 []; PushConst2 []; PushConst3 []; PushConstInt [Int];
    NegInt []; AddInt []; SubInt []; MulInt []; DivInt []; ModInt [];
    AndInt []; OrInt []; XorInt []; LslInt []; LsrInt []; AsrInt [];
    Eq []; Neq []; LtInt []; LeInt []; GtInt []; GeInt [];
    OffsetInt [Int]; OffsetRef [Int]; IsInt [];
    GetMethod [];
    Beq [Int, Jump]; Bneq [Int, Jump]; BltInt [Int, Jump]; BleInt [Int, Jump];
    BgtInt [Int, Jump]; BgeInt [Int, Jump];
    UltInt []; UgeInt []; BultInt [Int, Jump]; BugeInt [Int, Jump];
    GetPubMet [Int, Index]; GetDynMet [];
    Stop [];
    Event []; Break [];
    Reraise []; RaiseNoTrace [];
    GetStringChar [];
    OffsetSlot [Slot, Int]; PushOffsetSlot [Slot, Int];
}

/// Number of instructions that files have. Those after them come from `image::references`.
pub const COUNT: usize = 149;
const _: () = assert!(ALL[COUNT] as usize == Opcode::OffsetSlot as usize);

impl Opcode {
    /// The instruction with this number.
    pub fn from_word(word: i32) -> Option<Self> {
        usize::try_from(word)
            .ok()
            .and_then(|number| ALL.get(number).copied())
    }

    /// The operands that follow. SWITCH and CLOSUREREC have more: see [`super::decode`].
    pub fn operands(self) -> &'static [Operand] {
        OPERANDS[self as usize]
    }

    /// The instruction in the low byte of a cell's word.
    ///
    /// # Safety
    /// The cell is the start of an instruction of code that was verified. (A program that takes
    /// data for a closure may break this: it harms itself. Natively that is noticed.)
    #[inline(always)]
    pub unsafe fn from_cell(word: u32) -> Self {
        let number = (word & 0xff) as u8;
        #[cfg(not(target_family = "wasm"))]
        if number as usize >= ALL.len() {
            crate::os::native::trap("no instruction");
        }
        // SAFETY: the enum has `repr(u8)` and its variants are 0..ALL.len(), which the
        // verifier checked.
        unsafe { core::mem::transmute::<u8, Self>(number) }
    }
}
