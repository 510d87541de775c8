//! The last coefficients of a quotient, on their way from the device that has it to the one that sums them.
//!
//! They go through page-locked memory of the host, in pieces, and the host waits for each. So a device waits
//! for its own work alone: one that fails holds up no other and is blamed for no other's failure;
//! and it does not matter whether the two can reach each other.

use super::division::{OfH, Share};
use super::gpu::Gpu;
use super::slot::Slot;
use super::timeline::Recorder;
use crossbeam_channel::{bounded, Receiver, Sender};
use sppark_fork::{Device, DeviceBuf, Event, PinnedBuf, Result, ScalarLimbs, Stream};
use std::ops::Range;
use std::sync::Arc;

/// While one piece goes up to the second device, the next comes down from the first.
const PIECES: usize = 16;

/// What a device does of a proof.
pub(super) struct Division {
    pub(super) share: Share,
    /// what it sends of the quotient
    pub(super) outgoing: Option<Outgoing>,
}

impl Division {
    /// A share of which nothing is sent.
    pub(super) fn alone(share: Share) -> Self {
        Division {
            share,
            outgoing: None,
        }
    }

    /// The first device's, with the memory for what it sends, which is kept for the next proof, as page-locking takes its time.
    /// Where none can be had, this device sums all of H's terms.
    pub(super) fn of_first(slot: &Slot, share: Share, n_h: usize, to: Outbox) -> Self {
        let n = n_h - share.terms_of_h(n_h).end;
        if n == 0 {
            return Division::alone(share);
        }
        match Parcel::for_next(slot, n) {
            Ok(parcel) => Division {
                share,
                outgoing: Some(Outgoing { to, parcel }),
            },
            Err(error) => {
                tracing::debug!("{error}; H is summed on one device");
                // Whoever does not wait any more has failed, and says so.
                let _ = to.send(None);
                let h = OfH::AllBut(0);
                Division::alone(Share { h, ..share })
            }
        }
    }

    /// Leaves what was page-locked to the device's next proof.
    pub(super) fn keep_memory(self, gpu: &Gpu) {
        if let Some(Outgoing { parcel, .. }) = self.outgoing {
            *gpu.parcel.lock() = Some(parcel);
        }
    }
}

/// Coefficients that are to go to a second device.
pub(super) struct Outgoing {
    to: Outbox,
    parcel: Arc<Parcel>,
}

impl Outgoing {
    /// Enqueues their copies and tells the second device. They are in `from` until [`Outgoing::settle`] has returned.
    pub(super) fn send(
        &mut self,
        quotient: &Stream,
        from: &DeviceBuf<ScalarLimbs>,
        which: Range<usize>,
        recorder: &mut Recorder,
    ) -> Result<()> {
        let Some(parcel) = Arc::get_mut(&mut self.parcel) else {
            unreachable!("nobody has it before it is sent, which is once")
        };
        parcel.fill(quotient, from, which.start, which.len(), recorder)?;
        // Whoever does not wait any more has failed, and says so.
        let _ = self.to.send(Some(self.parcel.clone()));
        Ok(())
    }

    /// Has a stream wait for the quotient, as the coefficients do.
    pub(super) fn let_pass(&self, stream: &Stream) -> Result<()> {
        stream.wait_for(&self.parcel.ready)
    }

    /// Waits until nothing reads the quotient any more, also where something failed.
    pub(super) fn settle(&self) {
        self.parcel.settle();
    }
}

/// Coefficients in memory of the host, once their events have passed.
pub(super) struct Parcel {
    outgoing: Stream,
    /// the quotient is there
    ready: Event,
    arrived: [Event; PIECES],
    memory: PinnedBuf<ScalarLimbs>,
    n: usize,
}

impl Parcel {
    /// With no coefficients yet.
    fn new(device: &Arc<Device>, memory: PinnedBuf<ScalarLimbs>) -> Result<Self> {
        let mut arrived = Vec::new();
        for _ in 0..PIECES {
            arrived.push(Event::new(device)?);
        }
        Ok(Parcel {
            outgoing: Stream::new(device)?,
            ready: Event::new(device)?,
            arrived: arrived
                .try_into()
                .unwrap_or_else(|_| unreachable!("as many as there are pieces")),
            memory,
            n: 0,
        })
    }

    /// That of the device's last proof, if it is large enough and the second device is done with it; else a new one.
    fn for_next(slot: &Slot, n: usize) -> Result<Arc<Self>> {
        let last = slot.gpu.parcel.lock().take();
        let is_free = |parcel: &mut Arc<Parcel>| Arc::get_mut(parcel).is_some_and(|p| n <= p.memory.len());
        match last.and_then(|mut last| is_free(&mut last).then_some(last)) {
            Some(parcel) => Ok(parcel),
            None => Ok(Arc::new(Parcel::new(&slot.gpu.device, slot.pinned.get(n)?)?)),
        }
    }

    /// Enqueues the copies of `n` coefficients from number `first` on, after what `quotient` has been filled
    /// with. They are in `from` until `settle` has returned.
    fn fill(
        &mut self,
        quotient: &Stream,
        from: &DeviceBuf<ScalarLimbs>,
        first: usize,
        n: usize,
        recorder: &mut Recorder,
    ) -> Result<()> {
        self.n = 0;
        self.ready.record_on(quotient)?;
        self.outgoing.wait_for(&self.ready)?;
        let mut at = first;
        for (piece, arrived) in self.memory[..n].chunks_mut(piece_len(n)).zip(&self.arrived) {
            recorder.begin_copy_on(&self.outgoing);
            // SAFETY: the memory is read after `arrived` has passed, and goes after `outgoing` has (see
            // `drop`).
            unsafe { from.download_on(&self.outgoing, at, piece) }?;
            recorder.end_on(&self.outgoing);
            recorder.moved(0, size_of_val(piece) as u64);
            arrived.record_on(&self.outgoing)?;
            at += piece.len();
        }
        self.n = n;
        Ok(())
    }

    /// The pieces in order, each once it is there.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Result<&[ScalarLimbs]>> {
        let pieces = self.memory[..self.n].chunks(piece_len(self.n));
        pieces.zip(&self.arrived).map(|(piece, arrived)| {
            arrived.synchronize()?;
            Ok(piece)
        })
    }

    fn settle(&self) {
        self.outgoing.settle();
    }
}

impl Drop for Parcel {
    fn drop(&mut self) {
        self.settle();
    }
}

fn piece_len(n: usize) -> usize {
    n.div_ceil(PIECES).max(1)
}

/// Where the device that has the quotient says where its last coefficients are; or, with `None`, that it sums
/// them itself. Dropped unused, it says that there will be none.
pub(super) type Outbox = Sender<Option<Arc<Parcel>>>;

/// Where the second device hears of them.
pub(super) struct Inbox {
    from: Receiver<Option<Arc<Parcel>>>,
    /// what was heard: it stays for a second attempt
    heard: Option<Option<Arc<Parcel>>>,
}

/// For one proof.
pub(super) fn handover() -> (Outbox, Inbox) {
    let (outbox, from) = bounded(1);
    (outbox, Inbox { from, heard: None })
}

impl Inbox {
    /// What the first device says, once it does; `None`: it has failed, or tries again alone.
    pub(super) fn wait(&mut self) -> Option<&Option<Arc<Parcel>>> {
        if self.heard.is_none() {
            self.heard = self.from.recv().ok();
        }
        self.heard.as_ref()
    }
}
