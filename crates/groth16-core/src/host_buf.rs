use crate::Backend;
use bls_fields::Fr;
use core::ops::{Deref, DerefMut};
use ff::Field;

/// Memory that a backend lends for inputs, such as pinned pages, with its own way to be given back.
pub trait HostMemory<T>: Send + Sync {
    /// The elements.
    fn as_slice(&self) -> &[T];
    /// The elements, to be filled.
    fn as_mut_slice(&mut self) -> &mut [T];
}

/// A vector of inputs in host memory: a plain `Vec`, or memory that a backend handed out.
pub struct HostBuf<T>(Inner<T>);

enum Inner<T> {
    Heap(Vec<T>),
    Backend {
        memory: Box<dyn HostMemory<T>>,
        /// elements in use, no more than there are
        len: usize,
    },
}

impl<T> HostBuf<T> {
    /// Wraps a backend's memory.
    pub fn from_backend(memory: Box<dyn HostMemory<T>>) -> Self {
        let len = memory.as_slice().len();
        HostBuf(Inner::Backend { memory, len })
    }

    /// Keeps the first `len` elements, if there are more. The memory of the others stays part of the buffer.
    pub fn truncate(&mut self, len: usize) {
        match &mut self.0 {
            Inner::Heap(vec) => vec.truncate(len),
            Inner::Backend { len: in_use, .. } => *in_use = len.min(*in_use),
        }
    }

    /// The elements as a `Vec`: no copy if they are in one.
    pub fn into_vec(self) -> Vec<T>
    where
        T: Copy,
    {
        match self.0 {
            Inner::Heap(vec) => vec,
            Inner::Backend { memory, len } => memory.as_slice()[..len].to_vec(),
        }
    }
}

impl HostBuf<Fr> {
    /// `n` zeros on the heap.
    pub(crate) fn zeros(n: usize) -> Self {
        vec![Fr::ZERO; n].into()
    }

    /// `n` zeros in the backend's memory; on the heap where it has none to give.
    pub(crate) fn zeros_for(backend: &dyn Backend, n: usize) -> Self {
        backend.alloc_host(n).unwrap_or_else(|_| Self::zeros(n))
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
            Inner::Backend { memory, len } => &memory.as_slice()[..*len],
        }
    }
}

impl<T> DerefMut for HostBuf<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Inner::Heap(vec) => vec,
            Inner::Backend { memory, len } => &mut memory.as_mut_slice()[..*len],
        }
    }
}
