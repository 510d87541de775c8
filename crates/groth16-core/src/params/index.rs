use bls_curves::{CurveGroup, PointCheck, PointError};
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;

/// Why bytes are not parameters or not a verifying key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamsError {
    /// The bytes end inside a section.
    #[error("truncated in section {section} at byte {offset}: {need} bytes needed in all, {have} there ({})", cause(section, *offset, *have))]
    Truncated {
        /// the section that is cut
        section: &'static str,
        /// where the section's count stands, or 0 in the fixed head
        offset: usize,
        /// the least size that would hold all up to this section's end
        need: u64,
        /// the size there is
        have: usize,
    },
    /// A point is refused.
    #[error("section {section}, point {index}, at byte {offset}: {source}")]
    InvalidPoint {
        /// the section
        section: &'static str,
        /// counted from 0 within the section
        index: usize,
        /// of the point's first byte, from the start of the file
        offset: usize,
        /// the reason
        source: PointError,
    },
    /// There is more after the last section.
    #[error("{extra} bytes after the last section ({last}), from byte {offset} on{}", if *last == "ic" { " (parameters, where a verifying key alone is expected?)" } else { "" })]
    TrailingBytes {
        /// where the sections end
        offset: usize,
        /// how many bytes follow
        extra: usize,
        /// the last section's name
        last: &'static str,
    },
    /// A verifying key without ONE.
    #[error("section ic at byte 864 is empty: a key has at least the point of ONE")]
    NoIc,
    /// The two B queries are of the same wires.
    #[error("section b_g1 has {b_g1} points and b_g2 has {b_g2}, where both hold the same wires")]
    BCounts {
        /// points of b_g1
        b_g1: usize,
        /// points of b_g2
        b_g2: usize,
    },
    /// n powers are written for a domain of size n + 1, which is a power of two.
    #[error("section h at byte {offset} has {h} points, which is not a power of two less one (a key of another convention, such as snarkjs's?)")]
    HCount {
        /// points of h
        h: usize,
        /// where its count stands
        offset: usize,
    },
    /// The start of the file is that of another format.
    #[error("this is a {format} file, which is not supported where a .params file is expected")]
    UnsupportedFormat {
        /// the format found
        format: &'static str,
    },
}

/// What is the most likely reason that bytes end in a section.
fn cause(section: &str, offset: usize, have: usize) -> &'static str {
    if section == "h" && offset == have {
        "a verifying key alone, where parameters are expected?"
    } else {
        "an interrupted download?"
    }
}

/// One run of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// the name that errors use
    pub name: &'static str,
    /// of the first point's first byte
    pub offset: usize,
    /// how many points
    pub n_points: usize,
    /// 96 or 192
    pub point_bytes: usize,
}

impl Section {
    /// Reads the count at `at` and checks that the points are there.
    fn parse(
        bytes: &[u8],
        name: &'static str,
        at: usize,
        point_bytes: usize,
    ) -> Result<Section, ParamsError> {
        let truncated = |need: u64| ParamsError::Truncated {
            section: name,
            offset: at,
            need,
            have: bytes.len(),
        };
        let offset = at + 4;
        let Some(count) = bytes
            .get(at..offset)
            .and_then(|b| b.try_into().ok())
            .map(u32::from_be_bytes)
        else {
            return Err(truncated(offset as u64));
        };
        // In 64 bits this cannot overflow: the count has 32 and the offset is inside a slice.
        let end = offset as u64 + count as u64 * point_bytes as u64;
        if end > bytes.len() as u64 {
            return Err(truncated(end));
        }
        Ok(Section {
            name,
            offset,
            n_points: count as usize,
            point_bytes,
        })
    }

    /// Of the first byte after the last point.
    pub fn end(&self) -> usize {
        self.offset + self.n_points * self.point_bytes
    }

    /// Decodes every point, in parallel; the error is that of the lowest refused index.
    ///
    /// `bytes` must be what this section was found in.
    ///
    /// # Panics
    /// If `bytes` are fewer than the section's end, or the section is of the other group.
    pub fn decode<C: CurveGroup>(
        &self,
        bytes: &[u8],
        check: PointCheck,
    ) -> Result<Vec<C::Affine>, ParamsError> {
        let mut points = vec![C::Affine::identity(); self.n_points];
        self.decode_into::<C>(bytes, check, 0, &mut points)?;
        Ok(points)
    }

