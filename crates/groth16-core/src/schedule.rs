//! The order in which a backend on a device does a proof's work.

/// Choices of a schedule. None changes a byte of a proof. The default is what is meant for use; the others
/// are there to be measured against it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// when the inputs of a proof go up
    pub staging: Staging,
    /// when the results of a batch of a multi-scalar multiplication are collected
    pub batches: Batches,
    /// where the rows of C come from
    pub c_rows: CRows,
    /// when the sums of the witness are computed
    pub witness_sums: WitnessSums,
}

/// When the inputs of a proof go up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Staging {
    /// Before the device is its own: while another proof's kernels run.
    #[default]
    Ahead,
    /// Once the device is its own, which then waits for them.
    UnderLock,
}

/// When the host collects the results of a batch. It matters where points come from the host, of which there is more than one
/// batch; and since the host then waits for each sum, nothing runs beside that over H.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Batches {
    /// While the next batch runs.
    #[default]
    Deferred,
    /// Before the next batch is enqueued.
    PerBatch,
}

/// Where the rows of C come from, which the quotient a·b - c needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CRows {
    /// Never made: on the domain c = a·b, and the quotient takes six transforms.
    #[default]
    Product,
    /// Sent to the device like those of A and B, and transformed like them: seven
    /// transforms. An [`Assignment`](crate::Assignment) has no rows of C, so the host
    /// multiplies those of A and B while it copies them.
    Uploaded,
}

/// When the sums over L, A and B are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WitnessSums {
    /// Beside the transforms and the sum over H, on a stream of their own, where they are small and the device has the memory for it:
    /// those of a sparse witness, which alone leave most of the device idle.
    #[default]
    BesideH,
    /// After it.
    AfterH,
}
