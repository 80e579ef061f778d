//! HLO dumps: in any file, every instruction is read or reported as unread.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tensor_layout_hlo::{HloDump, HloReport};

fuzz_target!(|bytes: &[u8]| {
    let _ = HloReport::scan(bytes, |_| {});
    let mut dump = HloDump::new(bytes);
    while let Ok(Some(computation)) = dump.next_computation() {
        for instruction in computation.instructions() {
            let _ = (instruction.operands().len(), instruction.shape());
        }
    }
});
