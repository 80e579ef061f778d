module @jit_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024x512xf32>, %arg1: tensor<4x2048x512xf32>, %arg2: tensor<4x512x2048xf32>, %arg3: tensor<4x512x256xf32>, %arg4: tensor<4x512xf32>, %arg5: tensor<4x512xf32>, %arg6: tensor<4x512x512xf32>, %arg7: tensor<4x512x512xf32>, %arg8: tensor<4x512x2048xf32>, %arg9: tensor<4x512x256xf32>, %arg10: tensor<8x128xi32>) -> (tensor<1024x512xf32> {jax.result_info = "result['e']"}, tensor<4x2048x512xf32> {jax.result_info = "result['l']['d']"}, tensor<4x512x2048xf32> {jax.result_info = "result['l']['g']"}, tensor<4x512x256xf32> {jax.result_info = "result['l']['k']"}, tensor<4x512xf32> {jax.result_info = "result['l']['n1']"}, tensor<4x512xf32> {jax.result_info = "result['l']['n2']"}, tensor<4x512x512xf32> {jax.result_info = "result['l']['o']"}, tensor<4x512x512xf32> {jax.result_info = "result['l']['q']"}, tensor<4x512x2048xf32> {jax.result_info = "result['l']['u']"}, tensor<4x512x256xf32> {jax.result_info = "result['l']['v']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x128xi32>
    %1 = stablehlo.compare LT, %arg10, %0, SIGNED : (tensor<8x128xi32>, tensor<8x128xi32>) -> tensor<8x128xi1>
    %c_0 = stablehlo.constant dense<1024> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x128xi32>
    %3 = stablehlo.add %arg10, %2 : tensor<8x128xi32>
    %4 = stablehlo.select %1, %3, %arg10 : tensor<8x128xi1>, tensor<8x128xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x128xi32>) -> tensor<8x128x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 512>}> : (tensor<1024x512xf32>, tensor<8x128x1xi32>) -> tensor<8x128x512xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<128x128xi1>
    %8 = call @tril(%7) : (tensor<128x128xi1>) -> tensor<128x128xi1>
    %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %9:2 = call @_where(%8, %cst) : (tensor<128x128xi1>, tensor<f32>) -> (tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>)
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x8x128x512xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x8x128x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x8x128x1xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x1x1x512xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x8x128x512xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x8x128x512xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x8x128x4x2x64xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x8x128x4x64xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x8x4x2x128x128xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x8x4x2x128x1xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x8x4x2x128x1xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x8x4x2x128x128xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x8x128x4x64xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x8x128x512xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x8x128x512xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x8x128x1xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x8x128x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x1x1x512xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x8x128x512xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x8x128x512xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x8x128x2048xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x8x128x2048xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x8x128x2048xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4x8x128x2048xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x8x128x2048xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4x8x128x2048xf32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %36:39 = stablehlo.while(%iterArg = %arg1, %iterArg_48 = %arg2, %iterArg_49 = %arg3, %iterArg_50 = %arg4, %iterArg_51 = %arg5, %iterArg_52 = %arg6, %iterArg_53 = %arg7, %iterArg_54 = %arg8, %iterArg_55 = %arg9, %iterArg_56 = %9#0, %iterArg_57 = %9#1, %iterArg_58 = %c_28, %iterArg_59 = %6, %iterArg_60 = %10, %iterArg_61 = %11, %iterArg_62 = %12, %iterArg_63 = %13, %iterArg_64 = %14, %iterArg_65 = %15, %iterArg_66 = %16, %iterArg_67 = %17, %iterArg_68 = %18, %iterArg_69 = %19, %iterArg_70 = %20, %iterArg_71 = %21, %iterArg_72 = %22, %iterArg_73 = %23, %iterArg_74 = %24, %iterArg_75 = %25, %iterArg_76 = %26, %iterArg_77 = %27, %iterArg_78 = %28, %iterArg_79 = %29, %iterArg_80 = %30, %iterArg_81 = %31, %iterArg_82 = %32, %iterArg_83 = %33, %iterArg_84 = %34, %iterArg_85 = %35) : tensor<4x2048x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>, tensor<4x512xf32>, tensor<4x512xf32>, tensor<4x512x512xf32>, tensor<4x512x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>, tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>, tensor<i32>, tensor<8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x1xf32>, tensor<4x8x128x1xf32>, tensor<4x1x1x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x4x2x64xf32>, tensor<4x8x128x4x64xf32>, tensor<4x8x4x2x128x128xf32>, tensor<4x8x4x2x128x1xf32>, tensor<4x8x4x2x128x1xf32>, tensor<4x8x4x2x128x128xf32>, tensor<4x8x128x4x64xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x1xf32>, tensor<4x8x128x1xf32>, tensor<4x1x1x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>
    cond {
      %c_86 = stablehlo.constant dense<4> : tensor<i32>
      %86 = stablehlo.compare LT, %iterArg_58, %c_86, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %86 : tensor<i1>
    } do {
      %86 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_58) : (tensor<4x2048x512xf32>, tensor<i32>) -> tensor<2048x512xf32>
      %87 = func.call @dynamic_index_in_dim_0(%iterArg_48, %iterArg_58) : (tensor<4x512x2048xf32>, tensor<i32>) -> tensor<512x2048xf32>
      %88 = func.call @dynamic_index_in_dim_1(%iterArg_49, %iterArg_58) : (tensor<4x512x256xf32>, tensor<i32>) -> tensor<512x256xf32>
      %89 = func.call @dynamic_index_in_dim_2(%iterArg_50, %iterArg_58) : (tensor<4x512xf32>, tensor<i32>) -> tensor<512xf32>
      %90 = func.call @dynamic_index_in_dim_2(%iterArg_51, %iterArg_58) : (tensor<4x512xf32>, tensor<i32>) -> tensor<512xf32>
      %91 = func.call @dynamic_index_in_dim_3(%iterArg_52, %iterArg_58) : (tensor<4x512x512xf32>, tensor<i32>) -> tensor<512x512xf32>
      %92 = func.call @dynamic_index_in_dim_3(%iterArg_53, %iterArg_58) : (tensor<4x512x512xf32>, tensor<i32>) -> tensor<512x512xf32>
      %93 = func.call @dynamic_index_in_dim_0(%iterArg_54, %iterArg_58) : (tensor<4x512x2048xf32>, tensor<i32>) -> tensor<512x2048xf32>
      %94 = func.call @dynamic_index_in_dim_1(%iterArg_55, %iterArg_58) : (tensor<4x512x256xf32>, tensor<i32>) -> tensor<512x256xf32>
      %95:27 = func.call @closed_call(%iterArg_56, %iterArg_57, %iterArg_59, %86, %87, %88, %89, %90, %91, %92, %93, %94) : (tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>, tensor<8x128x512xf32>, tensor<2048x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>) -> (tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>, tensor<1x1x512xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x4x2x64xf32>, tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>, tensor<8x4x2x128x1xf32>, tensor<8x4x2x128x1xf32>, tensor<8x4x2x128x128xf32>, tensor<8x128x4x64xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>, tensor<1x1x512xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>)
      %96 = func.call @dynamic_update_index_in_dim(%iterArg_60, %95#1, %iterArg_58) : (tensor<4x8x128x512xf32>, tensor<8x128x512xf32>, tensor<i32>) -> tensor<4x8x128x512xf32>
      %97 = func.call @dynamic_update_index_in_dim_5(%iterArg_61, %95#2, %iterArg_58) : (tensor<4x8x128x1xf32>, tensor<8x128x1xf32>, tensor<i32>) -> tensor<4x8x128x1xf32>
      %98 = func.call @dynamic_update_index_in_dim_5(%iterArg_62, %95#3, %iterArg_58) : (tensor<4x8x128x1xf32>, tensor<8x128x1xf32>, tensor<i32>) -> tensor<4x8x128x1xf32>
      %99 = func.call @dynamic_update_index_in_dim_6(%iterArg_63, %95#4, %iterArg_58) : (tensor<4x1x1x512xf32>, tensor<1x1x512xf32>, tensor<i32>) -> tensor<4x1x1x512xf32>
      %100 = func.call @dynamic_update_index_in_dim(%iterArg_64, %95#5, %iterArg_58) : (tensor<4x8x128x512xf32>, tensor<8x128x512xf32>, tensor<i32>) -> tensor<4x8x128x512xf32>
      %101 = func.call @dynamic_update_index_in_dim(%iterArg_65, %95#6, %iterArg_58) : (tensor<4x8x128x512xf32>, tensor<8x128x512xf32>, tensor<i32>) -> tensor<4x8x128x512xf32>
      %102 = func.call @dynamic_update_index_in_dim_7(%iterArg_66, %95#7, %iterArg_58) : (tensor<4x8x128x4x2x64xf32>, tensor<8x128x4x2x64xf32>, tensor<i32>) -> tensor<4x8x128x4x2x64xf32>
      %103 = func.call @dynamic_update_index_in_dim_8(%iterArg_67, %95#8, %iterArg_58) : (tensor<4x8x128x4x64xf32>, tensor<8x128x4x64xf32>, tensor<i32>) -> tensor<4x8x128x4x64xf32>
      %104 = func.call @dynamic_update_index_in_dim_9(%iterArg_68, %95#9, %iterArg_58) : (tensor<4x8x4x2x128x128xf32>, tensor<8x4x2x128x128xf32>, tensor<i32>) -> tensor<4x8x4x2x128x128xf32>
      %105 = func.call @dynamic_update_index_in_dim_10(%iterArg_69, %95#10, %iterArg_58) : (tensor<4x8x4x2x128x1xf32>, tensor<8x4x2x128x1xf32>, tensor<i32>) -> tensor<4x8x4x2x128x1xf32>
      %106 = func.call @dynamic_update_index_in_dim_10(%iterArg_70, %95#11, %iterArg_58) : (tensor<4x8x4x2x128x1xf32>, tensor<8x4x2x128x1xf32>, tensor<i32>) -> tensor<4x8x4x2x128x1xf32>
      %107 = func.call @dynamic_update_index_in_dim_9(%iterArg_71, %95#12, %iterArg_58) : (tensor<4x8x4x2x128x128xf32>, tensor<8x4x2x128x128xf32>, tensor<i32>) -> tensor<4x8x4x2x128x128xf32>
      %108 = func.call @dynamic_update_index_in_dim_8(%iterArg_72, %95#13, %iterArg_58) : (tensor<4x8x128x4x64xf32>, tensor<8x128x4x64xf32>, tensor<i32>) -> tensor<4x8x128x4x64xf32>
      %109 = func.call @dynamic_update_index_in_dim(%iterArg_73, %95#14, %iterArg_58) : (tensor<4x8x128x512xf32>, tensor<8x128x512xf32>, tensor<i32>) -> tensor<4x8x128x512xf32>
      %110 = func.call @dynamic_update_index_in_dim(%iterArg_74, %95#15, %iterArg_58) : (tensor<4x8x128x512xf32>, tensor<8x128x512xf32>, tensor<i32>) -> tensor<4x8x128x512xf32>
      %111 = func.call @dynamic_update_index_in_dim_5(%iterArg_75, %95#16, %iterArg_58) : (tensor<4x8x128x1xf32>, tensor<8x128x1xf32>, tensor<i32>) -> tensor<4x8x128x1xf32>
      %112 = func.call @dynamic_update_index_in_dim_5(%iterArg_76, %95#17, %iterArg_58) : (tensor<4x8x128x1xf32>, tensor<8x128x1xf32>, tensor<i32>) -> tensor<4x8x128x1xf32>
      %113 = func.call @dynamic_update_index_in_dim_6(%iterArg_77, %95#18, %iterArg_58) : (tensor<4x1x1x512xf32>, tensor<1x1x512xf32>, tensor<i32>) -> tensor<4x1x1x512xf32>
      %114 = func.call @dynamic_update_index_in_dim(%iterArg_78, %95#19, %iterArg_58) : (tensor<4x8x128x512xf32>, tensor<8x128x512xf32>, tensor<i32>) -> tensor<4x8x128x512xf32>
      %115 = func.call @dynamic_update_index_in_dim(%iterArg_79, %95#20, %iterArg_58) : (tensor<4x8x128x512xf32>, tensor<8x128x512xf32>, tensor<i32>) -> tensor<4x8x128x512xf32>
      %116 = func.call @dynamic_update_index_in_dim_11(%iterArg_80, %95#21, %iterArg_58) : (tensor<4x8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<i32>) -> tensor<4x8x128x2048xf32>
      %117 = func.call @dynamic_update_index_in_dim_11(%iterArg_81, %95#22, %iterArg_58) : (tensor<4x8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<i32>) -> tensor<4x8x128x2048xf32>
      %118 = func.call @dynamic_update_index_in_dim_11(%iterArg_82, %95#23, %iterArg_58) : (tensor<4x8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<i32>) -> tensor<4x8x128x2048xf32>
      %119 = func.call @dynamic_update_index_in_dim_11(%iterArg_83, %95#24, %iterArg_58) : (tensor<4x8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<i32>) -> tensor<4x8x128x2048xf32>
      %120 = func.call @dynamic_update_index_in_dim_11(%iterArg_84, %95#25, %iterArg_58) : (tensor<4x8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<i32>) -> tensor<4x8x128x2048xf32>
      %121 = func.call @dynamic_update_index_in_dim_11(%iterArg_85, %95#26, %iterArg_58) : (tensor<4x8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<i32>) -> tensor<4x8x128x2048xf32>
      %c_86 = stablehlo.constant dense<1> : tensor<i32>
      %122 = stablehlo.add %iterArg_58, %c_86 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_48, %iterArg_49, %iterArg_50, %iterArg_51, %iterArg_52, %iterArg_53, %iterArg_54, %iterArg_55, %iterArg_56, %iterArg_57, %122, %95#0, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121 : tensor<4x2048x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>, tensor<4x512xf32>, tensor<4x512xf32>, tensor<4x512x512xf32>, tensor<4x512x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>, tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>, tensor<i32>, tensor<8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x1xf32>, tensor<4x8x128x1xf32>, tensor<4x1x1x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x4x2x64xf32>, tensor<4x8x128x4x64xf32>, tensor<4x8x4x2x128x128xf32>, tensor<4x8x4x2x128x1xf32>, tensor<4x8x4x2x128x1xf32>, tensor<4x8x4x2x128x128xf32>, tensor<4x8x128x4x64xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x1xf32>, tensor<4x8x128x1xf32>, tensor<4x1x1x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>
    }
    %37 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<1024x512xf32>) -> tensor<512x1024xf32>
    %38 = stablehlo.dot_general %36#12, %37, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x1024xf32>) -> tensor<8x128x1024xf32>
    %39 = stablehlo.broadcast_in_dim %arg10, dims = [0, 1] : (tensor<8x128xi32>) -> tensor<8x128x1xi32>
    %40 = call @take_along_axis(%39) : (tensor<8x128x1xi32>) -> tensor<8x128x1x1xi32>
    %cst_29 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %41 = stablehlo.reduce(%38 init: %cst_29) applies stablehlo.maximum across dimensions = [2] : (tensor<8x128x1024xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %43 = stablehlo.maximum %42, %41 : tensor<8x128xf32>
    %44 = stablehlo.is_finite %43 : (tensor<8x128xf32>) -> tensor<8x128xi1>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %46 = stablehlo.select %44, %43, %45 : tensor<8x128xi1>, tensor<8x128xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x1024xf32>
    %49 = stablehlo.subtract %38, %48 : tensor<8x128x1024xf32>
    %50 = stablehlo.exponential %49 : tensor<8x128x1024xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_32) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1024xf32>, tensor<f32>) -> tensor<8x128xf32>
    %52 = stablehlo.abs %51 : tensor<8x128xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %54 = stablehlo.compare GE, %51, %53, FLOAT : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xi1>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_35 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %55 = stablehlo.divide %cst_34, %cst_35 : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %57 = stablehlo.negate %56 : tensor<8x128xf32>
    %58 = stablehlo.divide %56, %52 : tensor<8x128xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %60 = stablehlo.select %54, %59, %58 : tensor<8x128xi1>, tensor<8x128xf32>
    %61 = stablehlo.select %54, %58, %59 : tensor<8x128xi1>, tensor<8x128xf32>
    %62 = stablehlo.negate %60 : tensor<8x128xf32>
    %63 = stablehlo.add %61, %62 : tensor<8x128xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1024xf32>
    %65 = stablehlo.multiply %64, %50 : tensor<8x128x1024xf32>
    %66 = stablehlo.broadcast_in_dim %57, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %67 = call @take_along_axis_12(%40, %66) : (tensor<8x128x1x1xi32>, tensor<8x128x1xf32>) -> tensor<8x128x1024xf32>
    %68 = stablehlo.add %65, %67 : tensor<8x128x1024xf32>
    %69 = stablehlo.dot_general %68, %36#12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x1024xf32>, tensor<8x128x512xf32>) -> tensor<1024x512xf32>
    %70 = stablehlo.transpose %69, dims = [1, 0] : (tensor<1024x512xf32>) -> tensor<512x1024xf32>
    %71 = stablehlo.dot_general %68, %37, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x1024xf32>, tensor<512x1024xf32>) -> tensor<8x128x512xf32>
    %72 = stablehlo.transpose %70, dims = [1, 0] : (tensor<512x1024xf32>) -> tensor<1024x512xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<4x2048x512xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<4x512x2048xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4x512x256xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4x512xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4x512xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4x512x512xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4x512x512xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<4x512x2048xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4x512x256xf32>
    %c_46 = stablehlo.constant dense<0> : tensor<i32>
    %82:45 = stablehlo.while(%iterArg = %36#13, %iterArg_48 = %36#14, %iterArg_49 = %36#15, %iterArg_50 = %36#16, %iterArg_51 = %36#17, %iterArg_52 = %arg7, %iterArg_53 = %36#18, %iterArg_54 = %arg3, %iterArg_55 = %arg9, %iterArg_56 = %36#19, %iterArg_57 = %36#20, %iterArg_58 = %36#21, %iterArg_59 = %36#22, %iterArg_60 = %36#23, %iterArg_61 = %36#24, %iterArg_62 = %36#25, %iterArg_63 = %arg6, %iterArg_64 = %36#26, %iterArg_65 = %36#27, %iterArg_66 = %36#28, %iterArg_67 = %36#29, %iterArg_68 = %36#30, %iterArg_69 = %36#31, %iterArg_70 = %arg2, %iterArg_71 = %36#32, %iterArg_72 = %36#33, %iterArg_73 = %36#34, %iterArg_74 = %36#35, %iterArg_75 = %arg8, %iterArg_76 = %36#36, %iterArg_77 = %36#37, %iterArg_78 = %arg1, %iterArg_79 = %36#38, %iterArg_80 = %9#0, %iterArg_81 = %c_46, %iterArg_82 = %71, %iterArg_83 = %73, %iterArg_84 = %74, %iterArg_85 = %75, %iterArg_86 = %76, %iterArg_87 = %77, %iterArg_88 = %78, %iterArg_89 = %79, %iterArg_90 = %80, %iterArg_91 = %81) : tensor<4x8x128x512xf32>, tensor<4x8x128x1xf32>, tensor<4x8x128x1xf32>, tensor<4x1x1x512xf32>, tensor<4x8x128x512xf32>, tensor<4x512x512xf32>, tensor<4x8x128x512xf32>, tensor<4x512x256xf32>, tensor<4x512x256xf32>, tensor<4x8x128x4x2x64xf32>, tensor<4x8x128x4x64xf32>, tensor<4x8x4x2x128x128xf32>, tensor<4x8x4x2x128x1xf32>, tensor<4x8x4x2x128x1xf32>, tensor<4x8x4x2x128x128xf32>, tensor<4x8x128x4x64xf32>, tensor<4x512x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x1xf32>, tensor<4x8x128x1xf32>, tensor<4x1x1x512xf32>, tensor<4x8x128x512xf32>, tensor<4x512x2048xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x512x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x2048x512xf32>, tensor<4x8x128x2048xf32>, tensor<8x4x2x128x128xi1>, tensor<i32>, tensor<8x128x512xf32>, tensor<4x2048x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>, tensor<4x512xf32>, tensor<4x512xf32>, tensor<4x512x512xf32>, tensor<4x512x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>
    cond {
      %c_92 = stablehlo.constant dense<4> : tensor<i32>
      %86 = stablehlo.compare LT, %iterArg_81, %c_92, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %86 : tensor<i1>
    } do {
      %c_92 = stablehlo.constant dense<4> : tensor<i32>
      %86 = stablehlo.subtract %c_92, %iterArg_81 : tensor<i32>
      %c_93 = stablehlo.constant dense<1> : tensor<i32>
      %87 = stablehlo.subtract %86, %c_93 : tensor<i32>
      %88 = func.call @dynamic_index_in_dim_13(%iterArg, %87) : (tensor<4x8x128x512xf32>, tensor<i32>) -> tensor<8x128x512xf32>
      %89 = func.call @dynamic_index_in_dim_14(%iterArg_48, %87) : (tensor<4x8x128x1xf32>, tensor<i32>) -> tensor<8x128x1xf32>
      %90 = func.call @dynamic_index_in_dim_14(%iterArg_49, %87) : (tensor<4x8x128x1xf32>, tensor<i32>) -> tensor<8x128x1xf32>
      %91 = func.call @dynamic_index_in_dim_15(%iterArg_50, %87) : (tensor<4x1x1x512xf32>, tensor<i32>) -> tensor<1x1x512xf32>
      %92 = func.call @dynamic_index_in_dim_13(%iterArg_51, %87) : (tensor<4x8x128x512xf32>, tensor<i32>) -> tensor<8x128x512xf32>
      %93 = func.call @dynamic_index_in_dim_3(%iterArg_52, %87) : (tensor<4x512x512xf32>, tensor<i32>) -> tensor<512x512xf32>
      %94 = func.call @dynamic_index_in_dim_13(%iterArg_53, %87) : (tensor<4x8x128x512xf32>, tensor<i32>) -> tensor<8x128x512xf32>
      %95 = func.call @dynamic_index_in_dim_1(%iterArg_54, %87) : (tensor<4x512x256xf32>, tensor<i32>) -> tensor<512x256xf32>
      %96 = func.call @dynamic_index_in_dim_1(%iterArg_55, %87) : (tensor<4x512x256xf32>, tensor<i32>) -> tensor<512x256xf32>
      %97 = func.call @dynamic_index_in_dim_16(%iterArg_56, %87) : (tensor<4x8x128x4x2x64xf32>, tensor<i32>) -> tensor<8x128x4x2x64xf32>
      %98 = func.call @dynamic_index_in_dim_17(%iterArg_57, %87) : (tensor<4x8x128x4x64xf32>, tensor<i32>) -> tensor<8x128x4x64xf32>
      %99 = func.call @dynamic_index_in_dim_18(%iterArg_58, %87) : (tensor<4x8x4x2x128x128xf32>, tensor<i32>) -> tensor<8x4x2x128x128xf32>
      %100 = func.call @dynamic_index_in_dim_19(%iterArg_59, %87) : (tensor<4x8x4x2x128x1xf32>, tensor<i32>) -> tensor<8x4x2x128x1xf32>
      %101 = func.call @dynamic_index_in_dim_19(%iterArg_60, %87) : (tensor<4x8x4x2x128x1xf32>, tensor<i32>) -> tensor<8x4x2x128x1xf32>
      %102 = func.call @dynamic_index_in_dim_18(%iterArg_61, %87) : (tensor<4x8x4x2x128x128xf32>, tensor<i32>) -> tensor<8x4x2x128x128xf32>
      %103 = func.call @dynamic_index_in_dim_17(%iterArg_62, %87) : (tensor<4x8x128x4x64xf32>, tensor<i32>) -> tensor<8x128x4x64xf32>
      %104 = func.call @dynamic_index_in_dim_3(%iterArg_63, %87) : (tensor<4x512x512xf32>, tensor<i32>) -> tensor<512x512xf32>
      %105 = func.call @dynamic_index_in_dim_13(%iterArg_64, %87) : (tensor<4x8x128x512xf32>, tensor<i32>) -> tensor<8x128x512xf32>
      %106 = func.call @dynamic_index_in_dim_13(%iterArg_65, %87) : (tensor<4x8x128x512xf32>, tensor<i32>) -> tensor<8x128x512xf32>
      %107 = func.call @dynamic_index_in_dim_14(%iterArg_66, %87) : (tensor<4x8x128x1xf32>, tensor<i32>) -> tensor<8x128x1xf32>
      %108 = func.call @dynamic_index_in_dim_14(%iterArg_67, %87) : (tensor<4x8x128x1xf32>, tensor<i32>) -> tensor<8x128x1xf32>
      %109 = func.call @dynamic_index_in_dim_15(%iterArg_68, %87) : (tensor<4x1x1x512xf32>, tensor<i32>) -> tensor<1x1x512xf32>
      %110 = func.call @dynamic_index_in_dim_13(%iterArg_69, %87) : (tensor<4x8x128x512xf32>, tensor<i32>) -> tensor<8x128x512xf32>
      %111 = func.call @dynamic_index_in_dim_0(%iterArg_70, %87) : (tensor<4x512x2048xf32>, tensor<i32>) -> tensor<512x2048xf32>
      %112 = func.call @dynamic_index_in_dim_13(%iterArg_71, %87) : (tensor<4x8x128x512xf32>, tensor<i32>) -> tensor<8x128x512xf32>
      %113 = func.call @dynamic_index_in_dim_20(%iterArg_72, %87) : (tensor<4x8x128x2048xf32>, tensor<i32>) -> tensor<8x128x2048xf32>
      %114 = func.call @dynamic_index_in_dim_20(%iterArg_73, %87) : (tensor<4x8x128x2048xf32>, tensor<i32>) -> tensor<8x128x2048xf32>
      %115 = func.call @dynamic_index_in_dim_20(%iterArg_74, %87) : (tensor<4x8x128x2048xf32>, tensor<i32>) -> tensor<8x128x2048xf32>
      %116 = func.call @dynamic_index_in_dim_0(%iterArg_75, %87) : (tensor<4x512x2048xf32>, tensor<i32>) -> tensor<512x2048xf32>
      %117 = func.call @dynamic_index_in_dim_20(%iterArg_76, %87) : (tensor<4x8x128x2048xf32>, tensor<i32>) -> tensor<8x128x2048xf32>
      %118 = func.call @dynamic_index_in_dim_20(%iterArg_77, %87) : (tensor<4x8x128x2048xf32>, tensor<i32>) -> tensor<8x128x2048xf32>
      %119 = func.call @dynamic_index_in_dim(%iterArg_78, %87) : (tensor<4x2048x512xf32>, tensor<i32>) -> tensor<2048x512xf32>
      %120 = func.call @dynamic_index_in_dim_20(%iterArg_79, %87) : (tensor<4x8x128x2048xf32>, tensor<i32>) -> tensor<8x128x2048xf32>
      %121:10 = func.call @closed_call_21(%iterArg_80, %iterArg_82, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120) : (tensor<8x4x2x128x128xi1>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>, tensor<1x1x512xf32>, tensor<8x128x512xf32>, tensor<512x512xf32>, tensor<8x128x512xf32>, tensor<512x256xf32>, tensor<512x256xf32>, tensor<8x128x4x2x64xf32>, tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>, tensor<8x4x2x128x1xf32>, tensor<8x4x2x128x1xf32>, tensor<8x4x2x128x128xf32>, tensor<8x128x4x64xf32>, tensor<512x512xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>, tensor<1x1x512xf32>, tensor<8x128x512xf32>, tensor<512x2048xf32>, tensor<8x128x512xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<512x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<2048x512xf32>, tensor<8x128x2048xf32>) -> (tensor<8x128x512xf32>, tensor<2048x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>)
      %122 = func.call @dynamic_update_index_in_dim_24(%iterArg_83, %121#1, %87) : (tensor<4x2048x512xf32>, tensor<2048x512xf32>, tensor<i32>) -> tensor<4x2048x512xf32>
      %123 = func.call @dynamic_update_index_in_dim_25(%iterArg_84, %121#2, %87) : (tensor<4x512x2048xf32>, tensor<512x2048xf32>, tensor<i32>) -> tensor<4x512x2048xf32>
      %124 = func.call @dynamic_update_index_in_dim_26(%iterArg_85, %121#3, %87) : (tensor<4x512x256xf32>, tensor<512x256xf32>, tensor<i32>) -> tensor<4x512x256xf32>
      %125 = func.call @dynamic_update_index_in_dim_27(%iterArg_86, %121#4, %87) : (tensor<4x512xf32>, tensor<512xf32>, tensor<i32>) -> tensor<4x512xf32>
      %126 = func.call @dynamic_update_index_in_dim_27(%iterArg_87, %121#5, %87) : (tensor<4x512xf32>, tensor<512xf32>, tensor<i32>) -> tensor<4x512xf32>
      %127 = func.call @dynamic_update_index_in_dim_28(%iterArg_88, %121#6, %87) : (tensor<4x512x512xf32>, tensor<512x512xf32>, tensor<i32>) -> tensor<4x512x512xf32>
      %128 = func.call @dynamic_update_index_in_dim_28(%iterArg_89, %121#7, %87) : (tensor<4x512x512xf32>, tensor<512x512xf32>, tensor<i32>) -> tensor<4x512x512xf32>
      %129 = func.call @dynamic_update_index_in_dim_25(%iterArg_90, %121#8, %87) : (tensor<4x512x2048xf32>, tensor<512x2048xf32>, tensor<i32>) -> tensor<4x512x2048xf32>
      %130 = func.call @dynamic_update_index_in_dim_26(%iterArg_91, %121#9, %87) : (tensor<4x512x256xf32>, tensor<512x256xf32>, tensor<i32>) -> tensor<4x512x256xf32>
      %c_94 = stablehlo.constant dense<1> : tensor<i32>
      %131 = stablehlo.add %iterArg_81, %c_94 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_48, %iterArg_49, %iterArg_50, %iterArg_51, %iterArg_52, %iterArg_53, %iterArg_54, %iterArg_55, %iterArg_56, %iterArg_57, %iterArg_58, %iterArg_59, %iterArg_60, %iterArg_61, %iterArg_62, %iterArg_63, %iterArg_64, %iterArg_65, %iterArg_66, %iterArg_67, %iterArg_68, %iterArg_69, %iterArg_70, %iterArg_71, %iterArg_72, %iterArg_73, %iterArg_74, %iterArg_75, %iterArg_76, %iterArg_77, %iterArg_78, %iterArg_79, %iterArg_80, %131, %121#0, %122, %123, %124, %125, %126, %127, %128, %129, %130 : tensor<4x8x128x512xf32>, tensor<4x8x128x1xf32>, tensor<4x8x128x1xf32>, tensor<4x1x1x512xf32>, tensor<4x8x128x512xf32>, tensor<4x512x512xf32>, tensor<4x8x128x512xf32>, tensor<4x512x256xf32>, tensor<4x512x256xf32>, tensor<4x8x128x4x2x64xf32>, tensor<4x8x128x4x64xf32>, tensor<4x8x4x2x128x128xf32>, tensor<4x8x4x2x128x1xf32>, tensor<4x8x4x2x128x1xf32>, tensor<4x8x4x2x128x128xf32>, tensor<4x8x128x4x64xf32>, tensor<4x512x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x1xf32>, tensor<4x8x128x1xf32>, tensor<4x1x1x512xf32>, tensor<4x8x128x512xf32>, tensor<4x512x2048xf32>, tensor<4x8x128x512xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x512x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x8x128x2048xf32>, tensor<4x2048x512xf32>, tensor<4x8x128x2048xf32>, tensor<8x4x2x128x128xi1>, tensor<i32>, tensor<8x128x512xf32>, tensor<4x2048x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>, tensor<4x512xf32>, tensor<4x512xf32>, tensor<4x512x512xf32>, tensor<4x512x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>
    }
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<1024x512xf32>
    %84 = "stablehlo.scatter"(%83, %5, %82#35) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %86 = stablehlo.add %arg11, %arg12 : tensor<f32>
      stablehlo.return %86 : tensor<f32>
    }) : (tensor<1024x512xf32>, tensor<8x128x1xi32>, tensor<8x128x512xf32>) -> tensor<1024x512xf32>
    %85 = stablehlo.add %72, %84 : tensor<1024x512xf32>
    return %85, %82#36, %82#37, %82#38, %82#39, %82#40, %82#41, %82#42, %82#43, %82#44 : tensor<1024x512xf32>, tensor<4x2048x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>, tensor<4x512xf32>, tensor<4x512xf32>, tensor<4x512x512xf32>, tensor<4x512x512xf32>, tensor<4x512x2048xf32>, tensor<4x512x256xf32>
  }
  func.func private @tril(%arg0: tensor<128x128xi1>) -> tensor<128x128xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<128x128xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<128x128xi32>
    %2 = stablehlo.add %0, %1 : tensor<128x128xi32>
    %3 = stablehlo.iota dim = 1 : tensor<128x128xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<128x128xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<128x128xi1>, tensor<128x128xi1>
    return %6 : tensor<128x128xi1>
  }
  func.func private @_where(%arg0: tensor<128x128xi1>, %arg1: tensor<f32>) -> (tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [3, 4] : (tensor<128x128xi1>) -> tensor<8x4x2x128x128xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    return %1, %2 : tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x2048x512xf32>, %arg1: tensor<i32>) -> tensor<2048x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2048, 512] : (tensor<4x2048x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2048x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2048x512xf32>) -> tensor<2048x512xf32>
    return %1 : tensor<2048x512xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<4x512x2048xf32>, %arg1: tensor<i32>) -> tensor<512x2048xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 512, 2048] : (tensor<4x512x2048xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x2048xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x512x2048xf32>) -> tensor<512x2048xf32>
    return %1 : tensor<512x2048xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<4x512x256xf32>, %arg1: tensor<i32>) -> tensor<512x256xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 512, 256] : (tensor<4x512x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x256xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x512x256xf32>) -> tensor<512x256xf32>
    return %1 : tensor<512x256xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<4x512xf32>, %arg1: tensor<i32>) -> tensor<512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 512] : (tensor<4x512xf32>, tensor<i32>, tensor<i32>) -> tensor<1x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x512xf32>) -> tensor<512xf32>
    return %1 : tensor<512xf32>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<4x512x512xf32>, %arg1: tensor<i32>) -> tensor<512x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 512, 512] : (tensor<4x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
    return %1 : tensor<512x512xf32>
  }
  func.func private @closed_call(%arg0: tensor<8x4x2x128x128xi1>, %arg1: tensor<8x4x2x128x128xf32>, %arg2: tensor<8x128x512xf32>, %arg3: tensor<2048x512xf32>, %arg4: tensor<512x2048xf32>, %arg5: tensor<512x256xf32>, %arg6: tensor<512xf32>, %arg7: tensor<512xf32>, %arg8: tensor<512x512xf32>, %arg9: tensor<512x512xf32>, %arg10: tensor<512x2048xf32>, %arg11: tensor<512x256xf32>) -> (tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>, tensor<1x1x512xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x4x2x64xf32>, tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>, tensor<8x4x2x128x1xf32>, tensor<8x4x2x128x1xf32>, tensor<8x4x2x128x128xf32>, tensor<8x128x4x64xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>, tensor<1x1x512xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>) {
    %0 = stablehlo.multiply %arg2, %arg2 : tensor<8x128x512xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_0 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8x128x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<8x128x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<8x128x1xf32>
    %8 = stablehlo.divide %7, %6 : tensor<8x128x1xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<8x128x1xf32>
    %11 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %12 = stablehlo.multiply %arg2, %11 : tensor<8x128x512xf32>
    %13 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<8x128x512xf32>
    %16 = stablehlo.dot_general %15, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %17 = stablehlo.reshape %16 : (tensor<8x128x512xf32>) -> tensor<8x128x8x64xf32>
    %18 = stablehlo.dot_general %15, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x256xf32>) -> tensor<8x128x256xf32>
    %19 = stablehlo.reshape %18 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %20 = stablehlo.dot_general %15, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x256xf32>) -> tensor<8x128x256xf32>
    %21 = stablehlo.reshape %20 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %22 = stablehlo.reshape %17 : (tensor<8x128x8x64xf32>) -> tensor<8x128x4x2x64xf32>
    %23 = stablehlo.dot_general %19, %22, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x128x2xf32>
    %24 = stablehlo.transpose %23, dims = [0, 1, 4, 3, 2] : (tensor<8x4x128x128x2xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %26 = stablehlo.divide %24, %25 : tensor<8x4x2x128x128xf32>
    %27 = call @_where_4(%26, %arg0, %arg1) : (tensor<8x4x2x128x128xf32>, tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_4) applies stablehlo.maximum across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4x2x128xf32>
    %30 = stablehlo.maximum %29, %28 : tensor<8x4x2x128xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %33 = stablehlo.subtract %27, %32 : tensor<8x4x2x128x128xf32>
    %34 = stablehlo.exponential %33 : tensor<8x4x2x128x128xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_6) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %38 = stablehlo.divide %34, %37 : tensor<8x4x2x128x128xf32>
    %39 = stablehlo.multiply %36, %36 : tensor<8x4x2x128x1xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x1xf32>
    %41 = stablehlo.divide %40, %39 : tensor<8x4x2x128x1xf32>
    %42 = stablehlo.dot_general %21, %38, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x2x128xf32>
    %43 = stablehlo.transpose %42, dims = [0, 4, 1, 3, 2] : (tensor<8x4x64x2x128xf32>) -> tensor<8x128x4x2x64xf32>
    %44 = stablehlo.reshape %43 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x512xf32>
    %45 = stablehlo.dot_general %44, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %46 = stablehlo.add %arg2, %45 : tensor<8x128x512xf32>
    %47 = stablehlo.multiply %46, %46 : tensor<8x128x512xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_9 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %51 = stablehlo.divide %49, %50 : tensor<8x128x1xf32>
    %cst_10 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %53 = stablehlo.add %51, %52 : tensor<8x128x1xf32>
    %54 = stablehlo.rsqrt %53 : tensor<8x128x1xf32>
    %55 = stablehlo.divide %54, %53 : tensor<8x128x1xf32>
    %cst_11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %57 = stablehlo.multiply %56, %55 : tensor<8x128x1xf32>
    %58 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %59 = stablehlo.multiply %46, %58 : tensor<8x128x512xf32>
    %60 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %62 = stablehlo.multiply %59, %61 : tensor<8x128x512xf32>
    %63 = stablehlo.dot_general %62, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x2048xf32>) -> tensor<8x128x2048xf32>
    %64:3 = call @silu(%63) : (tensor<8x128x2048xf32>) -> (tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>)
    %65 = stablehlo.dot_general %62, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x2048xf32>) -> tensor<8x128x2048xf32>
    %66 = stablehlo.multiply %64#0, %65 : tensor<8x128x2048xf32>
    %67 = stablehlo.dot_general %66, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<2048x512xf32>) -> tensor<8x128x512xf32>
    %68 = stablehlo.add %46, %67 : tensor<8x128x512xf32>
    return %68, %arg2, %10, %7, %13, %12, %15, %22, %19, %34, %36, %41, %38, %21, %44, %46, %57, %54, %60, %59, %62, %64#1, %64#2, %63, %65, %64#0, %66 : tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>, tensor<1x1x512xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x4x2x64xf32>, tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>, tensor<8x4x2x128x1xf32>, tensor<8x4x2x128x1xf32>, tensor<8x4x2x128x128xf32>, tensor<8x128x4x64xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>, tensor<1x1x512xf32>, tensor<8x128x512xf32>, tensor<8x128x512xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>
  }
  func.func private @_where_4(%arg0: tensor<8x4x2x128x128xf32>, %arg1: tensor<8x4x2x128x128xi1>, %arg2: tensor<8x4x2x128x128xf32>) -> tensor<8x4x2x128x128xf32> {
    %0 = stablehlo.select %arg1, %arg0, %arg2 : tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>
    return %0 : tensor<8x4x2x128x128xf32>
  }
  func.func private @silu(%arg0: tensor<8x128x2048xf32>) -> (tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<8x128x2048xf32>
    %1 = stablehlo.exponential %0 : tensor<8x128x2048xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x2048xf32>
    %3 = stablehlo.add %2, %1 : tensor<8x128x2048xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x128x2048xf32>
    %5 = stablehlo.divide %4, %3 : tensor<8x128x2048xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x128x2048xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<8x128x2048xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<8x128x2048xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<8x128x2048xf32>
    return %9, %8, %5 : tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x8x128x512xf32>, %arg1: tensor<8x128x512xf32>, %arg2: tensor<i32>) -> tensor<4x8x128x512xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x128x512xf32>) -> tensor<1x8x128x512xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<4x8x128x512xf32>, tensor<1x8x128x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x128x512xf32>
    return %1 : tensor<4x8x128x512xf32>
  }
  func.func private @dynamic_update_index_in_dim_5(%arg0: tensor<4x8x128x1xf32>, %arg1: tensor<8x128x1xf32>, %arg2: tensor<i32>) -> tensor<4x8x128x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x128x1xf32>) -> tensor<1x8x128x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<4x8x128x1xf32>, tensor<1x8x128x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x128x1xf32>
    return %1 : tensor<4x8x128x1xf32>
  }
  func.func private @dynamic_update_index_in_dim_6(%arg0: tensor<4x1x1x512xf32>, %arg1: tensor<1x1x512xf32>, %arg2: tensor<i32>) -> tensor<4x1x1x512xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<1x1x512xf32>) -> tensor<1x1x1x512xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<4x1x1x512xf32>, tensor<1x1x1x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x1x1x512xf32>
    return %1 : tensor<4x1x1x512xf32>
  }
  func.func private @dynamic_update_index_in_dim_7(%arg0: tensor<4x8x128x4x2x64xf32>, %arg1: tensor<8x128x4x2x64xf32>, %arg2: tensor<i32>) -> tensor<4x8x128x4x2x64xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4, 5] : (tensor<8x128x4x2x64xf32>) -> tensor<1x8x128x4x2x64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2, %c_3 : (tensor<4x8x128x4x2x64xf32>, tensor<1x8x128x4x2x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x128x4x2x64xf32>
    return %1 : tensor<4x8x128x4x2x64xf32>
  }
  func.func private @dynamic_update_index_in_dim_8(%arg0: tensor<4x8x128x4x64xf32>, %arg1: tensor<8x128x4x64xf32>, %arg2: tensor<i32>) -> tensor<4x8x128x4x64xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x128x4x64xf32>) -> tensor<1x8x128x4x64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<4x8x128x4x64xf32>, tensor<1x8x128x4x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x128x4x64xf32>
    return %1 : tensor<4x8x128x4x64xf32>
  }
  func.func private @dynamic_update_index_in_dim_9(%arg0: tensor<4x8x4x2x128x128xf32>, %arg1: tensor<8x4x2x128x128xf32>, %arg2: tensor<i32>) -> tensor<4x8x4x2x128x128xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4, 5] : (tensor<8x4x2x128x128xf32>) -> tensor<1x8x4x2x128x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2, %c_3 : (tensor<4x8x4x2x128x128xf32>, tensor<1x8x4x2x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x4x2x128x128xf32>
    return %1 : tensor<4x8x4x2x128x128xf32>
  }
  func.func private @dynamic_update_index_in_dim_10(%arg0: tensor<4x8x4x2x128x1xf32>, %arg1: tensor<8x4x2x128x1xf32>, %arg2: tensor<i32>) -> tensor<4x8x4x2x128x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4, 5] : (tensor<8x4x2x128x1xf32>) -> tensor<1x8x4x2x128x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2, %c_3 : (tensor<4x8x4x2x128x1xf32>, tensor<1x8x4x2x128x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x4x2x128x1xf32>
    return %1 : tensor<4x8x4x2x128x1xf32>
  }
  func.func private @dynamic_update_index_in_dim_11(%arg0: tensor<4x8x128x2048xf32>, %arg1: tensor<8x128x2048xf32>, %arg2: tensor<i32>) -> tensor<4x8x128x2048xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x128x2048xf32>) -> tensor<1x8x128x2048xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<4x8x128x2048xf32>, tensor<1x8x128x2048xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x128x2048xf32>
    return %1 : tensor<4x8x128x2048xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x128x1xi32>) -> tensor<8x128x1x1xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x128x1xi32>
    %1 = stablehlo.compare LT, %arg0, %0, SIGNED : (tensor<8x128x1xi32>, tensor<8x128x1xi32>) -> tensor<8x128x1xi1>
    %c_0 = stablehlo.constant dense<1024> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x128x1xi32>
    %3 = stablehlo.add %arg0, %2 : tensor<8x128x1xi32>
    %4 = stablehlo.select %1, %3, %arg0 : tensor<8x128x1xi1>, tensor<8x128x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x128x1xi32>) -> tensor<8x128x1x1xi32>
    return %5 : tensor<8x128x1x1xi32>
  }
  func.func private @take_along_axis_12(%arg0: tensor<8x128x1x1xi32>, %arg1: tensor<8x128x1xf32>) -> tensor<8x128x1024xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x1024xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x128x1024xf32>, tensor<8x128x1x1xi32>, tensor<8x128x1xf32>) -> tensor<8x128x1024xf32>
    return %1 : tensor<8x128x1024xf32>
  }
  func.func private @dynamic_index_in_dim_13(%arg0: tensor<4x8x128x512xf32>, %arg1: tensor<i32>) -> tensor<8x128x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 128, 512] : (tensor<4x8x128x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x128x512xf32>) -> tensor<8x128x512xf32>
    return %1 : tensor<8x128x512xf32>
  }
  func.func private @dynamic_index_in_dim_14(%arg0: tensor<4x8x128x1xf32>, %arg1: tensor<i32>) -> tensor<8x128x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 128, 1] : (tensor<4x8x128x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x128x1xf32>) -> tensor<8x128x1xf32>
    return %1 : tensor<8x128x1xf32>
  }
  func.func private @dynamic_index_in_dim_15(%arg0: tensor<4x1x1x512xf32>, %arg1: tensor<i32>) -> tensor<1x1x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 1, 1, 512] : (tensor<4x1x1x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x1x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x1x1x512xf32>) -> tensor<1x1x512xf32>
    return %1 : tensor<1x1x512xf32>
  }
  func.func private @dynamic_index_in_dim_16(%arg0: tensor<4x8x128x4x2x64xf32>, %arg1: tensor<i32>) -> tensor<8x128x4x2x64xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, %c_3, sizes = [1, 8, 128, 4, 2, 64] : (tensor<4x8x128x4x2x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x4x2x64xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x128x4x2x64xf32>) -> tensor<8x128x4x2x64xf32>
    return %1 : tensor<8x128x4x2x64xf32>
  }
  func.func private @dynamic_index_in_dim_17(%arg0: tensor<4x8x128x4x64xf32>, %arg1: tensor<i32>) -> tensor<8x128x4x64xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 128, 4, 64] : (tensor<4x8x128x4x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x4x64xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x128x4x64xf32>) -> tensor<8x128x4x64xf32>
    return %1 : tensor<8x128x4x64xf32>
  }
  func.func private @dynamic_index_in_dim_18(%arg0: tensor<4x8x4x2x128x128xf32>, %arg1: tensor<i32>) -> tensor<8x4x2x128x128xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, %c_3, sizes = [1, 8, 4, 2, 128, 128] : (tensor<4x8x4x2x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x2x128x128xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x2x128x128xf32>) -> tensor<8x4x2x128x128xf32>
    return %1 : tensor<8x4x2x128x128xf32>
  }
  func.func private @dynamic_index_in_dim_19(%arg0: tensor<4x8x4x2x128x1xf32>, %arg1: tensor<i32>) -> tensor<8x4x2x128x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, %c_3, sizes = [1, 8, 4, 2, 128, 1] : (tensor<4x8x4x2x128x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x2x128x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x2x128x1xf32>) -> tensor<8x4x2x128x1xf32>
    return %1 : tensor<8x4x2x128x1xf32>
  }
  func.func private @dynamic_index_in_dim_20(%arg0: tensor<4x8x128x2048xf32>, %arg1: tensor<i32>) -> tensor<8x128x2048xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 128, 2048] : (tensor<4x8x128x2048xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128x2048xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x128x2048xf32>) -> tensor<8x128x2048xf32>
    return %1 : tensor<8x128x2048xf32>
  }
  func.func private @closed_call_21(%arg0: tensor<8x4x2x128x128xi1>, %arg1: tensor<8x128x512xf32>, %arg2: tensor<8x128x512xf32>, %arg3: tensor<8x128x1xf32>, %arg4: tensor<8x128x1xf32>, %arg5: tensor<1x1x512xf32>, %arg6: tensor<8x128x512xf32>, %arg7: tensor<512x512xf32>, %arg8: tensor<8x128x512xf32>, %arg9: tensor<512x256xf32>, %arg10: tensor<512x256xf32>, %arg11: tensor<8x128x4x2x64xf32>, %arg12: tensor<8x128x4x64xf32>, %arg13: tensor<8x4x2x128x128xf32>, %arg14: tensor<8x4x2x128x1xf32>, %arg15: tensor<8x4x2x128x1xf32>, %arg16: tensor<8x4x2x128x128xf32>, %arg17: tensor<8x128x4x64xf32>, %arg18: tensor<512x512xf32>, %arg19: tensor<8x128x512xf32>, %arg20: tensor<8x128x512xf32>, %arg21: tensor<8x128x1xf32>, %arg22: tensor<8x128x1xf32>, %arg23: tensor<1x1x512xf32>, %arg24: tensor<8x128x512xf32>, %arg25: tensor<512x2048xf32>, %arg26: tensor<8x128x512xf32>, %arg27: tensor<8x128x2048xf32>, %arg28: tensor<8x128x2048xf32>, %arg29: tensor<8x128x2048xf32>, %arg30: tensor<512x2048xf32>, %arg31: tensor<8x128x2048xf32>, %arg32: tensor<8x128x2048xf32>, %arg33: tensor<2048x512xf32>, %arg34: tensor<8x128x2048xf32>) -> (tensor<8x128x512xf32>, tensor<2048x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>) {
    %0 = stablehlo.dot_general %arg1, %arg34, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x2048xf32>) -> tensor<512x2048xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<512x2048xf32>) -> tensor<2048x512xf32>
    %2 = stablehlo.dot_general %arg1, %arg33, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<2048x512xf32>) -> tensor<8x128x2048xf32>
    %3 = stablehlo.multiply %arg32, %2 : tensor<8x128x2048xf32>
    %4 = stablehlo.multiply %2, %arg31 : tensor<8x128x2048xf32>
    %5 = stablehlo.dot_general %3, %arg26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<8x128x512xf32>) -> tensor<2048x512xf32>
    %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<2048x512xf32>) -> tensor<512x2048xf32>
    %7 = stablehlo.dot_general %3, %arg30, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<512x2048xf32>) -> tensor<8x128x512xf32>
    %8 = call @silu_22(%arg27, %arg28, %arg29, %4) : (tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>) -> tensor<8x128x2048xf32>
    %9 = stablehlo.dot_general %8, %arg26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<8x128x512xf32>) -> tensor<2048x512xf32>
    %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<2048x512xf32>) -> tensor<512x2048xf32>
    %11 = stablehlo.dot_general %8, %arg25, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<512x2048xf32>) -> tensor<8x128x512xf32>
    %12 = stablehlo.add %7, %11 : tensor<8x128x512xf32>
    %13 = stablehlo.multiply %arg24, %12 : tensor<8x128x512xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<512xf32>
    %15 = stablehlo.reshape %14 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %16 = stablehlo.broadcast_in_dim %arg23, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %17 = stablehlo.multiply %12, %16 : tensor<8x128x512xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%15 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x512xf32>, tensor<f32>) -> tensor<512xf32>
    %19 = stablehlo.multiply %arg20, %17 : tensor<8x128x512xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %21 = stablehlo.reshape %20 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %22 = stablehlo.broadcast_in_dim %arg22, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %23 = stablehlo.multiply %17, %22 : tensor<8x128x512xf32>
    %24 = stablehlo.add %arg1, %23 : tensor<8x128x512xf32>
    %25 = stablehlo.multiply %21, %arg21 : tensor<8x128x1xf32>
    %cst_2 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %27 = stablehlo.divide %25, %26 : tensor<8x128x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x512xf32>
    %30 = stablehlo.multiply %arg20, %29 : tensor<8x128x512xf32>
    %31 = stablehlo.add %24, %30 : tensor<8x128x512xf32>
    %32 = stablehlo.multiply %29, %arg20 : tensor<8x128x512xf32>
    %33 = stablehlo.add %31, %32 : tensor<8x128x512xf32>
    %34 = stablehlo.dot_general %33, %arg19, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x512xf32>) -> tensor<512x512xf32>
    %35 = stablehlo.transpose %34, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %36 = stablehlo.dot_general %33, %arg18, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %37 = stablehlo.reshape %36 : (tensor<8x128x512xf32>) -> tensor<8x128x4x2x64xf32>
    %38 = stablehlo.transpose %37, dims = [0, 2, 4, 3, 1] : (tensor<8x128x4x2x64xf32>) -> tensor<8x4x64x2x128xf32>
    %39 = stablehlo.dot_general %38, %arg17, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x64x2x128xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x2x128x128xf32>
    %40 = stablehlo.dot_general %38, %arg16, batching_dims = [0, 1] x [0, 1], contracting_dims = [3, 4] x [2, 3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x64x2x128xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x128xf32>
    %41 = stablehlo.transpose %40, dims = [0, 3, 1, 2] : (tensor<8x4x64x128xf32>) -> tensor<8x128x4x64xf32>
    %42 = stablehlo.broadcast_in_dim %arg15, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %43 = stablehlo.multiply %39, %42 : tensor<8x4x2x128x128xf32>
    %44 = stablehlo.multiply %43, %arg13 : tensor<8x4x2x128x128xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_4) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %46 = stablehlo.reshape %45 : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %47 = stablehlo.negate %46 : tensor<8x4x2x128x1xf32>
    %48 = stablehlo.broadcast_in_dim %arg14, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %49 = stablehlo.divide %39, %48 : tensor<8x4x2x128x128xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%47 init: %cst_5) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x1xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x128xf32>
    %52 = stablehlo.add %49, %51 : tensor<8x4x2x128x128xf32>
    %53 = stablehlo.multiply %52, %arg13 : tensor<8x4x2x128x128xf32>
    %54 = call @_where_23(%arg0, %53) : (tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_6 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %56 = stablehlo.divide %54, %55 : tensor<8x4x2x128x128xf32>
    %57 = stablehlo.transpose %56, dims = [0, 1, 4, 3, 2] : (tensor<8x4x2x128x128xf32>) -> tensor<8x4x128x128x2xf32>
    %58 = stablehlo.dot_general %57, %arg12, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128x2xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x128x2x64xf32>
    %59 = stablehlo.transpose %58, dims = [0, 2, 1, 3, 4] : (tensor<8x4x128x2x64xf32>) -> tensor<8x128x4x2x64xf32>
    %60 = stablehlo.dot_general %57, %arg11, batching_dims = [0, 1] x [0, 2], contracting_dims = [3, 4] x [1, 3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128x2xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x64xf32>
    %61 = stablehlo.transpose %60, dims = [0, 2, 1, 3] : (tensor<8x4x128x64xf32>) -> tensor<8x128x4x64xf32>
    %62 = stablehlo.reshape %59 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x8x64xf32>
    %63 = stablehlo.reshape %41 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %64 = stablehlo.dot_general %63, %arg8, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x512xf32>) -> tensor<256x512xf32>
    %65 = stablehlo.transpose %64, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %66 = stablehlo.dot_general %63, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<512x256xf32>) -> tensor<8x128x512xf32>
    %67 = stablehlo.reshape %61 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %68 = stablehlo.dot_general %67, %arg8, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x512xf32>) -> tensor<256x512xf32>
    %69 = stablehlo.transpose %68, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %70 = stablehlo.dot_general %67, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<512x256xf32>) -> tensor<8x128x512xf32>
    %71 = stablehlo.add %66, %70 : tensor<8x128x512xf32>
    %72 = stablehlo.reshape %62 : (tensor<8x128x8x64xf32>) -> tensor<8x128x512xf32>
    %73 = stablehlo.dot_general %72, %arg8, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x512xf32>) -> tensor<512x512xf32>
    %74 = stablehlo.transpose %73, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %75 = stablehlo.dot_general %72, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %76 = stablehlo.add %71, %75 : tensor<8x128x512xf32>
    %77 = stablehlo.multiply %arg6, %76 : tensor<8x128x512xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<512xf32>
    %79 = stablehlo.reshape %78 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %80 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %81 = stablehlo.multiply %76, %80 : tensor<8x128x512xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%79 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x512xf32>, tensor<f32>) -> tensor<512xf32>
    %83 = stablehlo.multiply %arg2, %81 : tensor<8x128x512xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %85 = stablehlo.reshape %84 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %86 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %87 = stablehlo.multiply %81, %86 : tensor<8x128x512xf32>
    %88 = stablehlo.add %33, %87 : tensor<8x128x512xf32>
    %89 = stablehlo.multiply %85, %arg3 : tensor<8x128x1xf32>
    %cst_10 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %91 = stablehlo.divide %89, %90 : tensor<8x128x1xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x512xf32>
    %94 = stablehlo.multiply %arg2, %93 : tensor<8x128x512xf32>
    %95 = stablehlo.add %88, %94 : tensor<8x128x512xf32>
    %96 = stablehlo.multiply %93, %arg2 : tensor<8x128x512xf32>
    %97 = stablehlo.add %95, %96 : tensor<8x128x512xf32>
    return %97, %1, %10, %69, %82, %18, %35, %74, %6, %65 : tensor<8x128x512xf32>, tensor<2048x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>
  }
  func.func private @silu_22(%arg0: tensor<8x128x2048xf32>, %arg1: tensor<8x128x2048xf32>, %arg2: tensor<8x128x2048xf32>, %arg3: tensor<8x128x2048xf32>) -> tensor<8x128x2048xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<8x128x2048xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<8x128x2048xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<8x128x2048xf32>
    %3 = stablehlo.add %1, %2 : tensor<8x128x2048xf32>
    return %3 : tensor<8x128x2048xf32>
  }
  func.func private @_where_23(%arg0: tensor<8x4x2x128x128xi1>, %arg1: tensor<8x4x2x128x128xf32>) -> tensor<8x4x2x128x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>
    return %1 : tensor<8x4x2x128x128xf32>
  }
  func.func private @dynamic_update_index_in_dim_24(%arg0: tensor<4x2048x512xf32>, %arg1: tensor<2048x512xf32>, %arg2: tensor<i32>) -> tensor<4x2048x512xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2048x512xf32>) -> tensor<1x2048x512xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<4x2048x512xf32>, tensor<1x2048x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x2048x512xf32>
    return %1 : tensor<4x2048x512xf32>
  }
  func.func private @dynamic_update_index_in_dim_25(%arg0: tensor<4x512x2048xf32>, %arg1: tensor<512x2048xf32>, %arg2: tensor<i32>) -> tensor<4x512x2048xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<512x2048xf32>) -> tensor<1x512x2048xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<4x512x2048xf32>, tensor<1x512x2048xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x512x2048xf32>
    return %1 : tensor<4x512x2048xf32>
  }
  func.func private @dynamic_update_index_in_dim_26(%arg0: tensor<4x512x256xf32>, %arg1: tensor<512x256xf32>, %arg2: tensor<i32>) -> tensor<4x512x256xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<512x256xf32>) -> tensor<1x512x256xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<4x512x256xf32>, tensor<1x512x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x512x256xf32>
    return %1 : tensor<4x512x256xf32>
  }
  func.func private @dynamic_update_index_in_dim_27(%arg0: tensor<4x512xf32>, %arg1: tensor<512xf32>, %arg2: tensor<i32>) -> tensor<4x512xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<512xf32>) -> tensor<1x512xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<4x512xf32>, tensor<1x512xf32>, tensor<i32>, tensor<i32>) -> tensor<4x512xf32>
    return %1 : tensor<4x512xf32>
  }
  func.func private @dynamic_update_index_in_dim_28(%arg0: tensor<4x512x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<i32>) -> tensor<4x512x512xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<512x512xf32>) -> tensor<1x512x512xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<4x512x512xf32>, tensor<1x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x512x512xf32>
    return %1 : tensor<4x512x512xf32>
  }
}
