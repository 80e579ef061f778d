//! Shardings of HLO, Shardy, JAX and PyTorch, meshes and groups of devices.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tensor_layout::sharding::{
    DeviceGroups, HloSharding, Mesh, PartitionSpec, Placements, SdySharding, ShardingText,
};

/// Parses the text; if that succeeds, the printed value must parse to an equal one.
macro_rules! fixed {
    ($text:expr, $($kind:ty),*) => {
        $(if let Ok(read) = $text.parse::<$kind>() {
            let printed = read.to_string();
            assert_eq!(printed.parse::<$kind>().as_ref(), Ok(&read), "{printed}");
        })*
    };
}

fuzz_target!(|text: &str| {
    fixed!(text, HloSharding, SdySharding, PartitionSpec, Placements, Mesh);
    let _ = text.parse::<DeviceGroups>();
    let _ = text.parse::<ShardingText>();
});
