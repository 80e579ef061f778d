    // INTER (no-swizzle)
    // layout_sA: Sw<0,4,3> o smem_ptr[16b](unset) o ((_8,_4),(_8,_16)):((_8,_64),(_1,_256))
    // SW32
    // layout_sA: Sw<1,4,3> o smem_ptr[16b](unset) o ((_8,_4),(_16,_8)):((_16,_128),(_1,_512))
    auto layout_sA = tile_to_shape(
        GMMA::Layout_K_SW128_Atom<Element>{},
        make_shape(Int<BLOCK_M>{},Int<BLOCK_K>{}));
    // half:  Sw<2,4,3> o smem_ptr[16b](unset) o (_8,_32):(_32,_1)
    // print_layout displays:  Sw<2,3,3> o _0 o (_8,_32):(_32,_1)
    // In the first, 2^M counts bytes, in the second halfs
