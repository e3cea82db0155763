//! What blobs of a cache are for.

/// What a blob is for; kinds share no keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A residual function.
    Specialization,
    /// Machine code of a function.
    MachineCode,
    /// An initialised module.
    Snapshot,
    /// Machine code of a whole module.
    Module,
    /// What was built of a program, as it is written.
    Product,
}

impl Kind {
    pub const ALL: [Kind; 5] = [
        Kind::Specialization,
        Kind::MachineCode,
        Kind::Snapshot,
        Kind::Module,
        Kind::Product,
    ];

    /// What `bactrian cache stats` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Specialization => "specializations",
            Kind::MachineCode => "machine code of functions",
            Kind::Snapshot => "snapshots",
            Kind::Module => "machine code of modules",
            Kind::Product => "built programs",
        }
    }

    /// What it is in the file.
    pub(crate) fn number(self) -> i64 {
        match self {
            Kind::Specialization => 1,
            Kind::MachineCode => 2,
            Kind::Snapshot => 3,
            Kind::Module => 4,
            Kind::Product => 5,
        }
    }
}
