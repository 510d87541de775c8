//! The transform in device memory, natural to reversed order.

use crate::predecessor;
use crate::random;
use crate::record::{Side, Task};
use crate::Result;
use sppark_fork::{Device, DeviceBuf, NttDirection, NttOrder, NttTable, Stream};
use std::sync::Arc;

/// One size. First, each side's inverse must undo its transform; in the timed runs
/// values are what the run before left.
pub fn run(device: &Arc<Device>, log_n: u32, runs: usize) -> Result<Task> {
    let n = 1 << log_n;
    let stream = Stream::new(device)?;
    let table = NttTable::new(&stream, log_n)?;
    let values: Vec<[u32; 8]> = random::scalars(n, 3).into_iter().map(words).collect();
    let mut ours = DeviceBuf::from_slice(&stream, &values)?;
    let mut theirs = DeviceBuf::from_slice(&stream, &values)?;

    let mut back = vec![[0; 8]; n];
    for (direction, order) in [
        (NttDirection::Forward, NttOrder::NaturalToReversed),
        (NttDirection::Inverse, NttOrder::ReversedToNatural),
    ] {
        table.run_on(&stream, &mut ours, direction, order, false)?;
    }
    ours.download(&stream, 0, &mut back)?;
    if back != values {
        return Err(format!("NTT 2^{log_n}: our inverse does not undo the transform").into());
    }
    predecessor::ntt(&mut theirs, true)?;
    predecessor::ntt(&mut theirs, false)?;
    theirs.download(&stream, 0, &mut back)?;
    if back != values {
        return Err(format!("NTT 2^{log_n}: the predecessor's inverse does not undo the transform").into());
    }
    drop(back);

    Task::run("ntt natural to reversed", log_n, None, runs, |side| match side {
        Side::Ours => {
            let (direction, order) = (NttDirection::Forward, NttOrder::NaturalToReversed);
            table.run_on(&stream, &mut ours, direction, order, false)?;
            Ok(stream.synchronize()?)
        }
        Side::Predecessor => predecessor::ntt(&mut theirs, true),
    })
}

fn words(limbs: [u64; 4]) -> [u32; 8] {
    std::array::from_fn(|i| (limbs[i / 2] >> (32 * (i % 2))) as u32)
}
