use std::fmt::Write as _;

use super::buffer::Buffer;

/// A number that is not negative as its shortest decimal text has it: `digits` times ten to the
/// power of `exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    /// At most 17 decimal digits.
    pub(super) digits: u64,
    pub(super) exponent: i32,
}

impl Decimal {
    /// The decimal of a finite number that is not negative.
    pub(super) fn of(number: f64) -> Self {
        let mut text = Buffer::<40>::new();
        // The shortest text that gives the number back, such as `1.333e0`; it always fits.
        let _ = write!(text, "{number:e}");
        let (mantissa, exponent) = text.as_str().split_once('e').unwrap_or_default();
        let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let digits = mantissa
            .bytes()
            .filter(u8::is_ascii_digit)
            .fold(0, |digits, digit| digits * 10 + u64::from(digit - b'0'));
        let exponent = exponent.parse::<i32>().unwrap_or(0);
        Self { digits, exponent: exponent - i32::try_from(decimals).unwrap_or(0) }
    }
}

/// A sum of decimals times whole factors, exact to 36 places behind the point, so that what is half
/// of one is never rounded as if it were a little less.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExactSum {
    whole: u128,
    /// In units of ten to the power of minus 36.
    fraction: u128,
    positive: bool,
}

/// The places of [`ExactSum::fraction`].
const PLACES: u32 = 36;

impl ExactSum {
    /// Adds `decimal` times `factor`; none if that is beyond everything that is a time.
    pub(super) fn add(&mut self, decimal: Decimal, factor: u32) -> Option<()> {
        let product = u128::from(decimal.digits) * u128::from(factor);
        self.positive |= product > 0;
        let places = decimal.exponent.unsigned_abs();
        if product == 0 {
            return Some(());
        } else if decimal.exponent >= 0 {
            let product = product.checked_mul(10_u128.checked_pow(places)?)?;
            self.whole = self.whole.checked_add(product)?;
        } else if places <= PLACES {
            let one = 10_u128.pow(places);
            self.whole = self.whole.checked_add(product / one)?;
            self.fraction += product % one * 10_u128.pow(PLACES - places);
        } else if let Some(beyond) = 10_u128.checked_pow(places - PLACES) {
            self.fraction += product / beyond;
        }
        let one = 10_u128.pow(PLACES);
        self.whole = self.whole.checked_add(self.fraction / one)?;
        self.fraction %= one;
        Some(())
    }

    /// The sum as a whole number, half up.
    pub(super) fn rounded(self) -> Option<u128> {
        let half = 10_u128.pow(PLACES) / 2;
        self.whole.checked_add(u128::from(self.fraction >= half))
    }

    /// Whether anything above zero was added, however small.
    pub(super) fn is_positive(self) -> bool {
        self.positive
    }
}
