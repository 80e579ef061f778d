//! Compiler dumps: which shapes are found, counted and refused.

use tensor_layout::hlo::HloReport;

fn scan(text: &str) -> HloReport {
    HloReport::scan(text.as_bytes(), |_| {}).unwrap()
}

fn counts(text: &str) -> Vec<(String, u64)> {
    let report = scan(text);
    let mut counts: Vec<_> =
        report.entries().iter().map(|e| (e.shape.to_owned(), e.count)).collect();
    counts.sort();
    counts
}

#[test]
fn shapes_count_once_wherever_they_stand() {
    let line = "  %fusion.3 = (bf16[32,32]{1,0:T(8,128)(2,1)S(1)}, /*index=1*/f32[]) \
                fusion(bf16[32,32]{1,0:T(8,128)(2,1)S(1)} %f32, s32[2]{0} %x), slice={[0:5]}, \
                devices=[2,1], metadata={op_name=\"f32[9]{0} \\\" f32[8]\"} pred[] {\n";
    assert_eq!(
        counts(line),
        [
            ("bf16[32,32]{1,0:T(8,128)(2,1)S(1)}".to_owned(), 2),
            ("f32[]".to_owned(), 1),
            ("pred[]".to_owned(), 1),
            ("s32[2]{0}".to_owned(), 1),
        ]
    );
    assert_eq!(scan(line).unread_count(), 0);
}

#[test]
fn a_computation_body_is_no_layout() {
    assert_eq!(
        counts("ENTRY %main (p: f32[2]) -> f32[3] {\n{0}"),
        [("f32[2]".into(), 1), ("f32[3]".into(), 1)]
    );
    assert_eq!(counts("s32[4]{x}"), [("s32[4]".into(), 1)]);
}

#[test]
fn lines_that_cannot_be_read_are_counted_and_kept() {
    let report =
        scan("f32[2]{0}\nbf16[4,8]{1,0,T(2,4)} f32[3]{1}\nF32[2]\nf32[2\n\nf32[x]\nf32[?]");
    let lines: Vec<u64> = report.unread_lines().iter().map(|line| line.line).collect();
    assert_eq!((lines, report.unread_count(), report.lines()), (vec![2, 3, 4, 6, 7], 5, 7));
    assert_eq!(report.unread_lines()[0].text, "bf16[4,8]{1,0,T(2,4)}");
}

#[test]
fn totals_multiply_by_the_count_and_the_worst_comes_first() {
    let report = scan("s32[4]{0:T(128)} s32[4]{0:T(128)} s32[2,1]{1,0:T(8,128)} f32[100]");
    let order: Vec<&str> = report.entries().iter().map(|entry| entry.shape).collect();
    assert_eq!(order, ["s32[2,1]{1,0:T(8,128)}", "s32[4]{0:T(128)}", "f32[100]"]);
    let totals = report.totals().unwrap();
    assert_eq!((totals.shapes, totals.count), (3, 4));
    assert_eq!(totals.unpadded_bytes, 2 * 16 + 8 + 400);
    assert_eq!(totals.allocated_bytes, 2 * 512 + 4096 + 400);
}

#[test]
fn bytes_that_are_no_text_and_endless_lines_are_read() {
    let mut dump = vec![0xff, b'\n'];
    dump.extend(b"%a = f32[2]{0} add(f32[2]{0} %x), ".repeat(100_000));
    let report = HloReport::scan(&dump[..], |_| {}).unwrap();
    assert_eq!((report.entries()[0].count, report.unread_count(), report.lines()), (200_000, 0, 2));
    assert!(scan("").entries().is_empty());
}
