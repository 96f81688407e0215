//! How many cases an attack has, and what their random choices follow from.

use tpq_testkit::random::Random;

/// The settings of the environment.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub seed: u64,
    /// The only case to run.
    case: Option<u64>,
    size: Size,
}

#[derive(Clone, Copy, Debug)]
enum Size {
    /// A multiple of the cases of the small run.
    Times(u64),
    Long,
}

/// The seed where none is given: cases of the tests are the same each time.
const SEED: u64 = 1;

impl Effort {
    /// # Errors
    /// When a variable is set to something else than it may be.
    pub fn from_env() -> Result<Self, String> {
        let size = match (std::env::var("TPQ_ATTACK").ok().as_deref(), number("TPQ_ATTACK_SCALE")?)
        {
            (None | Some("" | "small"), times) => Size::Times(times.unwrap_or(1)),
            (Some("long"), None) => Size::Long,
            (Some("long"), Some(_)) => return Err("TPQ_ATTACK=long has no scale".into()),
            (Some(other), _) => return Err(format!("TPQ_ATTACK={other}: small or long")),
        };
        let seed = number("TPQ_ATTACK_SEED")?.unwrap_or(SEED);
        Ok(Self { seed, case: number("TPQ_ATTACK_CASE")?, size })
    }

    /// The numbers of the cases of an attack with these numbers of cases in the small and in the
    /// long run.
    pub fn cases(self, small: u64, long: u64) -> Vec<u64> {
        match (self.case, self.size) {
            (Some(case), _) => vec![case],
            (None, Size::Times(times)) => (0..small * times).collect(),
            (None, Size::Long) => (0..long).collect(),
        }
    }

    pub fn is_long(self) -> bool {
        matches!(self.size, Size::Long)
    }

    /// The random choices of a case.
    pub fn random(self, case: u64) -> Random {
        random(self.seed, case)
    }
}

/// The random choices of a case of the attack from `seed`.
pub fn random(seed: u64, case: u64) -> Random {
    let mut seeds = Random::new(seed);
    Random::new(seeds.next_u64() ^ case.wrapping_mul(0xd6e8_feb8_6659_fd93))
}

fn number(name: &str) -> Result<Option<u64>, String> {
    match std::env::var(name) {
        Ok(text) if !text.is_empty() => {
            text.parse().map(Some).map_err(|_| format!("{name}={text}: not a number"))
        }
        _ => Ok(None),
    }
}
