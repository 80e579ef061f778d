module @jit_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<512x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<512x512xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<512x512xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<512x256xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<8x128x512xf32>, %arg5: tensor<8x128x512xf32>) -> (tensor<512x256xf32> {jax.result_info = "result['k']"}, tensor<512x512xf32> {jax.result_info = "result['o']"}, tensor<512x512xf32> {jax.result_info = "result['q']"}, tensor<512x256xf32> {jax.result_info = "result['v']"}) {
    %0 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<8x128x512xf32>) -> tensor<8x128x8x64xf32>
    %2 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x256xf32>) -> tensor<8x128x256xf32>
    %3 = stablehlo.reshape %2 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %4 = stablehlo.dot_general %arg4, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x256xf32>) -> tensor<8x128x256xf32>
    %5 = stablehlo.reshape %4 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %6 = stablehlo.reshape %1 : (tensor<8x128x8x64xf32>) -> tensor<8x128x4x2x64xf32>
    %7 = stablehlo.dot_general %3, %6, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x128x2xf32>
    %8 = stablehlo.transpose %7, dims = [0, 1, 4, 3, 2] : (tensor<8x4x128x128x2xf32>) -> tensor<8x4x2x128x128xf32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %10 = stablehlo.divide %8, %9 : tensor<8x4x2x128x128xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<128x128xi1>
    %12 = call @tril(%11) : (tensor<128x128xi1>) -> tensor<128x128xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %13:2 = call @_where(%12, %10, %cst_0) : (tensor<128x128xi1>, tensor<8x4x2x128x128xf32>, tensor<f32>) -> (tensor<8x4x2x128x128xf32>, tensor<8x4x2x128x128xi1>)
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.reduce(%13#0 init: %cst_1) applies stablehlo.maximum across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x4x2x128xf32>
    %16 = stablehlo.maximum %15, %14 : tensor<8x4x2x128xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %19 = stablehlo.subtract %13#0, %18 : tensor<8x4x2x128x128xf32>
    %20 = stablehlo.exponential %19 : tensor<8x4x2x128x128xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_3) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %24 = stablehlo.divide %20, %23 : tensor<8x4x2x128x128xf32>
    %25 = stablehlo.multiply %22, %22 : tensor<8x4x2x128x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x1xf32>
    %27 = stablehlo.divide %26, %25 : tensor<8x4x2x128x1xf32>
    %28 = stablehlo.dot_general %5, %24, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x2x128xf32>
    %29 = stablehlo.transpose %28, dims = [0, 4, 1, 3, 2] : (tensor<8x4x64x2x128xf32>) -> tensor<8x128x4x2x64xf32>
    %30 = stablehlo.reshape %29 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x512xf32>
    %31 = stablehlo.dot_general %30, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %32 = stablehlo.subtract %31, %arg5 : tensor<8x128x512xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<8x128x512xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<5.242880e+05> : tensor<f32>
    %35 = stablehlo.divide %cst_6, %cst_7 : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %37 = stablehlo.multiply %36, %34 : tensor<8x128x512xf32>
    %38 = stablehlo.dot_general %37, %30, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x512xf32>) -> tensor<512x512xf32>
    %39 = stablehlo.transpose %38, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %40 = stablehlo.dot_general %37, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %41 = stablehlo.reshape %40 : (tensor<8x128x512xf32>) -> tensor<8x128x4x2x64xf32>
    %42 = stablehlo.transpose %41, dims = [0, 2, 4, 3, 1] : (tensor<8x128x4x2x64xf32>) -> tensor<8x4x64x2x128xf32>
    %43 = stablehlo.dot_general %42, %5, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x64x2x128xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x2x128x128xf32>
    %44 = stablehlo.dot_general %42, %24, batching_dims = [0, 1] x [0, 1], contracting_dims = [3, 4] x [2, 3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x64x2x128xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x128xf32>
    %45 = stablehlo.transpose %44, dims = [0, 3, 1, 2] : (tensor<8x4x64x128xf32>) -> tensor<8x128x4x64xf32>
    %46 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %47 = stablehlo.multiply %43, %46 : tensor<8x4x2x128x128xf32>
    %48 = stablehlo.multiply %47, %20 : tensor<8x4x2x128x128xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_8) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %50 = stablehlo.reshape %49 : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %51 = stablehlo.negate %50 : tensor<8x4x2x128x1xf32>
    %52 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %53 = stablehlo.divide %43, %52 : tensor<8x4x2x128x128xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%51 init: %cst_9) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x1xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x128xf32>
    %56 = stablehlo.add %53, %55 : tensor<8x4x2x128x128xf32>
    %57 = stablehlo.multiply %56, %20 : tensor<8x4x2x128x128xf32>
    %58 = call @_where_0(%13#1, %57) : (tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_10 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %60 = stablehlo.divide %58, %59 : tensor<8x4x2x128x128xf32>
    %61 = stablehlo.transpose %60, dims = [0, 1, 4, 3, 2] : (tensor<8x4x2x128x128xf32>) -> tensor<8x4x128x128x2xf32>
    %62 = stablehlo.dot_general %61, %3, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128x2xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x128x2x64xf32>
    %63 = stablehlo.transpose %62, dims = [0, 2, 1, 3, 4] : (tensor<8x4x128x2x64xf32>) -> tensor<8x128x4x2x64xf32>
    %64 = stablehlo.dot_general %61, %6, batching_dims = [0, 1] x [0, 2], contracting_dims = [3, 4] x [1, 3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128x2xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x64xf32>
    %65 = stablehlo.transpose %64, dims = [0, 2, 1, 3] : (tensor<8x4x128x64xf32>) -> tensor<8x128x4x64xf32>
    %66 = stablehlo.reshape %63 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x8x64xf32>
    %67 = stablehlo.reshape %45 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %68 = stablehlo.dot_general %67, %arg4, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x512xf32>) -> tensor<256x512xf32>
    %69 = stablehlo.transpose %68, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %70 = stablehlo.reshape %65 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %71 = stablehlo.dot_general %70, %arg4, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x512xf32>) -> tensor<256x512xf32>
    %72 = stablehlo.transpose %71, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %73 = stablehlo.reshape %66 : (tensor<8x128x8x64xf32>) -> tensor<8x128x512xf32>
    %74 = stablehlo.dot_general %73, %arg4, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x512xf32>) -> tensor<512x512xf32>
    %75 = stablehlo.transpose %74, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %cst_11 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %77 = stablehlo.multiply %76, %72 : tensor<512x256xf32>
    %78 = stablehlo.subtract %arg0, %77 : tensor<512x256xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %80 = stablehlo.multiply %79, %39 : tensor<512x512xf32>
    %81 = stablehlo.subtract %arg1, %80 : tensor<512x512xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %83 = stablehlo.multiply %82, %75 : tensor<512x512xf32>
    %84 = stablehlo.subtract %arg2, %83 : tensor<512x512xf32>
    %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %86 = stablehlo.multiply %85, %69 : tensor<512x256xf32>
    %87 = stablehlo.subtract %arg3, %86 : tensor<512x256xf32>
    return %78, %81, %84, %87 : tensor<512x256xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x256xf32>
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
  func.func private @_where(%arg0: tensor<128x128xi1>, %arg1: tensor<8x4x2x128x128xf32>, %arg2: tensor<f32>) -> (tensor<8x4x2x128x128xf32>, tensor<8x4x2x128x128xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [3, 4] : (tensor<128x128xi1>) -> tensor<8x4x2x128x128xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>
    return %3, %1 : tensor<8x4x2x128x128xf32>, tensor<8x4x2x128x128xi1>
  }
  func.func private @_where_0(%arg0: tensor<8x4x2x128x128xi1>, %arg1: tensor<8x4x2x128x128xf32>) -> tensor<8x4x2x128x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>
    return %1 : tensor<8x4x2x128x128xf32>
  }
}
