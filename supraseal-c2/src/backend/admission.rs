//! How much may wait: back-pressure on those who submit.

use groth16_core::Priority;
use parking_lot::{Condvar, Mutex};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bounds the owned circuits that wait or compute, by their number and by the bytes of their inputs.
///
/// A job is let in when it fits, or when there is nothing else, so that a large one is not kept out for ever; a higher
/// priority first, then in order of arrival. One of the highest priority is always let in, and counted: it must not wait for those that
/// it is to overtake.
pub(super) struct Admission {
    max_circuits: usize,
    max_bytes: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    circuits: usize,
    bytes: u64,
    waiting: BTreeSet<(Reverse<Priority>, u64)>,
    next_ticket: u64,
}

/// One circuit's share, given back when it is dropped.
pub(super) struct Admitted {
    admission: Arc<Admission>,
    bytes: u64,
}

impl Admission {
    pub(super) fn new(max_circuits: usize, max_bytes: u64) -> Arc<Self> {
        Arc::new(Admission {
            max_circuits,
            max_bytes,
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Waits until a job of circuits of so many bytes is let in. Its circuits give their shares back one by one.
    pub(super) fn enter(self: &Arc<Self>, priority: Priority, circuits: &[u64]) -> Vec<Admitted> {
        let bytes: u64 = circuits.iter().sum();
        let mut state = self.state.lock();
        if priority < Priority::High {
            let ticket = (Reverse(priority), state.next_ticket);
            state.next_ticket += 1;
            state.waiting.insert(ticket);
            while state.waiting.first() != Some(&ticket) || !self.fits(&state, circuits.len(), bytes) {
                self.changed.wait(&mut state);
            }
            state.waiting.remove(&ticket);
            // There may be room for the next one too.
            self.changed.notify_all();
        }
        state.circuits += circuits.len();
        state.bytes += bytes;
        circuits
            .iter()
            .map(|bytes| Admitted {
                admission: self.clone(),
                bytes: *bytes,
            })
            .collect()
    }

    fn fits(&self, state: &State, circuits: usize, bytes: u64) -> bool {
        state.circuits == 0
            || (state.circuits + circuits <= self.max_circuits && state.bytes + bytes <= self.max_bytes)
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut state = self.admission.state.lock();
        state.circuits -= 1;
        state.bytes -= self.bytes;
        self.admission.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::{unbounded, Receiver};
    use std::time::Duration;

    /// Enters on a thread of its own; the shares come through the channel.
    fn enter(admission: &Arc<Admission>, priority: Priority, circuits: &[u64]) -> Receiver<Vec<Admitted>> {
        let (sender, receiver) = unbounded();
        let (inside, circuits) = (admission.clone(), circuits.to_vec());
        let before = admission.state.lock().next_ticket;
        std::thread::spawn(move || sender.send(inside.enter(priority, &circuits)));
        // Those that wait have their places in the order of the calls.
        while priority < Priority::High && admission.state.lock().next_ticket == before {
            std::thread::yield_now();
        }
        receiver
    }

    fn entered(receiver: &Receiver<Vec<Admitted>>) -> Vec<Admitted> {
        receiver.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    fn waits(receiver: &Receiver<Vec<Admitted>>) -> bool {
        receiver.recv_timeout(Duration::from_millis(50)).is_err()
    }

    #[test]
    fn jobs_wait_for_room_by_priority_and_arrival() {
        let admission = Admission::new(3, 100);
        let mut first = entered(&enter(&admission, Priority::Normal, &[40, 40]));
        let low = enter(&admission, Priority::Low, &[30]);
        let normal = enter(&admission, Priority::Normal, &[30]);
        let later = enter(&admission, Priority::Normal, &[1]);
        assert!(waits(&low) && waits(&normal) && waits(&later));
        let high = entered(&enter(&admission, Priority::High, &[5]));
        // One circuit of 40 bytes is done: the normal one of 30 fits, and with it no fourth one.
        drop(first.pop());
        let normal = entered(&normal);
        assert!(waits(&low) && waits(&later));
        drop(high);
        let later = entered(&later);
        assert!(waits(&low));
        drop((first, normal, later));
        drop(entered(&low));
        let state = admission.state.lock();
        assert_eq!((state.circuits, state.bytes, state.waiting.len()), (0, 0, 0));
    }

    #[test]
    fn a_job_over_the_bounds_is_let_in_alone() {
        let admission = Admission::new(1, 10);
        let large = entered(&enter(&admission, Priority::Normal, &[50, 50]));
        let next = enter(&admission, Priority::Normal, &[1]);
        assert!(waits(&next));
        drop(large);
        drop(entered(&next));
    }
}
