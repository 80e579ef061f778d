//! Distances of the colours as people see them, in print, and with each kind of colour blindness.

use super::{BACKGROUNDS, COLORS, TINTS};

type Triple = [f64; 3];

/// Colour vision: normal, and without one of the cones.
///
/// Source: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color
/// Vision Deficiency", 2009, severity 1.0.
const VISIONS: [(&str, [Triple; 3], f64); 4] = [
    ("normal", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 10.0),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        6.0,
    ),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        6.0,
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
        6.0,
    ),
];

/// The matrix from linear sRGB to XYZ of D65.
const XYZ: [Triple; 3] = [
    [0.412_456_4, 0.357_576_1, 0.180_437_5],
    [0.212_672_9, 0.715_152_2, 0.072_175_0],
    [0.019_333_9, 0.119_192_0, 0.950_304_1],
];

fn times(matrix: &[Triple; 3], vector: Triple) -> Triple {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

fn linear(byte: u8) -> f64 {
    let value = f64::from(byte) / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn of_hex(hex: &str) -> Triple {
    [1, 3, 5].map(|at| linear(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()))
}

/// The colour cube of terminals.
fn of_terminal(number: u8) -> Triple {
    let cube = number - 16;
    [cube / 36, cube / 6 % 6, cube % 6]
        .map(|step| linear([0, 95, 135, 175, 215, 255][usize::from(step)]))
}

/// CIELAB of linear sRGB.
fn lab(rgb: Triple) -> Triple {
    let root = |value: f64| {
        if value > 216.0 / 24389.0 { value.cbrt() } else { (24389.0 / 27.0 * value + 16.0) / 116.0 }
    };
    let [x, y, z] = times(&XYZ, rgb);
    let [x, y, z] = [root(x / 0.950_47), root(y), root(z / 1.088_83)];
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn seen(rgb: Triple, vision: &[Triple; 3]) -> Triple {
    lab(times(vision, rgb).map(|value| value.clamp(0.0, 1.0)))
}

/// CIEDE2000.
///
/// Source: Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula", 2005.
fn distance([l1, a1, b1]: Triple, [l2, a2, b2]: Triple) -> f64 {
    let far = |chroma: f64| (chroma.powi(7) / (chroma.powi(7) + 25_f64.powi(7))).sqrt();
    let wider = 1.0 + 0.5 * (1.0 - far(f64::midpoint(a1.hypot(b1), a2.hypot(b2))));
    let (a1, a2) = (a1 * wider, a2 * wider);
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let angle = |a: f64, b: f64| b.atan2(a).to_degrees().rem_euclid(360.0);
    let (h1, h2) = (angle(a1, b1), angle(a2, b2));
    let turn = (h2 - h1 + 180.0).rem_euclid(360.0) - 180.0;
    let hue = (h1 + turn / 2.0).rem_euclid(360.0);
    let (lightness, chroma) = (f64::midpoint(l1, l2), f64::midpoint(c1, c2));
    let cosine = |factor: f64, shift: f64| (factor * hue + shift).to_radians().cos();
    let t = 1.0 - 0.17 * cosine(1.0, -30.0) + 0.24 * cosine(2.0, 0.0) + 0.32 * cosine(3.0, 6.0)
        - 0.20 * cosine(4.0, -63.0);
    let from_middle = (lightness - 50.0).powi(2);
    let dl = (l2 - l1) / (1.0 + 0.015 * from_middle / (20.0 + from_middle).sqrt());
    let dc = (c2 - c1) / (1.0 + 0.045 * chroma);
    let dh = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin() / (1.0 + 0.015 * chroma * t);
    let rotation = 30.0 * (-((hue - 275.0) / 25.0).powi(2)).exp();
    let rotated = -(2.0 * rotation).to_radians().sin() * 2.0 * far(chroma);
    (dl * dl + dc * dc + dh * dh + rotated * dc * dh).sqrt()
}

fn pairs(colors: &[Triple]) -> impl Iterator<Item = (Triple, Triple)> + '_ {
    (1..colors.len()).flat_map(move |b| (0..b).map(move |a| (colors[a], colors[b])))
}

#[test]
fn the_formula_gives_the_published_distances() {
    for (a, b, distance_of_both) in [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, -1.3802, -84.2814], [50.0, 0.0, -82.7485], 1.0000),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
        ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
        ([2.0776, 0.0795, -1.1350], [0.9033, -0.0636, -0.5514], 0.9082),
    ] {
        assert!((distance(a, b) - distance_of_both).abs() < 1e-4, "{a:?} {b:?}");
    }
}

#[test]
fn eight_colours_are_told_apart_with_any_colour_vision() {
    let tints: Vec<Triple> = TINTS.iter().map(|hex| of_hex(hex)).collect();
    let backgrounds: Vec<Triple> = BACKGROUNDS.iter().map(|number| of_terminal(*number)).collect();
    for colors in [&tints[..8], &backgrounds[..8]] {
        for (name, vision, least) in &VISIONS {
            for (a, b) in pairs(colors) {
                let apart = distance(seen(a, vision), seen(b, vision));
                assert!(apart >= *least, "{name}: {apart}");
            }
        }
    }
}

#[test]
fn all_colours_are_told_apart_and_repeat_late() {
    let tints: Vec<Triple> = TINTS[..COLORS].iter().map(|hex| of_hex(hex)).collect();
    for (a, b) in pairs(&tints) {
        assert!(distance(lab(a), lab(b)) >= 10.0);
    }
}

#[test]
fn eight_colours_are_eight_greys_in_print() {
    let mut greys: Vec<f64> = TINTS[..8].iter().map(|hex| lab(of_hex(hex))[0]).collect();
    greys.sort_by(f64::total_cmp);
    assert!(greys.windows(2).all(|pair| pair[1] - pair[0] > 6.0), "{greys:?}");
}

#[test]
fn the_ramp_gets_darker_with_every_step() {
    let steps = |colors: Vec<Triple>| -> Vec<f64> {
        colors.windows(2).map(|pair| lab(pair[0])[0] - lab(pair[1])[0]).collect()
    };
    let tints = steps(TINTS[COLORS..].iter().map(|hex| of_hex(hex)).collect());
    assert!(tints.iter().all(|step| *step > 4.0), "{tints:?}");
    let terminal = steps(BACKGROUNDS[COLORS..].iter().map(|n| of_terminal(*n)).collect());
    assert!(terminal.iter().all(|step| *step > 0.0), "{terminal:?}");
}

#[test]
fn dark_text_is_legible_on_every_colour() {
    let luminance = |rgb: Triple| times(&XYZ, rgb)[1] + 0.05;
    for tint in TINTS {
        assert!(luminance(of_hex(tint)) / luminance(of_hex("#1a1a1a")) >= 4.5, "{tint}");
    }
    for background in BACKGROUNDS {
        assert!(luminance(of_terminal(background)) / 0.05 >= 4.5, "{background}");
    }
}
