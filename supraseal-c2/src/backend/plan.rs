//! Which parts of a key stay on a device, which are streamed, and what its proofs work in: a pure function of sizes.
//!
//! There is one ladder of [`Candidate`]s, from the one that costs no time to the one that needs least memory, and a plan is
//! the first of them that fits. So more memory never gives a worse plan. In order:
//!
//! 1. all of the key resident; else H streamed, then L, A, B in G2, B in G1 as well;
//! 2. as many jobs' inputs on the device as were asked for; else one job's, so that uploads overlap no kernels;
//! 3. up to [`LARGEST_BESIDE`], with all of the key resident: a second workspace, so that small sums of the witness run beside
//!    that over H; else one for all;
//! 4. a sort for each of L, A and B; else they are sorted one after another in one room; else in one room whose scalars are
//!    also the quotient's third vector;
//! 5. workspace in which no MSM is held back, and chunks of 512 MiB; else half of both, a quarter, and so on: MSMs sort fewer
//!    windows at a time, or run in batches.
//!
//! A later choice is given up before an earlier one: the workspace shrinks to an eighth, and one job's inputs have to do,
//! before anything is streamed. Only where all is streamed does it shrink to the least.

use super::msm_fit::{ample_bytes, beside_bytes, least_bytes};
use super::parts::Part;
use super::sizes::{ChunkSizes, Layout, ScratchSizes, Shape, SortSizes, StageSizes};
use sppark_fork::{CudaError, Result};
use std::fmt;

/// Halvings of workspace and chunks before something is given up that costs more.
const HALVINGS: u32 = 3;
/// Halvings before the error that nothing fits.
const LAST_HALVINGS: u32 = 17;
/// Domains up to which a second workspace is had. With 1 % full it was worth 14 % on an H200 at 2^18, 9 at 2^20, 4 at 2^22 and 1 at 2^24.
const LARGEST_BESIDE: usize = 1 << 24;
const MOST_CHUNK_BYTES: u64 = 512 << 20;
const LEAST_CHUNK_BYTES: u64 = 4 << 10;

/// How the witness's three queries are sorted by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sorting {
    /// Each into a room of its own, on a second stream, where small sums follow in a workspace of their own.
    Beside,
    /// Each into a room of its own, so that all three are under way before the first sum.
    Apart,
    /// One after another in one room.
    InTurn,
    /// The same in a room whose scalars are the quotient's third vector before.
    InTurnInC,
}

/// A rung of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Candidate {
    n_stages: usize,
    /// so many of [`Part::STREAMED_FIRST`] are streamed
    n_streamed: usize,
    sorting: Sorting,
    halvings: u32,
}

/// What there is room for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// bytes for the key and for all that its proofs work in
    pub(super) device_bytes: u64,
    /// of these at most so many for the key
    pub(super) key_bytes: u64,
    /// jobs whose inputs may be on the device at once
    pub(super) n_stages: usize,
    /// the quotient's third vector comes with the inputs
    pub(super) c_is_uploaded: bool,
    /// the sums of the witness are to come after H
    pub(super) is_one_stream: bool,
    pub(super) n_multiprocessors: u32,
}

/// A choice that fits, and every size that follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// its place on the ladder: 0 is the most generous
    pub(super) rung: usize,
    n_streamed: usize,
    pub(super) sorting: Sorting,
    pub(super) layout: Layout,
    /// resident parts
    pub(super) key_bytes: u64,
    /// key and layout: what is allocated when everything is
    pub(super) peak_bytes: u64,
}

impl Plan {
    /// The first plan from rung `from` on that fits.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] with what the most frugal needs, if that does not fit either; [`CudaError::Invalid`] if the
    /// key is over what transforms or sums can do.
    pub(super) fn new(shape: &Shape, room: &Room, from: usize) -> Result<Plan> {
        let mut frugal = None;
        let rungs = ladder(shape, room);
        let from = from.min(rungs.len() - 1);
        for (rung, candidate) in rungs.into_iter().enumerate().skip(from) {
            let plan = candidate.plan(rung, shape, room)?;
            if plan.peak_bytes <= room.device_bytes && plan.key_bytes <= room.key_bytes {
                return Ok(plan);
            }
            if frugal
                .as_ref()
                .is_none_or(|least: &Plan| plan.peak_bytes < least.peak_bytes)
            {
                frugal = Some(plan);
            }
        }
        let (need, free) = (frugal.map_or(0, |plan| plan.peak_bytes), room.device_bytes);
        Err(CudaError::OutOfMemory {
            need_bytes: need,
            free_bytes: Some(free),
            what: format!(
                "a proof of 2^{} rows needs {need} bytes at least, with its key streamed, and {free} may be used; give it more, \
                 or use another backend",
                shape.domain().ilog2()
            ),
        })
    }

    pub(super) fn is_resident(&self, part: Part) -> bool {
        !Part::STREAMED_FIRST[..self.n_streamed].contains(&part)
    }
}

