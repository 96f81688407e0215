//! The narrowest form that holds the values of a chunk.

use bytes::BytesMut;

use super::facts::bounds;
use super::{Facts, Native, Packing, Valid};

/// Values that are packed at a time, which the processor's first cache holds in every form.
const BLOCK: usize = 512;

/// The packed form of a chunk of values.
pub(super) struct Form {
    pub(super) base: i64,
    /// The bytes of a value; none where every row is NULL. Eight are the value itself.
    pub(super) width: usize,
    pub(super) facts: Facts,
}

impl Form {
    #[inline(always)]
    pub(super) fn of<N: Native>(values: &[N], valid: Valid<'_>, packing: Packing) -> Self {
        let facts = Facts::of(packing, values, valid);
        let (lo, hi) = match packing {
            Packing::Integers => facts.bounds.unwrap_or_default(),
            Packing::Strings => (0, bounds(values, (N::MAX, N::MIN)).1.to_i64()),
            Packing::Reals => (i64::MIN, i64::MAX),
        };
        let (base, width) = match hi.abs_diff(lo) {
            _ if facts.nulls == values.len() => (0, 0),
            0..=0xff => (lo, 1),
            0x100..=0xffff => (lo, 2),
            0x1_0000..=0xffff_ffff => (lo, 4),
            _ => (0, 8),
        };
        Self { base, width, facts }
    }

    /// Values in this form.
    #[inline(always)]
    pub(super) fn written<N: Native>(&self, values: &[N]) -> BytesMut {
        let mut bytes = BytesMut::with_capacity(self.width * values.len());
        self.write(values, &mut bytes);
        bytes
    }

    /// Writes values in this form behind others.
    #[inline(always)]
    pub(super) fn write<N: Native>(&self, values: &[N], out: &mut BytesMut) {
        // The value of a NULL is ignored, and may lie outside the bounds.
        let least = N::from_i64(self.base);
        let mut block = [0; 8 * BLOCK];
        for values in values.chunks(BLOCK) {
            let block = &mut block[..self.width * values.len()];
            match self.width {
                1 => block.iter_mut().zip(values).for_each(|(to, value)| {
                    *to = value.since(least) as u8;
                }),
                2 => narrow(values, block, |value| (value.since(least) as u16).to_le_bytes()),
                4 => narrow(values, block, |value| (value.since(least) as u32).to_le_bytes()),
                8 => narrow(values, block, |value| value.to_i64().to_le_bytes()),
                _ => {}
            }
            out.extend_from_slice(block);
        }
    }
}

#[inline(always)]
fn narrow<N: Native, const W: usize>(values: &[N], out: &mut [u8], to: impl Fn(N) -> [u8; W]) {
    let (out, _) = out.as_chunks_mut::<W>();
    out.iter_mut().zip(values).for_each(|(out, &value)| *out = to(value));
}

/// The packed form of a chunk, and its packed values.
#[inline(always)]
fn pack_with<N: Native>(values: &[N], valid: Valid<'_>, packing: Packing) -> (Form, BytesMut) {
    let form = Form::of(values, valid, packing);
    let bytes = form.written(values);
    (form, bytes)
}

/// The same where the processor can take four values of eight bytes at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn pack_by_avx2<N: Native>(values: &[N], valid: Valid<'_>, packing: Packing) -> (Form, BytesMut) {
    pack_with(values, valid, packing)
}

pub(super) fn pack<N: Native>(
    values: &[N],
    valid: Valid<'_>,
    packing: Packing,
) -> (Form, BytesMut) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function asks for. Packing is a sixth of the import
        // of a trace of nothing but switches, and takes half as long so.
        return unsafe { pack_by_avx2(values, valid, packing) };
    }
    pack_with(values, valid, packing)
}
