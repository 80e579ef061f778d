//! A sharded shape and its cost for every device.

use std::fmt;

use tensor_layout::ParseError;
use tensor_layout::sharding::{Fill, ShardedShape, ShardedSizes};
use tensor_layout_words::{percent, readable_bytes};

/// A sharded shape and its sizes; `Display` prints them as a readable page.
///
/// ```
/// use tensor_layout::sharding::ShardedShape;
/// use tensor_layout_show::report::ShardingReport;
/// let text = "bf16[4096,14336], sharding=[Shard(0)], mesh=x=4";
/// let report = ShardingReport::of(&text.parse::<ShardedShape>()?)?;
/// assert_eq!(report.text, "{devices=[4,1]<=[4]}");
/// assert_eq!(report.sizes.device_bytes, 29_360_128);
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardingReport {
    /// The sharding as XLA prints it; as it was given if its cuts do not form one cut, which XLA cannot express.
    pub text: String,
    /// The sizes.
    pub sizes: ShardedSizes,
}

impl ShardingReport {
    /// Reports the cost of the sharding for every device.
    ///
    /// # Errors
    /// As [`ShardedShape::sizes`].
    pub fn of(shape: &ShardedShape) -> Result<ShardingReport, ParseError> {
        let sizes = shape.sizes()?;
        let as_hlo = shape.sharding().map(|sharding| sharding.to_hlo().to_string());
        Ok(ShardingReport { text: as_hlo.unwrap_or_else(|_| shape.text.to_string()), sizes })
    }
}

impl fmt::Display for ShardingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ShardingReport { text, sizes } = self;
        writeln!(f, "sharding   {text}")?;
        writeln!(f, "shard      {}\n", sizes.shard)?;
        let mut line = |name: &str, bytes: u64, note: String| {
            writeln!(f, "{name:26} {bytes:>20} bytes  {:>12}{note}", readable_bytes(bytes))
        };
        let share = |part: u64, whole: u64| format!("  ({})", percent(part, whole));
        line("whole tensor", sizes.global_bytes, String::new())?;
        line("a device allocates", sizes.device_bytes, String::new())?;
        let (cut, tiled) = (sizes.sharding_padding_bytes, sizes.tiling_padding_bytes);
        let room = sizes.global_bytes.saturating_add(cut);
        line(
            "padding by the sharding",
            cut,
            share(cut, room) + " of one copy, over all its devices",
        )?;
        line("padding by the tiling", tiled, share(tiled, sizes.device_bytes) + " of a device")?;
        writeln!(f)?;
        match (sizes.devices, sizes.copies) {
            (Some(devices), Some(copies)) => {
                writeln!(f, "{devices} devices, each element on {copies} of them")?;
            }
            (Some(devices), None) => {
                writeln!(
                    f,
                    "{devices} devices; the sharding does not say which elements each holds"
                )?;
            }
            (None, Some(_)) => writeln!(f, "one device holds the tensor")?,
            (None, None) => writeln!(f, "the sharding does not say how many devices there are")?,
        }
        match sizes.fill {
            Some(Fill { full, short, empty }) => {
                writeln!(f, "{full} hold a whole shard, {short} a part of one, {empty} nothing")
            }
            None => Ok(()),
        }
    }
}
