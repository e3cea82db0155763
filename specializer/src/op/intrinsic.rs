//! The annotations as operators: names and signatures of the imports declared in the annotations
//! crate (`interpreter/annotations`), which documents what each one means.

use super::Effect;
use crate::ir::Type;

macro_rules! intrinsics {
    ($($text:literal $name:ident($($ty:ident),*) $(-> $result:ident)?, $effect:ident;)*) => {
        /// An annotation, named as its import.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Intrinsic {
            $($name,)*
        }

        impl Intrinsic {
            /// Every intrinsic, in table order.
            pub const ALL: &[Intrinsic] = &[$(Intrinsic::$name,)*];

            /// The import's name, and the name in the text format.
            pub fn name(self) -> &'static str {
                match self {
                    $(Intrinsic::$name => $text,)*
                }
            }

            pub fn operands(self) -> &'static [Type] {
                match self {
                    $(Intrinsic::$name => &[$(Type::$ty),*],)*
                }
            }

            pub fn result(self) -> Option<Type> {
                match self {
                    $(Intrinsic::$name => [$(Type::$result)?].first().copied(),)*
                }
            }

            pub fn effect(self) -> Effect {
                match self {
                    $(Intrinsic::$name => Effect::$effect,)*
                }
            }
        }
    };
}

// Those that only inform the specializer count as calls: nothing may move past them, and none is dropped.
intrinsics! {
    "context.update" ContextUpdate(I32), Calls;
    "context.push" ContextPush(I32), Calls;
    "context.pop" ContextPop(), Calls;
    "specialize.value" SpecializeValue(I32, I32, I32) -> I32, Calls;
    "specialize.range" SpecializeRange(I32, I32, I32) -> I32, Calls;
    "specialize.guess" SpecializeGuess(I32, I32) -> I32, Calls;
    "specialize.active" SpecializeActive() -> I32, Pure;
    "cells.read" CellsRead(I32) -> I64, Reads;
    "cells.write" CellsWrite(I32, I64), Writes;
    "cells.drop_below" CellsDropBelow(I32), Calls;
    "cells.sync" CellsSync(), Calls;
    "cells.invalidate" CellsInvalidate(), Calls;
    "lockstep.event" LockstepEvent(I32, I32, I32, I64), Calls;
}

impl Intrinsic {
    /// Whether evaluation goes on separately for several outcomes.
    pub fn fans_out(self) -> bool {
        matches!(
            self,
            Intrinsic::SpecializeValue | Intrinsic::SpecializeRange | Intrinsic::SpecializeGuess
        )
    }

    /// The intrinsic that an import of the annotations' module stands for.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|intrinsic| intrinsic.name() == name)
    }
}
