use super::srs::Loaded;
use super::Error;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The process's cache for `SRS::try_new(_, true)`, as the registry crate has one.
pub(super) static CACHE: Cache<Loaded> = Cache(Mutex::new(Vec::new()));

/// As many as the registry crate keeps.
const CAPACITY: usize = 4;

/// A few values by path, the one used last first.
pub(super) struct Cache<T>(Mutex<Vec<Entry<T>>>);

struct Entry<T> {
    path: PathBuf,
    stamp: Option<Stamp>,
    value: Arc<T>,
}

/// Tells a file from the one that replaced it under the same path.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|meta| Stamp {
            len: meta.len(),
            modified: meta.modified().ok(),
        })
    }
}

impl<T> Cache<T> {
    /// The value for `path`, loaded if it is not there or its file was replaced.
    ///
    /// The lock is not held while loading: loading uses rayon, and a worker that waits may take up
    /// another task that comes here. Two threads that ask for the same path at once may so both
    /// load it; they get the same value.
    pub(super) fn get_or_load(
        &self,
        path: &Path,
        load: impl FnOnce(&Path) -> Result<T, Error>,
    ) -> Result<Arc<T>, Error> {
        // Before loading: a file replaced meanwhile is then loaded again rather than missed.
        let stamp = Stamp::of(path);
        if let Some(value) = self.get(path, stamp) {
            return Ok(value);
        }
        let value = Arc::new(load(path)?);
        if let Some(winner) = self.get(path, stamp) {
            return Ok(winner);
        }
        // Dropped after the lock is released: freeing a key takes its time.
        let _replaced = self.insert(Entry {
            path: path.to_owned(),
            stamp,
            value: value.clone(),
        });
        Ok(value)
    }

    /// Forgets the value for `path`.
    pub(super) fn evict(&self, path: &Path) {
        let _removed = {
            let mut entries = self.0.lock();
            let at = entries.iter().position(|entry| entry.path == path);
            at.map(|at| entries.remove(at))
        };
    }

    /// A file that is gone cannot have been replaced: what was loaded from it is still good.
    fn get(&self, path: &Path, stamp: Option<Stamp>) -> Option<Arc<T>> {
        let mut entries = self.0.lock();
        let at = entries
            .iter()
            .position(|entry| entry.path == path && (stamp.is_none() || entry.stamp == stamp))?;
        entries[..=at].rotate_right(1);
        Some(entries[0].value.clone())
    }

    fn insert(&self, entry: Entry<T>) -> Option<Entry<T>> {
        let mut entries = self.0.lock();
        let same = entries.iter().position(|other| other.path == entry.path);
        let removed = match same {
            Some(at) => Some(entries.remove(at)),
            None if entries.len() == CAPACITY => entries.pop(),
            None => None,
        };
        entries.insert(0, entry);
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn touch(dir: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn keeps_four_and_drops_the_one_not_used_longest() {
        let dir = tempfile::tempdir().unwrap();
        let paths: Vec<_> = (0..5).map(|i| touch(&dir, &i.to_string(), b"x")).collect();
        let cache = Cache(Mutex::new(Vec::new()));
        let loads = Cell::new(0);
        let get = |i: usize| {
            cache
                .get_or_load(&paths[i], |_| {
                    loads.set(loads.get() + 1);
                    Ok(i)
                })
                .unwrap()
        };
        for i in [0, 1, 2, 3, 0, 4] {
            assert_eq!(*get(i), i);
        }
        assert_eq!(loads.get(), 5);
        // 1 was used longest ago when 4 came.
        for i in [0, 2, 3, 4] {
            get(i);
        }
        assert_eq!(loads.get(), 5);
        get(1);
        assert_eq!(loads.get(), 6);
        cache.evict(&paths[1]);
        get(1);
        assert_eq!(loads.get(), 7);
    }

    #[test]
    fn a_replaced_file_is_loaded_again_and_one_that_is_gone_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = touch(&dir, "key", b"old");
        let cache = Cache(Mutex::new(Vec::new()));
        let get = |n: u32| *cache.get_or_load(&path, |_| Ok(n)).unwrap();
        assert_eq!((get(1), get(2)), (1, 1));
        touch(&dir, "key", b"longer");
        assert_eq!((get(3), get(4)), (3, 3));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(get(5), 3);
    }
}
