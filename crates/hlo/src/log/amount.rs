//! Amounts of memory as logs print them: rounded, in powers of 1024.

use std::fmt;

/// An amount of memory in a log: `16.25G`, `8.00GiB`, `0B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogAmount {
    /// The digits without the point.
    digits: u64,
    /// The number of digits after the point.
    decimals: u32,
    /// The unit as a power of 1024: 0 for `B`, 1 for `K`.
    steps: u32,
}

const UNITS: [&str; 6] = ["B", "K", "M", "G", "T", "P"];

impl LogAmount {
    /// Reads the amount that a text begins with.
    pub(crate) fn starting(text: &str) -> Option<LogAmount> {
        let text = text.trim_start();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, unit) = text.split_at_checked(end)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        let unit = unit.trim_start().chars().next()?.to_ascii_uppercase();
        let steps = UNITS.iter().zip(0..).find(|(name, _)| name.starts_with(unit))?.1;
        Some(LogAmount { digits, decimals: u32::try_from(fraction.len()).ok()?, steps })
    }

    /// An exact number of bytes.
    pub(super) fn exact(bytes: u64) -> LogAmount {
        LogAmount { digits: bytes, decimals: 0, steps: 0 }
    }

    fn scale(self) -> Option<(u128, u128)> {
        let unit = 1024_u128.checked_pow(self.steps)?;
        Some((unit, 10_u128.checked_pow(self.decimals)?))
    }

    /// The bytes, rounded down.
    #[must_use]
    pub fn bytes(self) -> Option<u64> {
        let (unit, tens) = self.scale()?;
        u64::try_from(u128::from(self.digits).checked_mul(unit)? / tens).ok()
    }

    /// Returns whether a number of bytes is printed as this amount: at most half of the last digit away, maybe after
    /// what is less than one of the next smaller unit was dropped, as in XLA.
    #[must_use]
    pub fn is(self, bytes: u64) -> bool {
        let dropped = self.steps.checked_sub(1).and_then(|steps| 1024_u64.checked_pow(steps));
        let whole = dropped.map_or(bytes, |smaller| bytes / smaller * smaller);
        [bytes, whole].into_iter().any(|bytes| self.is_near(bytes))
    }

    /// Returns whether a number of bytes is at most half of the last digit away.
    fn is_near(self, bytes: u64) -> bool {
        let Some((unit, tens)) = self.scale() else { return false };
        let Some(own) = u128::from(self.digits).checked_mul(unit) else { return false };
        u128::from(bytes).checked_mul(tens).is_some_and(|other| own.abs_diff(other) * 2 <= unit)
    }
}

impl fmt::Display for LogAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = usize::try_from(self.steps).ok().and_then(|at| UNITS.get(at)).unwrap_or(&"?");
        let Some(tens) = 10_u64.checked_pow(self.decimals) else { return f.write_str("?") };
        match usize::try_from(self.decimals) {
            Ok(width) if width > 0 => {
                write!(f, "{}.{:0width$}{unit}", self.digits / tens, self.digits % tens)
            }
            _ => write!(f, "{}{unit}", self.digits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LogAmount;

    #[test]
    fn an_amount_is_what_rounds_to_it() {
        for (text, shown, bytes) in [
            ("0B", "0B", 0),
            ("4.0K", "4.0K", 4096),
            ("29.82M,", "29.82M", 31_268_536),
            ("16.25G of", "16.25G", 17_448_304_640),
            ("8.00GiB", "8.00G", 8 << 30),
            ("268435456B)", "268435456B", 268_435_456),
        ] {
            let amount = LogAmount::starting(text).unwrap();
            assert_eq!((amount.to_string().as_str(), amount.bytes()), (shown, Some(bytes)));
            assert!(amount.is(bytes) && !amount.is(bytes + bytes / 50 + 1), "{text}");
        }
        // XLA divides whole numbers until it is below 1024 MiB: 8975.9 MiB is printed as 8975 / 1024 GiB.
        let amount = LogAmount::starting("8.76GiB").unwrap();
        assert!(amount.is((8975 << 20) + (900 << 10)) && !amount.is(8976 << 20));
        for text in ["", "G", "1.0", "unknown size", "99999999999999999999G"] {
            assert_eq!(LogAmount::starting(text), None, "{text}");
        }
    }
}