/// All candidates in order.
fn ladder(shape: &Shape, room: &Room) -> Vec<Candidate> {
    let rooms = [
        Sorting::Beside,
        Sorting::Apart,
        Sorting::InTurn,
        Sorting::InTurnInC,
    ]
    .map(|s| (s, 0));
    let all = Part::STREAMED_FIRST.len();
    let has_beside = !room.is_one_stream && shape.domain() <= LARGEST_BESIDE;
    (0..=all)
        .flat_map(|n_streamed| {
            (1..=room.n_stages.max(1))
                .rev()
                .map(move |n_stages| (n_stages, n_streamed))
        })
        .flat_map(|(n_stages, n_streamed)| {
            let is_last = n_streamed == all && n_stages == 1;
            let last = if is_last { LAST_HALVINGS } else { HALVINGS };
            let halved = (1..=last).map(|halvings| (Sorting::InTurnInC, halvings));
            rooms
                .into_iter()
                .chain(halved)
                // The host waits for the sum over a streamed H, so nothing can be beside it.
                .filter(move |(sorting, _)| *sorting != Sorting::Beside || (has_beside && n_streamed == 0))
                .map(move |(sorting, halvings)| Candidate {
                    n_stages,
                    n_streamed,
                    sorting,
                    halvings,
                })
        })
        .collect()
}

impl Candidate {
    fn plan(&self, rung: usize, shape: &Shape, room: &Room) -> Result<Plan> {
        let n_multiprocessors = room.n_multiprocessors;
        let (streamed, resident) = Part::STREAMED_FIRST.split_at(self.n_streamed);
        let key_bytes = resident
            .iter()
            .map(|part| part.point_bytes() * shape.n(*part) as u64)
            .sum();
        let chunks = self.chunks(shape, streamed);
        let (mut ample, mut least, mut beside) = (0, 0, 0);
        for part in Part::STREAMED_FIRST {
            let n_terms = match streamed.contains(&part) {
                true => chunks.points(part),
                false => shape.n(part),
            };
            ample = ample.max(ample_bytes(part, n_terms, n_multiprocessors)?);
            least = least.max(least_bytes(part, n_terms, n_multiprocessors)?);
            if self.sorting == Sorting::Beside && part.query().is_some() {
                beside = beside.max(beside_bytes(part, n_terms, n_multiprocessors)?);
            }
        }
        let sorts = self.sorts(shape, resident, room.c_is_uploaded);
        let domain = shape.domain();
        let scratch = ScratchSizes {
            domain,
            // One row has no quotient.
            c: match self.sorting {
                Sorting::InTurnInC => 0,
                _ if domain == 1 || room.c_is_uploaded => 0,
                _ => domain,
            },
            sorts,
            chunks,
            workspace_bytes: least.max(ample >> self.halvings),
            beside_bytes: beside,
        };
        let layout = Layout {
            scratch,
            stage: StageSizes::of(shape, room.c_is_uploaded),
            n_stages: self.n_stages,
        };
        Ok(Plan {
            rung,
            n_streamed: self.n_streamed,
            sorting: self.sorting,
            layout,
            key_bytes,
            peak_bytes: key_bytes + layout.bytes()?,
        })
    }

    fn chunks(&self, shape: &Shape, streamed: &[Part]) -> ChunkSizes {
        let bytes = (MOST_CHUNK_BYTES >> self.halvings).max(LEAST_CHUNK_BYTES);
        let points = |part: &&Part| shape.n(**part).min((bytes / part.point_bytes()) as usize);
        let most = |of_g2: bool| {
            let of_group = streamed.iter().filter(|part| (**part == Part::BG2) == of_g2);
            of_group.map(|part| points(&part)).max().unwrap_or(0)
        };
        let (g1_points, g2_points) = (most(false), most(true));
        ChunkSizes {
            g1_points,
            g2_points,
            terms: g1_points.max(g2_points),
        }
    }

    /// Room for sorting whole queries, which those with a resident part need, and their indices, which all need.
    fn sorts(&self, shape: &Shape, resident: &[Part], c_is_uploaded: bool) -> [SortSizes; 3] {
        let mut apart = [SortSizes::default(); 3];
        for part in Part::STREAMED_FIRST {
            let Some(query) = part.query() else { continue };
            let sort = &mut apart[query];
            sort.indices = sort.indices.max(shape.indices(part));
            if resident.contains(&part) {
                sort.terms = sort.terms.max(shape.n(part));
                sort.scalars = sort.terms;
            }
        }
        if matches!(self.sorting, Sorting::Beside | Sorting::Apart) {
            return apart;
        }
        let mut one = apart[0].max(&apart[1]).max(&apart[2]);
        if self.sorting == Sorting::InTurnInC && shape.domain() > 1 && !c_is_uploaded {
            one.scalars = one.scalars.max(shape.domain());
        }
        [one, SortSizes::default(), SortSizes::default()]
    }
}

impl ChunkSizes {
    pub(super) fn points(&self, part: Part) -> usize {
        match part {
            Part::BG2 => self.g2_points,
            _ => self.g1_points,
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes >> 20;
        let (stage, scratch) = (&self.layout.stage, &self.layout.scratch);
        write!(
            f,
            "rung {}: {} MiB in all; key {} MiB resident",
            self.rung,
            mib(self.peak_bytes),
            mib(self.key_bytes)
        )?;
        if self.n_streamed > 0 {
            let names = Part::STREAMED_FIRST[..self.n_streamed]
                .iter()
                .map(|part| part.name());
            write!(f, ", {} streamed", names.collect::<Vec<_>>().join(", "))?;
        }
        let sorting = match self.sorting {
            Sorting::Beside => "sorted and summed beside H",
            Sorting::Apart => "sorted apart",
            Sorting::InTurn => "sorted in turn",
            Sorting::InTurnInC => "sorted in turn in the quotient's third vector",
        };
        write!(
            f,
            "; inputs of {} of {} MiB; queries {sorting}; MSM workspace {} MiB",
            self.layout.n_stages,
            mib(stage.bytes()),
            mib(scratch.workspace_bytes + scratch.beside_bytes)
        )
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
