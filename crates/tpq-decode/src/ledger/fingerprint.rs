//! What tells contents apart without keeping them.

/// A 128-bit hash: two multiply-and-rotate chains with different constants. What has one
/// fingerprint is taken to be the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprint(u64, u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f)
    }
}

impl Fingerprint {
    pub(crate) fn mix(&mut self, value: u64) {
        let Self(a, b) = self;
        *a = (*a ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31);
        *b = (b.rotate_left(27) ^ value).wrapping_mul(0x9fb2_1c65_1e98_df25);
        *b ^= *b >> 29;
    }

    pub(crate) fn mix_bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last));
        self.mix(bytes.len() as u64);
    }

    pub(crate) fn finish(self) -> u128 {
        let Self(a, b) = self;
        u128::from(a ^ a >> 32) << 64 | u128::from(b ^ b >> 31)
    }
}
