//! Multiples of the generators on a device: what making a key consists of.
//!
//! Scalars go up and points come down in chunks, in two lanes: while the kernels of one lane run, the host takes the points of
//! the other and fills in its next scalars. One stream orders it all, so the lanes share the workspace.

use super::convert::DevicePoints;
use super::error::at;
use super::gpu::Gpu;
use super::CudaBackend;
use bls_curves::{G1Affine, G2Affine};
use bls_fields::FrRepr;
use groth16_core::setup::GeneratorMultiples;
use groth16_core::Result;
use group::prime::{PrimeCurve, PrimeCurveAffine};
use rayon::prelude::*;
use sppark_fork::{
    CudaError, DeviceBuf, Event, FixedBase, PinnedBuf, PinnedPool, ScalarForm, ScalarLimbs, Stream,
    Workspace, G1, G2,
};

/// Scalars of a chunk at most: enough that the inversions of a chunk, one for 32 points, fill the device.
const MAX_CHUNK: usize = 1 << 20;
/// Lanes: one computes, one is with the host.
const LANES: usize = 2;
/// Values that one core copies at a time.
const COPY: usize = 1 << 11;

type Affine<G> = <<G as DevicePoints>::Curve as PrimeCurve>::Affine;

/// On the first device that is not lost.
impl GeneratorMultiples for CudaBackend {
    fn g1(&self, lists: &[&[FrRepr]]) -> Result<Vec<Vec<G1Affine>>> {
        let gpu = self.working_gpu();
        gpu.with_room(|| {
            multiples::<G1>(gpu, lists, MAX_CHUNK).map_err(at("multiples of the generator of G1"))
        })
    }

    fn g2(&self, lists: &[&[FrRepr]]) -> Result<Vec<Vec<G2Affine>>> {
        let gpu = self.working_gpu();
        gpu.with_room(|| {
            multiples::<G2>(gpu, lists, MAX_CHUNK).map_err(at("multiples of the generator of G2"))
        })
    }
}

fn multiples<G: DevicePoints>(
    gpu: &Gpu,
    lists: &[&[FrRepr]],
    max_chunk: usize,
) -> Result<Vec<Vec<Affine<G>>>, CudaError> {
    let mut results: Vec<Vec<Affine<G>>> = lists.iter().map(|list| Vec::with_capacity(list.len())).collect();
    let n_scalars: usize = lists.iter().map(|list| list.len()).sum();
    if n_scalars == 0 {
        return Ok(results);
    }
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    let mut pipeline = Pipeline::<G>::new(gpu, n_scalars, longest.min(max_chunk))?;
    let chunks = (lists.iter().enumerate())
        .flat_map(|(list, scalars)| scalars.chunks(max_chunk).map(move |chunk| (list, chunk)));
    for (list, chunk) in chunks {
        pipeline.collect_into(&mut results)?;
        pipeline.start(list, chunk)?;
    }
    for _ in 0..LANES {
        pipeline.collect_into(&mut results)?;
        pipeline.turn();
    }
    Ok(results)
}

/// The bits of the table's windows: a table entry costs as much as a product's additions in 24 windows. At 16 bits the table of
/// G1 (50 MB) is as large as the second-level cache of the cards that this was measured on.
fn window_bits(n_scalars: usize) -> u32 {
    let additions = |bits: u32| u64::from(255u32.div_ceil(bits)) * (n_scalars as u64 + (24 << (bits - 1)));
    (5..=16).min_by_key(|&bits| additions(bits)).unwrap_or(16)
}

struct Pipeline<G: DevicePoints> {
    stream: Stream,
    table: FixedBase<G>,
    workspace: Workspace,
    lanes: [Lane<G>; LANES],
    /// the lane whose turn it is
    next: usize,
}

struct Lane<G: DevicePoints> {
    scalars: PinnedBuf<ScalarLimbs>,
    d_scalars: DeviceBuf<ScalarLimbs>,
    d_points: DeviceBuf<G::Point>,
    points: PinnedBuf<G::Point>,
    /// recorded when the points are on the host
    done: Event,
    in_flight: Option<InFlight>,
}

/// A chunk that a lane has under way.
struct InFlight {
    list: usize,
    n_points: usize,
}

