module @jit_convolutions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3x8x32xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3x3x32x64xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<3x3x64x64xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<64x16xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<32x32x32x8xf32>, %arg5: tensor<32xi32>) -> (tensor<3x3x8x32xf32> {jax.result_info = "result[0]"}, tensor<3x3x32x64xf32> {jax.result_info = "result[1]"}, tensor<3x3x64x64xf32> {jax.result_info = "result[2]"}, tensor<64x16xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convolution(%arg4, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<32x32x32x8xf32>, tensor<3x3x8x32xf32>) -> tensor<32x32x32x32xf32>
    %1 = call @relu(%0) : (tensor<32x32x32x32xf32>) -> tensor<32x32x32x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x32x32x32xf32>
    %3 = stablehlo.compare GT, %0, %2, FLOAT : (tensor<32x32x32x32xf32>, tensor<32x32x32x32xf32>) -> tensor<32x32x32x32xi1>
    %4 = stablehlo.convolution(%1, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<32x32x32x32xf32>, tensor<3x3x32x64xf32>) -> tensor<32x16x16x64xf32>
    %5 = call @relu_0(%4) : (tensor<32x16x16x64xf32>) -> tensor<32x16x16x64xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x16x16x64xf32>
    %7 = stablehlo.compare GT, %4, %6, FLOAT : (tensor<32x16x16x64xf32>, tensor<32x16x16x64xf32>) -> tensor<32x16x16x64xi1>
    %8 = stablehlo.convolution(%5, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<32x16x16x64xf32>, tensor<3x3x64x64xf32>) -> tensor<32x16x16x64xf32>
    %9 = call @relu_0(%8) : (tensor<32x16x16x64xf32>) -> tensor<32x16x16x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x16x16x64xf32>
    %11 = stablehlo.compare GT, %8, %10, FLOAT : (tensor<32x16x16x64xf32>, tensor<32x16x16x64xf32>) -> tensor<32x16x16x64xi1>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<f32>
    %13 = "stablehlo.reduce_window"(%9, %12) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %60 = stablehlo.maximum %arg6, %arg7 : tensor<f32>
      stablehlo.return %60 : tensor<f32>
    }) : (tensor<32x16x16x64xf32>, tensor<f32>) -> tensor<32x8x8x64xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.add across dimensions = [1, 2] : (tensor<32x8x8x64xf32>, tensor<f32>) -> tensor<32x64xf32>
    %cst_4 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %16 = stablehlo.divide %14, %15 : tensor<32x64xf32>
    %17 = stablehlo.dot_general %16, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
    %18:2 = call @log_softmax(%17) : (tensor<32x16xf32>) -> (tensor<32x16xf32>, tensor<32x1xf32>)
    %19 = call @_one_hot(%arg5) : (tensor<32xi32>) -> tensor<32x16xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.negate %cst_5 : tensor<f32>
    %cst_6 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %21 = stablehlo.divide %20, %cst_6 : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<32xf32>) -> tensor<32x16xf32>
    %24 = stablehlo.multiply %23, %19 : tensor<32x16xf32>
    %25 = call @log_softmax_1(%18#0, %18#1, %24) : (tensor<32x16xf32>, tensor<32x1xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
    %26 = stablehlo.dot_general %25, %16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<16x64xf32>) -> tensor<64x16xf32>
    %28 = stablehlo.dot_general %25, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf32>, tensor<64x16xf32>) -> tensor<32x64xf32>
    %cst_7 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %30 = stablehlo.divide %28, %29 : tensor<32x64xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 3] : (tensor<32x64xf32>) -> tensor<32x8x8x64xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.pad %9, %cst_8, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<32x16x16x64xf32>, tensor<f32>) -> tensor<32x16x16x64xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = "stablehlo.select_and_scatter"(%32, %31, %cst_9) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %60 = stablehlo.compare GE, %arg6, %arg7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %60 : tensor<i1>
    }, {
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %60 = stablehlo.add %arg6, %arg7 : tensor<f32>
      stablehlo.return %60 : tensor<f32>
    }) : (tensor<32x16x16x64xf32>, tensor<32x8x8x64xf32>, tensor<f32>) -> tensor<32x16x16x64xf32>
    %34 = stablehlo.slice %33 [0:32, 0:16, 0:16, 0:64] : (tensor<32x16x16x64xf32>) -> tensor<32x16x16x64xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<32x16x16x64xf32>
    %36 = stablehlo.select %11, %34, %35 : tensor<32x16x16x64xi1>, tensor<32x16x16x64xf32>
    %37 = stablehlo.convolution(%5, %36) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<32x16x16x64xf32>, tensor<32x16x16x64xf32>) -> tensor<3x3x64x64xf32>
    %38 = stablehlo.reverse %arg2, dims = [0, 1] : tensor<3x3x64x64xf32>
    %39 = stablehlo.convolution(%36, %38) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<32x16x16x64xf32>, tensor<3x3x64x64xf32>) -> tensor<32x16x16x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<32x16x16x64xf32>
    %41 = stablehlo.select %7, %39, %40 : tensor<32x16x16x64xi1>, tensor<32x16x16x64xf32>
    %42 = stablehlo.convolution(%1, %41) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<32x32x32x32xf32>, tensor<32x16x16x64xf32>) -> tensor<3x3x32x64xf32>
    %43 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x3x32x64xf32>
    %44 = stablehlo.convolution(%41, %43) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<32x16x16x64xf32>, tensor<3x3x32x64xf32>) -> tensor<32x32x32x32xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<32x32x32x32xf32>
    %46 = stablehlo.select %3, %44, %45 : tensor<32x32x32x32xi1>, tensor<32x32x32x32xf32>
    %47 = stablehlo.convolution(%arg4, %46) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<32x32x32x8xf32>, tensor<32x32x32x32xf32>) -> tensor<3x3x8x32xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3x3x8x32xf32>
    %49 = stablehlo.multiply %48, %47 : tensor<3x3x8x32xf32>
    %50 = stablehlo.subtract %arg0, %49 : tensor<3x3x8x32xf32>
    %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3x3x32x64xf32>
    %52 = stablehlo.multiply %51, %42 : tensor<3x3x32x64xf32>
    %53 = stablehlo.subtract %arg1, %52 : tensor<3x3x32x64xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3x3x64x64xf32>
    %55 = stablehlo.multiply %54, %37 : tensor<3x3x64x64xf32>
    %56 = stablehlo.subtract %arg2, %55 : tensor<3x3x64x64xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %58 = stablehlo.multiply %57, %27 : tensor<64x16xf32>
    %59 = stablehlo.subtract %arg3, %58 : tensor<64x16xf32>
    return %50, %53, %56, %59 : tensor<3x3x8x32xf32>, tensor<3x3x32x64xf32>, tensor<3x3x64x64xf32>, tensor<64x16xf32>
  }
  func.func private @relu(%arg0: tensor<32x32x32x32xf32>) -> tensor<32x32x32x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x32x32x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x32x32x32xf32>
    return %1 : tensor<32x32x32x32xf32>
  }
  func.func private @relu_0(%arg0: tensor<32x16x16x64xf32>) -> tensor<32x16x16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x16x16x64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x16x16x64xf32>
    return %1 : tensor<32x16x16x64xf32>
  }
  func.func private @log_softmax(%arg0: tensor<32x16xf32>) -> (tensor<32x16xf32>, tensor<32x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<32x16xf32>
    %6 = stablehlo.exponential %5 : tensor<32x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    return %6, %8 : tensor<32x16xf32>, tensor<32x1xf32>
  }
  func.func private @_one_hot(%arg0: tensor<32xi32>) -> tensor<32x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x16xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<32x1xi32>) -> tensor<32x16xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<32x16xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<32x16xi32>, tensor<32x16xi32>) -> tensor<32x16xi1>
    %5 = stablehlo.convert %4 : (tensor<32x16xi1>) -> tensor<32x16xf32>
    return %5 : tensor<32x16xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<32x16xf32>, %arg1: tensor<32x1xf32>, %arg2: tensor<32x16xf32>) -> tensor<32x16xf32> {
    %0 = stablehlo.negate %arg2 : tensor<32x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.reshape %1 : (tensor<32xf32>) -> tensor<32x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<32x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<32x1xf32>, tensor<f32>) -> tensor<32xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xf32>) -> tensor<32x16xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<32x16xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<32x16xf32>
    return %7 : tensor<32x16xf32>
  }
}