    /// Decodes the points from the one numbered `first` on into `out`, in parallel: for those who have memory
    /// of their own for them, or not enough for all at once.
    ///
    /// # Panics
    /// If the section has fewer points than that, or holds the other group.
    pub fn decode_into<C: CurveGroup>(
        &self,
        bytes: &[u8],
        check: PointCheck,
        first: usize,
        out: &mut [C::Affine],
    ) -> Result<(), ParamsError> {
        assert_eq!(
            self.point_bytes,
            C::UNCOMPRESSED_BYTES,
            "section {} holds the other group",
            self.name
        );
        assert!(
            first + out.len() <= self.n_points,
            "section {} has {} points",
            self.name,
            self.n_points
        );
        let begin = self.offset + first * self.point_bytes;
        let encoded = &bytes[begin..begin + out.len() * self.point_bytes];
        const CHUNK: usize = 1024;
        let first_refused = out
            .par_chunks_mut(CHUNK)
            .zip(encoded.par_chunks(CHUNK * self.point_bytes))
            .enumerate()
            .filter_map(|(chunk, (out, encoded))| {
                out.iter_mut()
                    .zip(encoded.chunks_exact(self.point_bytes))
                    .enumerate()
                    .find_map(
                        |(i, (out, encoded))| match C::decode_uncompressed(encoded, check) {
                            Ok(point) => {
                                *out = point;
                                None
                            }
                            Err(source) => Some((first + chunk * CHUNK + i, source)),
                        },
                    )
            })
            .min_by_key(|(index, _)| *index);
        match first_refused {
            None => Ok(()),
            Some((index, source)) => Err(ParamsError::InvalidPoint {
                section: self.name,
                index,
                offset: self.offset + index * self.point_bytes,
                source,
            }),
        }
    }
}

/// Where each section of parameters stands. Made without decoding a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamsIndex {
    /// public inputs' points, the end of the verifying key
    pub ic: Section,
    /// powers of τ
    pub h: Section,
    /// private wires
    pub l: Section,
    /// A query
    pub a: Section,
    /// B query in G1
    pub b_g1: Section,
    /// B query in G2
    pub b_g2: Section,
}

impl ParamsIndex {
    /// Bytes before the count of `ic`: α, β in G1, β, γ in G2, δ in G1 and in G2.
    pub const VK_HEAD_BYTES: usize = 864;

    /// Finds the sections; every length is checked against the bytes there are.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParamsError> {
        let ic = Self::ic_section(bytes)?;
        let h = Section::parse(bytes, "h", ic.end(), 96)?;
        let l = Section::parse(bytes, "l", h.end(), 96)?;
        let a = Section::parse(bytes, "a", l.end(), 96)?;
        let b_g1 = Section::parse(bytes, "b_g1", a.end(), 96)?;
        let b_g2 = Section::parse(bytes, "b_g2", b_g1.end(), 192)?;
        if b_g1.n_points != b_g2.n_points {
            return Err(ParamsError::BCounts {
                b_g1: b_g1.n_points,
                b_g2: b_g2.n_points,
            });
        }
        if !(h.n_points + 1).is_power_of_two() {
            return Err(ParamsError::HCount {
                h: h.n_points,
                offset: ic.end(),
            });
        }
        Ok(ParamsIndex {
            ic,
            h,
            l,
            a,
            b_g1,
            b_g2,
        })
    }

    /// Where the last section ends.
    pub fn end(&self) -> usize {
        self.b_g2.end()
    }

    /// The key's counts.
    pub fn counts(&self) -> super::KeyCounts {
        super::KeyCounts {
            ic: self.ic.n_points,
            h: self.h.n_points,
            l: self.l.n_points,
            a: self.a.n_points,
            b_g1: self.b_g1.n_points,
            b_g2: self.b_g2.n_points,
        }
    }

    /// The `ic` section, after the fixed head of the verifying key was found to be there.
    pub(crate) fn ic_section(bytes: &[u8]) -> Result<Section, ParamsError> {
        for (magic, format) in [
            (b"zkey", "snarkjs .zkey"),
            (b"r1cs", "circom .r1cs"),
            (b"wtns", "circom .wtns"),
        ] {
            if bytes.starts_with(magic) {
                return Err(ParamsError::UnsupportedFormat { format });
            }
        }
        if bytes.len() < Self::VK_HEAD_BYTES {
            let need = Self::VK_HEAD_BYTES as u64 + 4;
            return Err(ParamsError::Truncated {
                section: "vk",
                offset: 0,
                need,
                have: bytes.len(),
            });
        }
        let ic = Section::parse(bytes, "ic", Self::VK_HEAD_BYTES, 96)?;
        if ic.n_points == 0 {
            return Err(ParamsError::NoIc);
        }
        Ok(ic)
    }

    /// Bytes of the verifying key at the head of `bytes`.
    pub(crate) fn vk_bytes(bytes: &[u8]) -> Result<usize, ParamsError> {
        Self::ic_section(bytes).map(|ic| ic.end())
    }
}