impl<G: DevicePoints> Pipeline<G> {
    fn new(gpu: &Gpu, n_scalars: usize, chunk: usize) -> Result<Self, CudaError> {
        let device = &gpu.device;
        let stream = Stream::new(device)?;
        let window_bits = window_bits(n_scalars);
        let bytes = FixedBase::<G>::n_bytes(&stream, window_bits, chunk)?;
        gpu.check_room(bytes.table + bytes.workspace)?;
        let mut workspace = Workspace::new(device, bytes.workspace)?;
        let generator = G::device(&[Affine::<G>::generator()])[0];
        let table = FixedBase::new(&stream, &generator, window_bits, &mut workspace)?;
        let pool = PinnedPool::new(device, u64::MAX);
        let lane = || {
            Ok::<_, CudaError>(Lane {
                scalars: pool.get(chunk)?,
                d_scalars: gpu.alloc(chunk)?,
                d_points: gpu.alloc(chunk)?,
                points: pool.get(chunk)?,
                done: Event::new(device)?,
                in_flight: None,
            })
        };
        Ok(Pipeline {
            lanes: [lane()?, lane()?],
            stream,
            table,
            workspace,
            next: 0,
        })
    }

    /// Starts a chunk of list `list` in the lane whose turn it is, which must be free.
    fn start(&mut self, list: usize, scalars: &[FrRepr]) -> Result<(), CudaError> {
        let n_points = scalars.len();
        let Lane {
            scalars: staged,
            d_scalars,
            d_points,
            points,
            done,
            in_flight,
        } = &mut self.lanes[self.next];
        staged[..n_points]
            .par_iter_mut()
            .zip(scalars)
            .with_min_len(COPY)
            .for_each(|(to, from)| *to = *from.limbs());
        // SAFETY: the lane's page-locked memory is not touched again before `done` has passed, and not freed before the stream
        // is done (see `drop`).
        unsafe { d_scalars.upload_on(&self.stream, 0, &staged[..n_points]) }?;
        let form = ScalarForm::Canonical;
        self.table.multiply_on(
            &self.stream,
            d_scalars,
            form,
            d_points,
            n_points,
            &mut self.workspace,
        )?;
        // SAFETY: as above.
        unsafe { d_points.download_on(&self.stream, 0, &mut points[..n_points]) }?;
        done.record_on(&self.stream)?;
        *in_flight = Some(InFlight { list, n_points });
        self.turn();
        Ok(())
    }

    /// The next lane's turn.
    fn turn(&mut self) {
        self.next = (self.next + 1) % LANES;
    }

    /// Waits for the lane whose turn it is and appends its points to their list; nothing if it is free.
    fn collect_into(&mut self, results: &mut [Vec<Affine<G>>]) -> Result<(), CudaError> {
        let lane = &mut self.lanes[self.next];
        if let Some(InFlight { list, n_points }) = lane.in_flight.take() {
            lane.done.synchronize()?;
            let points = G::affine_mut(&mut lane.points[..n_points]);
            results[list].par_extend(points.par_iter().with_min_len(COPY).copied());
        }
        Ok(())
    }
}

impl<G: DevicePoints> Drop for Pipeline<G> {
    fn drop(&mut self) {
        // The lanes' page-locked memory may still be read and written. An error here was or will be met elsewhere.
        self.stream.settle();
    }
}

#[cfg(all(test, feature = "host-check"))]
mod tests {
    use super::*;
    use crate::backend::host::Host;
    use crate::backend::CudaConfig;
    use bls_fields::Fr;
    use groth16_core::setup::CpuMultiples;
    use sppark_fork::fake::FakeDevice;

    #[test]
    fn chunks_of_any_size_give_the_points_of_the_cpu() {
        let scalars: Vec<FrRepr> = (0..23u64)
            .map(|i| FrRepr::from(Fr::from(i * i * i) * -Fr::from(7)))
            .collect();
        let lists = [&scalars[..3], &[], &scalars[3..], &scalars[..1]];
        let expected = (CpuMultiples.g1(&lists).unwrap(), CpuMultiples.g2(&lists).unwrap());
        let host = Host::new(Some(1)).unwrap();
        for (seed, max_chunk) in [1, 7, 8, 100].into_iter().enumerate() {
            let fake = FakeDevice::new(64 << 20, seed as u64);
            let gpu = Gpu::open(fake.ordinal, &CudaConfig::default(), &host).unwrap();
            let g1 = multiples::<G1>(&gpu, &lists, max_chunk).unwrap();
            let g2 = multiples::<G2>(&gpu, &lists, max_chunk).unwrap();
            assert!((g1, g2) == expected, "chunks of {max_chunk}");
            drop(gpu);
            assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
        }
    }

    #[test]
    fn windows_grow_with_the_number_of_products_up_to_16_bits() {
        assert_eq!(window_bits(1), 5);
        assert!((9..16).contains(&window_bits(1 << 20)));
        assert_eq!(window_bits(1 << 24), 16);
    }
}
