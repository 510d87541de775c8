use super::Parameters;
use bls_curves::CurveGroup;
use std::io::{self, Write};

/// Points encoded at a time: bounds the memory of a write, whatever the key's size.
const CHUNK_POINTS: usize = 1 << 14;

impl Parameters {
    /// Bytes of the `.params` file.
    pub fn encoded_bytes(&self) -> u64 {
        let n = self.counts();
        868 + 20 + 96 * (n.ic + n.h + n.l + n.a + n.b_g1) as u64 + 192 * n.b_g2 as u64
    }

    /// Writes a `.params` file. The format has 32-bit counts; a larger key is
    /// an error of kind `InvalidInput`.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        out.write_all(&self.vk.to_bytes())?;
        write_section::<bls_curves::G1Projective>(&mut out, &self.h)?;
        write_section::<bls_curves::G1Projective>(&mut out, &self.l)?;
        write_section::<bls_curves::G1Projective>(&mut out, &self.a)?;
        write_section::<bls_curves::G1Projective>(&mut out, &self.b_g1)?;
        write_section::<bls_curves::G2Projective>(&mut out, &self.b_g2)
    }
}

fn write_section<C: CurveGroup>(out: &mut impl Write, points: &[C::Affine]) -> io::Result<()> {
    let count = u32::try_from(points.len()).map_err(|_| {
        let text = format!(
            "{} points do not fit the 32-bit count of a .params section",
            points.len()
        );
        io::Error::new(io::ErrorKind::InvalidInput, text)
    })?;
    out.write_all(&count.to_be_bytes())?;
    let mut encoded = Vec::with_capacity(CHUNK_POINTS.min(points.len()) * C::UNCOMPRESSED_BYTES);
    for chunk in points.chunks(CHUNK_POINTS) {
        encoded.clear();
        chunk
            .iter()
            .for_each(|point| C::encode_uncompressed(point, &mut encoded));
        out.write_all(&encoded)?;
    }
    Ok(())
}
