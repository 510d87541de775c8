use crate::FieldOps;
use blst::blst_fp;
use core::fmt;

/// An element of the base field, modulo
/// p = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab.
///
/// Six 64-bit limbs, least significant first, Montgomery form (R = 2^384), fully reduced. `repr(transparent)`
/// over blst's type, so a slice of points can be read as coordinates.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Fp(pub(crate) blst_fp);

/// R mod p, the Montgomery form of one: `hex(2**384 % p)`.
const ONE: Fp = Fp(blst_fp {
    l: [
        0x760900000002fffd,
        0xebf4000bc40c0002,
        0x5f48985753c758ba,
        0x77ce585370525745,
        0x5c071a97a256ec6d,
        0x15f65ec3fa80e493,
    ],
});

/// p, big-endian: the canonical integers compare with it byte by byte.
const MODULUS_BE: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7, 0x64,
    0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24, 0x1e, 0xab,
    0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

impl Fp {
    /// The six Montgomery limbs, least significant first.
    pub const fn montgomery_limbs(&self) -> &[u64; 6] {
        &self.0.l
    }

    /// From 48 big-endian bytes of a canonical integer; `None` if it is not below p.
    pub fn from_be_bytes(bytes: &[u8; 48]) -> Option<Self> {
        // blst would reduce silently.
        if *bytes >= MODULUS_BE {
            return None;
        }
        let mut out = blst_fp::default();
        // SAFETY: blst reads 48 bytes from the array and writes one blst_fp.
        unsafe { blst::blst_fp_from_bendian(&mut out, bytes.as_ptr()) };
        Some(Fp(out))
    }

    /// The canonical integer as 48 big-endian bytes.
    pub fn to_be_bytes(&self) -> [u8; 48] {
        let mut out = [0u8; 48];
        // SAFETY: blst writes exactly 48 bytes into the array.
        unsafe { blst::blst_bendian_from_fp(out.as_mut_ptr(), &self.0) };
        out
    }
}

impl PartialEq for Fp {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // Comparing arrays calls memcmp, which curve code that looks for equal points feels.
        let (a, b) = (&self.0.l, &other.0.l);
        (0..6).fold(0, |difference, i| difference | (a[i] ^ b[i])) == 0
    }
}
impl Eq for Fp {}

impl fmt::Debug for Fp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.to_be_bytes().iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// p, least significant limb first.
const MODULUS: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];

/// `a + b` and `a - b` modulo 2^384, and whether that overflowed.
#[inline(always)]
fn add_limbs(a: &[u64; 6], b: &[u64; 6]) -> ([u64; 6], bool) {
    let mut carry = false;
    let sum = core::array::from_fn(|i| {
        let (sum, over1) = a[i].overflowing_add(b[i]);
        let (sum, over2) = sum.overflowing_add(u64::from(carry));
        carry = over1 | over2;
        sum
    });
    (sum, carry)
}
#[inline(always)]
fn sub_limbs(a: &[u64; 6], b: &[u64; 6]) -> ([u64; 6], bool) {
    let mut borrow = false;
    let difference = core::array::from_fn(|i| {
        let (difference, under1) = a[i].overflowing_sub(b[i]);
        let (difference, under2) = difference.overflowing_sub(u64::from(borrow));
        borrow = under1 | under2;
        difference
    });
    (difference, borrow)
}

/// Calls a blst function that writes its result through its first argument.
macro_rules! blst_op {
    ($f:ident $(, $arg:expr)*) => {{
        let mut out = core::mem::MaybeUninit::<blst_fp>::uninit();
        // SAFETY: the arguments are valid blst_fp values, and blst writes every limb of the result.
        unsafe {
            blst::$f(out.as_mut_ptr() $(, $arg)*);
            Fp(out.assume_init())
        }
    }};
}

impl FieldOps for Fp {
    const ZERO: Self = Fp(blst_fp { l: [0; 6] });
    const ONE: Self = ONE;
    const INVERSION_COST: usize = 90;

    // Sums and differences stand here because a call to blst costs as much as they do.
    #[inline]
    fn add(&self, rhs: &Self) -> Self {
        // Both are below p < 2^381, so nothing is carried out.
        let (sum, _) = add_limbs(&self.0.l, &rhs.0.l);
        let (reduced, was_below_p) = sub_limbs(&sum, &MODULUS);
        let keep = u64::from(was_below_p).wrapping_neg();
        Fp(blst_fp {
            l: core::array::from_fn(|i| (sum[i] & keep) | (reduced[i] & !keep)),
        })
    }
    #[inline]
    fn sub(&self, rhs: &Self) -> Self {
        let (difference, is_negative) = sub_limbs(&self.0.l, &rhs.0.l);
        let mask = u64::from(is_negative).wrapping_neg();
        let (l, _) = add_limbs(&difference, &MODULUS.map(|limb| limb & mask));
        Fp(blst_fp { l })
    }
    #[inline]
    fn mul(&self, rhs: &Self) -> Self {
        blst_op!(blst_fp_mul, &self.0, &rhs.0)
    }
    #[inline]
    fn square(&self) -> Self {
        blst_op!(blst_fp_sqr, &self.0)
    }
    #[inline]
    fn neg(&self) -> Self {
        let (l, _) = sub_limbs(&MODULUS, &self.0.l);
        if self.is_zero() {
            *self
        } else {
            Fp(blst_fp { l })
        }
    }
    #[inline]
    fn is_zero(&self) -> bool {
        self.0.l.iter().fold(0, |bits, limb| bits | limb) == 0
    }
    fn invert(&self) -> Option<Self> {
        (!self.is_zero()).then(|| blst_op!(blst_fp_eucl_inverse, &self.0))
    }
}
