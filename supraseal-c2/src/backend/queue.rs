//! Who goes next: by priority, then by order of arrival, and nobody is overtaken for ever.

use groth16_core::Priority;
use std::collections::VecDeque;

/// How often a lane is passed over before its first goes next, whatever its priority (B091).
const MAX_OVERTAKES: u32 = 16;

/// What waits, a lane for each priority.
pub(super) struct Queue<T> {
    /// the highest first
    lanes: [Lane<T>; 3],
}

struct Lane<T> {
    waiting: VecDeque<T>,
    /// times that one of a higher lane was taken while this one had something waiting, since one of this lane was
    overtaken: u32,
}

fn lane_of(priority: Priority) -> usize {
    match priority {
        Priority::High => 0,
        Priority::Normal => 1,
        Priority::Low => 2,
    }
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        let lane = || Lane {
            waiting: VecDeque::new(),
            overtaken: 0,
        };
        Queue {
            lanes: [lane(), lane(), lane()],
        }
    }

    /// Behind all of its priority.
    pub(super) fn push(&mut self, priority: Priority, item: T) {
        self.lanes[lane_of(priority)].waiting.push_back(item);
    }

    /// Before all of its priority: for what was taken once and has to be done again.
    pub(super) fn push_first(&mut self, priority: Priority, item: T) {
        self.lanes[lane_of(priority)].waiting.push_front(item);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lanes.iter().all(|lane| lane.waiting.is_empty())
    }

    /// Takes the first item that somebody can serve: the first for which `server` has an answer.
    pub(super) fn take<S>(&mut self, server: impl Fn(&T) -> Option<S>) -> Option<(T, S)> {
        let overdue = |l: &usize| self.lanes[*l].overtaken >= MAX_OVERTAKES;
        let order: Vec<usize> = (0..3)
            .filter(overdue)
            .chain((0..3).filter(|l| !overdue(l)))
            .collect();
        for l in order {
            let waiting = &mut self.lanes[l].waiting;
            let found = waiting
                .iter()
                .enumerate()
                .find_map(|(i, item)| Some((i, server(item)?)));
            if let Some((i, served_by)) = found {
                let item = waiting.remove(i)?;
                self.lanes[l].overtaken = 0;
                for lower in &mut self.lanes[l + 1..] {
                    lower.overtaken = match lower.waiting.is_empty() {
                        true => 0,
                        false => lower.overtaken + 1,
                    };
                }
                return Some((item, served_by));
            }
        }
        None
    }

    /// Takes out all items that do not pass.
    pub(super) fn remove_unless(&mut self, keep: impl Fn(&T) -> bool) -> Vec<T> {
        let mut removed = Vec::new();
        for lane in &mut self.lanes {
            let (kept, out): (VecDeque<T>, VecDeque<T>) =
                std::mem::take(&mut lane.waiting).into_iter().partition(&keep);
            lane.waiting = kept;
            removed.extend(out);
        }
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(queue: &mut Queue<u32>) -> Option<u32> {
        queue.take(|_| Some(())).map(|(item, ())| item)
    }

    #[test]
    fn higher_goes_first_and_equal_in_order_of_arrival() {
        let mut queue = Queue::new();
        for (i, priority) in [
            Priority::Low,
            Priority::Normal,
            Priority::High,
            Priority::Normal,
            Priority::High,
        ]
        .into_iter()
        .enumerate()
        {
            queue.push(priority, i as u32);
        }
        queue.push_first(Priority::Normal, 9);
        let order: Vec<u32> = std::iter::from_fn(|| next(&mut queue)).collect();
        assert_eq!(order, [2, 4, 9, 1, 3, 0]);
        assert!(queue.is_empty());
    }

    #[test]
    fn b091_a_low_one_is_overtaken_so_often_and_no_more() {
        let mut queue = Queue::new();
        queue.push(Priority::Low, 0);
        queue.push(Priority::Normal, 1);
        let mut taken = Vec::new();
        for i in 2..100 {
            // A higher one is there at all times.
            queue.push(Priority::High, i);
            taken.push(next(&mut queue).unwrap());
        }
        let at = |item| taken.iter().position(|t| *t == item).unwrap() as u32;
        assert_eq!((at(1), at(0)), (MAX_OVERTAKES, MAX_OVERTAKES + 1));
    }

    #[test]
    fn what_nobody_can_serve_lets_others_pass() {
        let mut queue = Queue::new();
        (0..4).for_each(|i| queue.push(Priority::Normal, i));
        let odd = |item: &u32| (item % 2 == 1).then_some("a server");
        assert_eq!(queue.take(odd), Some((1, "a server")));
        assert_eq!(queue.remove_unless(|item| *item != 2), [2]);
        assert_eq!(
            (next(&mut queue), next(&mut queue), next(&mut queue)),
            (Some(0), Some(3), None)
        );
    }
}
