//! Test vectors of MN-Core 2.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tensor_layout_vectors::check_vectors;

fuzz_target!(|bytes: &[u8]| {
    let _ = check_vectors(bytes, &mut |_| {});
});
