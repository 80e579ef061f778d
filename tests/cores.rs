//! Tables and images that all cores fill.

use tensor_layout::{Level, Placement};

#[test]
fn all_cores_fill_the_same_tables() {
    for text in ["((3_PE, 1000:1, 7:1000), (5:7000))", "(1, 300001)/((1:1), (4_PE, 100000:1))"] {
        let placement = Placement::of(text.parse().unwrap()).build().unwrap();
        let program = placement.program().unwrap();
        let length = usize::try_from(program.elements()).unwrap();
        let (mut one, mut all) = (vec![0_u32; length], vec![1_u32; length]);
        program.fill_packed(&mut one).unwrap();
        program.par_fill_packed(&mut all).unwrap();
        assert_eq!(one, all);
        program.par_fill_column(Level::PE, &mut all).unwrap();
        program.fill_column(Level::PE, &mut one).unwrap();
        assert_eq!(one, all);
        let places = usize::try_from(program.places()).unwrap();
        let (mut one, mut all) = (vec![0_u32; places], vec![1_u32; places]);
        program.fill_inverse(&mut one).unwrap();
        program.par_fill_inverse(&mut all).unwrap();
        assert_eq!(one, all);
        let mut shown = program.ranges().to_vec();
        shown[0] = 0..shown[0].end.min(2);
        let part = program.window(&shown).unwrap();
        part.fill_inverse(&mut one).unwrap();
        part.par_fill_inverse(&mut all).unwrap();
        assert_eq!(one, all);
        let image: Vec<i64> = (0..).take(places).collect();
        let (mut one, mut all) = (vec![0; length], vec![1; length]);
        program.unpack(&image, &mut one).unwrap();
        program.par_unpack(&image, &mut all).unwrap();
        assert_eq!(one, all);
        assert!(program.par_fill_packed(&mut [0_u32; 3]).is_err());
    }
}

#[test]
fn all_cores_pack_the_same_image() {
    for text in ["(999,300)/((10_PE, 100:1), (300:100))", "((4_PE, 300:300), (300:1); B@[2_L2B:1])"]
    {
        let placement = Placement::of(text.parse().unwrap()).build().unwrap();
        let program = placement.program().unwrap();
        let tensor: Vec<u32> = (1..).take(usize::try_from(program.elements()).unwrap()).collect();
        let places = usize::try_from(program.places()).unwrap();
        let (mut one, mut all) = (vec![0; places], vec![7; places]);
        program.pack(&tensor, &mut one, 0).unwrap();
        program.par_pack(&tensor, &mut all, 0).unwrap();
        assert!(one == all);
        assert!(program.par_pack(&tensor[1..], &mut all, 0).is_err());
    }
}
