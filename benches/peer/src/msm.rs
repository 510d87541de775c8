//! Multi-scalar multiplication: points and canonical scalars in device memory, affine result on the host.

use crate::predecessor::{Group, ResidentMsm};
use crate::random;
use crate::record::{Side, Task};
use crate::Result;
use group::prime::PrimeCurveAffine;
use sppark_fork::{
    Device, DeviceBuf, FixedBase, MsmConfig, MsmContext, MsmGroup, MsmInput, ScalarForm, Source, Stream,
    Workspace,
};
use std::sync::Arc;

/// One size in one group; both sums must be equal in every run.
pub fn run<G>(device: &Arc<Device>, what: &str, log_n: u32, runs: usize) -> Result<Task>
where
    G: Group + MsmGroup,
    G::Affine: PrimeCurveAffine + Copy + PartialEq,
{
    let n = 1 << log_n;
    let stream = Stream::new(device)?;
    let mut workspace = Workspace::new(device, 0)?;
    let mut context = MsmContext::new(device)?;

    // k_i G for random k_i
    let logs = DeviceBuf::from_slice(&stream, &random::scalars(n, 1))?;
    let generator = to_point::<G>(G::Affine::generator());
    let table = FixedBase::<G>::new(&stream, &generator, 16, &mut workspace)?;
    let mut points = DeviceBuf::alloc(device, n)?;
    table.multiply(&stream, &logs, ScalarForm::Canonical, &mut points, &mut workspace)?;
    drop((table, logs));

    let scalars = random::scalars(n, 2);
    let mut predecessor = {
        let mut h_points = vec![G::Point::default(); n];
        points.download(&stream, 0, &mut h_points)?;
        let h_points: Vec<G::Affine> = h_points.into_iter().map(from_point::<G>).collect();
        ResidentMsm::<G>::new(&h_points, &scalars)?
    };
    let scalars = DeviceBuf::from_slice(&stream, &scalars)?;
    let input = MsmInput::<G> {
        points: Source::Device(&points),
        scalars: Source::Device(&scalars),
        form: ScalarForm::Canonical,
        indices: None,
    };
    let expected = predecessor.run()?;
    Task::run(what, log_n, None, runs, |side| {
        let sum = match side {
            Side::Ours => {
                let config = MsmConfig::default();
                from_point::<G>(context.msm(&stream, &input, &config, &mut workspace)?)
            }
            Side::Predecessor => predecessor.run()?,
        };
        match sum == expected {
            true => Ok(()),
            false => Err(format!("{what} 2^{log_n}: the sums differ, {side:?}").into()),
        }
    })
}

fn to_point<G: Group + MsmGroup>(affine: G::Affine) -> G::Point
where
    G::Affine: Copy,
{
    assert_eq!(size_of::<G::Affine>(), size_of::<G::Point>());
    // SAFETY: both are blst's affine point: x and y in Montgomery limbs, without padding.
    unsafe { std::mem::transmute_copy(&affine) }
}

fn from_point<G: Group + MsmGroup>(point: G::Point) -> G::Affine {
    assert_eq!(size_of::<G::Affine>(), size_of::<G::Point>());
    // SAFETY: as above; what a device computes of points of the curve is one.
    unsafe { std::mem::transmute_copy(&point) }
}
