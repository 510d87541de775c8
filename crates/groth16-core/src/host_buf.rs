use core::ops::{Deref, DerefMut};

/// Memory that a backend lends for inputs, such as pinned pages, with its own way to be given back.
pub trait HostMemory<T>: Send + Sync {
    /// The elements.
    fn as_slice(&self) -> &[T];
    /// The elements, to be filled.
    fn as_mut_slice(&mut self) -> &mut [T];
    /// Whether a device may copy from it directly, for as long as it lives.
    fn is_page_locked(&self) -> bool {
        false
    }
}

/// A vector of inputs in host memory: a plain `Vec`, or memory that a backend handed out.
pub struct HostBuf<T>(Inner<T>);

enum Inner<T> {
    Heap(Vec<T>),
    Backend(Box<dyn HostMemory<T>>),
}

impl<T> HostBuf<T> {
    /// Wraps a backend's memory.
    pub fn from_backend(memory: Box<dyn HostMemory<T>>) -> Self {
        HostBuf(Inner::Backend(memory))
    }

    /// Whether the memory is page-locked, so that the backend that handed it out copies from it directly.
    pub fn is_page_locked(&self) -> bool {
        match &self.0 {
            Inner::Heap(_) => false,
            Inner::Backend(memory) => memory.is_page_locked(),
        }
    }

    /// The elements as a `Vec`: no copy if they are in one.
    pub fn into_vec(self) -> Vec<T>
    where
        T: Copy,
    {
        match self.0 {
            Inner::Heap(vec) => vec,
            Inner::Backend(memory) => memory.as_slice().to_vec(),
        }
    }
}

impl<T> From<Vec<T>> for HostBuf<T> {
    fn from(vec: Vec<T>) -> Self {
        HostBuf(Inner::Heap(vec))
    }
}

impl<T> Deref for HostBuf<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match &self.0 {
            Inner::Heap(vec) => vec,
            Inner::Backend(memory) => memory.as_slice(),
        }
    }
}

impl<T> DerefMut for HostBuf<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Inner::Heap(vec) => vec,
            Inner::Backend(memory) => memory.as_mut_slice(),
        }
    }
}
