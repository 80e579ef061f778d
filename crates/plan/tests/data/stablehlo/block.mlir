module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2048x512xf32> {tf.aliasing_output = 1 : i32}, %arg1: tensor<512x2048xf32> {tf.aliasing_output = 2 : i32}, %arg2: tensor<512x256xf32> {tf.aliasing_output = 3 : i32}, %arg3: tensor<512xf32> {tf.aliasing_output = 4 : i32}, %arg4: tensor<512xf32> {tf.aliasing_output = 5 : i32}, %arg5: tensor<512x512xf32> {tf.aliasing_output = 6 : i32}, %arg6: tensor<512x512xf32> {tf.aliasing_output = 7 : i32}, %arg7: tensor<512x2048xf32> {tf.aliasing_output = 8 : i32}, %arg8: tensor<512x256xf32> {tf.aliasing_output = 9 : i32}, %arg9: tensor<2048x512xf32> {tf.aliasing_output = 10 : i32}, %arg10: tensor<512x2048xf32> {tf.aliasing_output = 11 : i32}, %arg11: tensor<512x256xf32> {tf.aliasing_output = 12 : i32}, %arg12: tensor<512xf32> {tf.aliasing_output = 13 : i32}, %arg13: tensor<512xf32> {tf.aliasing_output = 14 : i32}, %arg14: tensor<512x512xf32> {tf.aliasing_output = 15 : i32}, %arg15: tensor<512x512xf32> {tf.aliasing_output = 16 : i32}, %arg16: tensor<512x2048xf32> {tf.aliasing_output = 17 : i32}, %arg17: tensor<512x256xf32> {tf.aliasing_output = 18 : i32}, %arg18: tensor<2048x512xf32> {tf.aliasing_output = 19 : i32}, %arg19: tensor<512x2048xf32> {tf.aliasing_output = 20 : i32}, %arg20: tensor<512x256xf32> {tf.aliasing_output = 21 : i32}, %arg21: tensor<512xf32> {tf.aliasing_output = 22 : i32}, %arg22: tensor<512xf32> {tf.aliasing_output = 23 : i32}, %arg23: tensor<512x512xf32> {tf.aliasing_output = 24 : i32}, %arg24: tensor<512x512xf32> {tf.aliasing_output = 25 : i32}, %arg25: tensor<512x2048xf32> {tf.aliasing_output = 26 : i32}, %arg26: tensor<512x256xf32> {tf.aliasing_output = 27 : i32}, %arg27: tensor<8x128x512xf32>, %arg28: tensor<8x128x512xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<2048x512xf32> {jax.result_info = "result[1]['d']"}, tensor<512x2048xf32> {jax.result_info = "result[1]['g']"}, tensor<512x256xf32> {jax.result_info = "result[1]['k']"}, tensor<512xf32> {jax.result_info = "result[1]['n1']"}, tensor<512xf32> {jax.result_info = "result[1]['n2']"}, tensor<512x512xf32> {jax.result_info = "result[1]['o']"}, tensor<512x512xf32> {jax.result_info = "result[1]['q']"}, tensor<512x2048xf32> {jax.result_info = "result[1]['u']"}, tensor<512x256xf32> {jax.result_info = "result[1]['v']"}, tensor<2048x512xf32> {jax.result_info = "result[2]['d']"}, tensor<512x2048xf32> {jax.result_info = "result[2]['g']"}, tensor<512x256xf32> {jax.result_info = "result[2]['k']"}, tensor<512xf32> {jax.result_info = "result[2]['n1']"}, tensor<512xf32> {jax.result_info = "result[2]['n2']"}, tensor<512x512xf32> {jax.result_info = "result[2]['o']"}, tensor<512x512xf32> {jax.result_info = "result[2]['q']"}, tensor<512x2048xf32> {jax.result_info = "result[2]['u']"}, tensor<512x256xf32> {jax.result_info = "result[2]['v']"}, tensor<2048x512xf32> {jax.result_info = "result[3]['d']"}, tensor<512x2048xf32> {jax.result_info = "result[3]['g']"}, tensor<512x256xf32> {jax.result_info = "result[3]['k']"}, tensor<512xf32> {jax.result_info = "result[3]['n1']"}, tensor<512xf32> {jax.result_info = "result[3]['n2']"}, tensor<512x512xf32> {jax.result_info = "result[3]['o']"}, tensor<512x512xf32> {jax.result_info = "result[3]['q']"}, tensor<512x2048xf32> {jax.result_info = "result[3]['u']"}, tensor<512x256xf32> {jax.result_info = "result[3]['v']"}) {
    %0 = stablehlo.multiply %arg27, %arg27 : tensor<8x128x512xf32>
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
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %9 = stablehlo.multiply %arg27, %8 : tensor<8x128x512xf32>
    %10 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<8x128x512xf32>
    %13 = stablehlo.dot_general %12, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %14 = stablehlo.reshape %13 : (tensor<8x128x512xf32>) -> tensor<8x128x8x64xf32>
    %15 = stablehlo.dot_general %12, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x256xf32>) -> tensor<8x128x256xf32>
    %16 = stablehlo.reshape %15 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %17 = stablehlo.dot_general %12, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x256xf32>) -> tensor<8x128x256xf32>
    %18 = stablehlo.reshape %17 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %19 = stablehlo.reshape %14 : (tensor<8x128x8x64xf32>) -> tensor<8x128x4x2x64xf32>
    %20 = stablehlo.dot_general %16, %19, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x128x2xf32>
    %21 = stablehlo.transpose %20, dims = [0, 1, 4, 3, 2] : (tensor<8x4x128x128x2xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %23 = stablehlo.divide %21, %22 : tensor<8x4x2x128x128xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %24 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<128x128xi1>
    %25 = call @tril(%24) : (tensor<128x128xi1>) -> tensor<128x128xi1>
    %cst_3 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %26:2 = call @_where(%25, %23, %cst_3) : (tensor<128x128xi1>, tensor<8x4x2x128x128xf32>, tensor<f32>) -> (tensor<8x4x2x128x128xf32>, tensor<8x4x2x128x128xi1>)
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %27 = stablehlo.reduce(%26#0 init: %cst_4) applies stablehlo.maximum across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4x2x128xf32>
    %29 = stablehlo.maximum %28, %27 : tensor<8x4x2x128xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %32 = stablehlo.subtract %26#0, %31 : tensor<8x4x2x128x128xf32>
    %33 = stablehlo.exponential %32 : tensor<8x4x2x128x128xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_6) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %37 = stablehlo.divide %33, %36 : tensor<8x4x2x128x128xf32>
    %38 = stablehlo.multiply %35, %35 : tensor<8x4x2x128x1xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x1xf32>
    %40 = stablehlo.divide %39, %38 : tensor<8x4x2x128x1xf32>
    %41 = stablehlo.dot_general %18, %37, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x2x128xf32>
    %42 = stablehlo.transpose %41, dims = [0, 4, 1, 3, 2] : (tensor<8x4x64x2x128xf32>) -> tensor<8x128x4x2x64xf32>
    %43 = stablehlo.reshape %42 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x512xf32>
    %44 = stablehlo.dot_general %43, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %45 = stablehlo.add %arg27, %44 : tensor<8x128x512xf32>
    %46 = stablehlo.multiply %45, %45 : tensor<8x128x512xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%46 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_9 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %50 = stablehlo.divide %48, %49 : tensor<8x128x1xf32>
    %cst_10 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %52 = stablehlo.add %50, %51 : tensor<8x128x1xf32>
    %53 = stablehlo.rsqrt %52 : tensor<8x128x1xf32>
    %54 = stablehlo.divide %53, %52 : tensor<8x128x1xf32>
    %cst_11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %56 = stablehlo.multiply %55, %54 : tensor<8x128x1xf32>
    %57 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %58 = stablehlo.multiply %45, %57 : tensor<8x128x512xf32>
    %59 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %61 = stablehlo.multiply %58, %60 : tensor<8x128x512xf32>
    %62 = stablehlo.dot_general %61, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x2048xf32>) -> tensor<8x128x2048xf32>
    %63:3 = call @silu(%62) : (tensor<8x128x2048xf32>) -> (tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>)
    %64 = stablehlo.dot_general %61, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x2048xf32>) -> tensor<8x128x2048xf32>
    %65 = stablehlo.multiply %63#0, %64 : tensor<8x128x2048xf32>
    %66 = stablehlo.dot_general %65, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<2048x512xf32>) -> tensor<8x128x512xf32>
    %67 = stablehlo.add %45, %66 : tensor<8x128x512xf32>
    %68 = stablehlo.subtract %67, %arg28 : tensor<8x128x512xf32>
    %69 = stablehlo.multiply %68, %68 : tensor<8x128x512xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %71 = stablehlo.multiply %70, %68 : tensor<8x128x512xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%69 init: %cst_13) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<f32>
    %cst_14 = stablehlo.constant dense<5.242880e+05> : tensor<f32>
    %73 = stablehlo.divide %72, %cst_14 : tensor<f32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_16 = stablehlo.constant dense<5.242880e+05> : tensor<f32>
    %74 = stablehlo.divide %cst_15, %cst_16 : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %76 = stablehlo.multiply %75, %71 : tensor<8x128x512xf32>
    %77 = stablehlo.dot_general %76, %65, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x2048xf32>) -> tensor<512x2048xf32>
    %78 = stablehlo.transpose %77, dims = [1, 0] : (tensor<512x2048xf32>) -> tensor<2048x512xf32>
    %79 = stablehlo.dot_general %76, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<2048x512xf32>) -> tensor<8x128x2048xf32>
    %80 = stablehlo.multiply %63#0, %79 : tensor<8x128x2048xf32>
    %81 = stablehlo.multiply %79, %64 : tensor<8x128x2048xf32>
    %82 = stablehlo.dot_general %80, %61, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<8x128x512xf32>) -> tensor<2048x512xf32>
    %83 = stablehlo.transpose %82, dims = [1, 0] : (tensor<2048x512xf32>) -> tensor<512x2048xf32>
    %84 = stablehlo.dot_general %80, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<512x2048xf32>) -> tensor<8x128x512xf32>
    %85 = call @silu_0(%63#1, %63#2, %62, %81) : (tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>, tensor<8x128x2048xf32>) -> tensor<8x128x2048xf32>
    %86 = stablehlo.dot_general %85, %61, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<8x128x512xf32>) -> tensor<2048x512xf32>
    %87 = stablehlo.transpose %86, dims = [1, 0] : (tensor<2048x512xf32>) -> tensor<512x2048xf32>
    %88 = stablehlo.dot_general %85, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x2048xf32>, tensor<512x2048xf32>) -> tensor<8x128x512xf32>
    %89 = stablehlo.add %84, %88 : tensor<8x128x512xf32>
    %90 = stablehlo.multiply %58, %89 : tensor<8x128x512xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.reduce(%90 init: %cst_17) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<512xf32>
    %92 = stablehlo.reshape %91 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %93 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %94 = stablehlo.multiply %89, %93 : tensor<8x128x512xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.reduce(%92 init: %cst_18) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x512xf32>, tensor<f32>) -> tensor<512xf32>
    %96 = stablehlo.multiply %45, %94 : tensor<8x128x512xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%96 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %98 = stablehlo.reshape %97 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %99 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %100 = stablehlo.multiply %94, %99 : tensor<8x128x512xf32>
    %101 = stablehlo.add %76, %100 : tensor<8x128x512xf32>
    %102 = stablehlo.multiply %98, %56 : tensor<8x128x1xf32>
    %cst_20 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %104 = stablehlo.divide %102, %103 : tensor<8x128x1xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.reduce(%104 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x512xf32>
    %107 = stablehlo.multiply %45, %106 : tensor<8x128x512xf32>
    %108 = stablehlo.add %101, %107 : tensor<8x128x512xf32>
    %109 = stablehlo.multiply %106, %45 : tensor<8x128x512xf32>
    %110 = stablehlo.add %108, %109 : tensor<8x128x512xf32>
    %111 = stablehlo.dot_general %110, %43, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x512xf32>) -> tensor<512x512xf32>
    %112 = stablehlo.transpose %111, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %113 = stablehlo.dot_general %110, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %114 = stablehlo.reshape %113 : (tensor<8x128x512xf32>) -> tensor<8x128x4x2x64xf32>
    %115 = stablehlo.transpose %114, dims = [0, 2, 4, 3, 1] : (tensor<8x128x4x2x64xf32>) -> tensor<8x4x64x2x128xf32>
    %116 = stablehlo.dot_general %115, %18, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x64x2x128xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x2x128x128xf32>
    %117 = stablehlo.dot_general %115, %37, batching_dims = [0, 1] x [0, 1], contracting_dims = [3, 4] x [2, 3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x64x2x128xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x128xf32>
    %118 = stablehlo.transpose %117, dims = [0, 3, 1, 2] : (tensor<8x4x64x128xf32>) -> tensor<8x128x4x64xf32>
    %119 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %120 = stablehlo.multiply %116, %119 : tensor<8x4x2x128x128xf32>
    %121 = stablehlo.multiply %120, %33 : tensor<8x4x2x128x128xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%121 init: %cst_22) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %123 = stablehlo.reshape %122 : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %124 = stablehlo.negate %123 : tensor<8x4x2x128x1xf32>
    %125 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %126 = stablehlo.divide %116, %125 : tensor<8x4x2x128x128xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%124 init: %cst_23) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x1xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x128xf32>
    %129 = stablehlo.add %126, %128 : tensor<8x4x2x128x128xf32>
    %130 = stablehlo.multiply %129, %33 : tensor<8x4x2x128x128xf32>
    %131 = call @_where_1(%26#1, %130) : (tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_24 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %133 = stablehlo.divide %131, %132 : tensor<8x4x2x128x128xf32>
    %134 = stablehlo.transpose %133, dims = [0, 1, 4, 3, 2] : (tensor<8x4x2x128x128xf32>) -> tensor<8x4x128x128x2xf32>
    %135 = stablehlo.dot_general %134, %16, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128x2xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x128x2x64xf32>
    %136 = stablehlo.transpose %135, dims = [0, 2, 1, 3, 4] : (tensor<8x4x128x2x64xf32>) -> tensor<8x128x4x2x64xf32>
    %137 = stablehlo.dot_general %134, %19, batching_dims = [0, 1] x [0, 2], contracting_dims = [3, 4] x [1, 3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128x2xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x64xf32>
    %138 = stablehlo.transpose %137, dims = [0, 2, 1, 3] : (tensor<8x4x128x64xf32>) -> tensor<8x128x4x64xf32>
    %139 = stablehlo.reshape %136 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x8x64xf32>
    %140 = stablehlo.reshape %118 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %141 = stablehlo.dot_general %140, %12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x512xf32>) -> tensor<256x512xf32>
    %142 = stablehlo.transpose %141, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %143 = stablehlo.dot_general %140, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<512x256xf32>) -> tensor<8x128x512xf32>
    %144 = stablehlo.reshape %138 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %145 = stablehlo.dot_general %144, %12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x512xf32>) -> tensor<256x512xf32>
    %146 = stablehlo.transpose %145, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %147 = stablehlo.dot_general %144, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<512x256xf32>) -> tensor<8x128x512xf32>
    %148 = stablehlo.add %143, %147 : tensor<8x128x512xf32>
    %149 = stablehlo.reshape %139 : (tensor<8x128x8x64xf32>) -> tensor<8x128x512xf32>
    %150 = stablehlo.dot_general %149, %12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<8x128x512xf32>) -> tensor<512x512xf32>
    %151 = stablehlo.transpose %150, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %152 = stablehlo.dot_general %149, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x512xf32>) -> tensor<8x128x512xf32>
    %153 = stablehlo.add %148, %152 : tensor<8x128x512xf32>
    %154 = stablehlo.multiply %9, %153 : tensor<8x128x512xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.reduce(%154 init: %cst_25) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<512xf32>
    %156 = stablehlo.reshape %155 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.reduce(%156 init: %cst_26) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x512xf32>, tensor<f32>) -> tensor<512xf32>
    %cst_27 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2048x512xf32>
    %159 = stablehlo.multiply %158, %arg9 : tensor<2048x512xf32>
    %cst_28 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2048x512xf32>
    %161 = stablehlo.multiply %160, %78 : tensor<2048x512xf32>
    %162 = stablehlo.add %159, %161 : tensor<2048x512xf32>
    %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %164 = stablehlo.multiply %163, %arg10 : tensor<512x2048xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %166 = stablehlo.multiply %165, %87 : tensor<512x2048xf32>
    %167 = stablehlo.add %164, %166 : tensor<512x2048xf32>
    %cst_31 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %169 = stablehlo.multiply %168, %arg11 : tensor<512x256xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %171 = stablehlo.multiply %170, %146 : tensor<512x256xf32>
    %172 = stablehlo.add %169, %171 : tensor<512x256xf32>
    %cst_33 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %174 = stablehlo.multiply %173, %arg12 : tensor<512xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %176 = stablehlo.multiply %175, %157 : tensor<512xf32>
    %177 = stablehlo.add %174, %176 : tensor<512xf32>
    %cst_35 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %179 = stablehlo.multiply %178, %arg13 : tensor<512xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %181 = stablehlo.multiply %180, %95 : tensor<512xf32>
    %182 = stablehlo.add %179, %181 : tensor<512xf32>
    %cst_37 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %184 = stablehlo.multiply %183, %arg14 : tensor<512x512xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %186 = stablehlo.multiply %185, %112 : tensor<512x512xf32>
    %187 = stablehlo.add %184, %186 : tensor<512x512xf32>
    %cst_39 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %189 = stablehlo.multiply %188, %arg15 : tensor<512x512xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %191 = stablehlo.multiply %190, %151 : tensor<512x512xf32>
    %192 = stablehlo.add %189, %191 : tensor<512x512xf32>
    %cst_41 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %193 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %194 = stablehlo.multiply %193, %arg16 : tensor<512x2048xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %196 = stablehlo.multiply %195, %83 : tensor<512x2048xf32>
    %197 = stablehlo.add %194, %196 : tensor<512x2048xf32>
    %cst_43 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %199 = stablehlo.multiply %198, %arg17 : tensor<512x256xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %201 = stablehlo.multiply %200, %142 : tensor<512x256xf32>
    %202 = stablehlo.add %199, %201 : tensor<512x256xf32>
    %cst_45 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2048x512xf32>
    %204 = stablehlo.multiply %203, %arg18 : tensor<2048x512xf32>
    %cst_46 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %205 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<2048x512xf32>
    %206 = stablehlo.multiply %205, %78 : tensor<2048x512xf32>
    %207 = stablehlo.multiply %206, %78 : tensor<2048x512xf32>
    %208 = stablehlo.add %204, %207 : tensor<2048x512xf32>
    %cst_47 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %210 = stablehlo.multiply %209, %arg19 : tensor<512x2048xf32>
    %cst_48 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %212 = stablehlo.multiply %211, %87 : tensor<512x2048xf32>
    %213 = stablehlo.multiply %212, %87 : tensor<512x2048xf32>
    %214 = stablehlo.add %210, %213 : tensor<512x2048xf32>
    %cst_49 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %216 = stablehlo.multiply %215, %arg20 : tensor<512x256xf32>
    %cst_50 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %218 = stablehlo.multiply %217, %146 : tensor<512x256xf32>
    %219 = stablehlo.multiply %218, %146 : tensor<512x256xf32>
    %220 = stablehlo.add %216, %219 : tensor<512x256xf32>
    %cst_51 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %222 = stablehlo.multiply %221, %arg21 : tensor<512xf32>
    %cst_52 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %224 = stablehlo.multiply %223, %157 : tensor<512xf32>
    %225 = stablehlo.multiply %224, %157 : tensor<512xf32>
    %226 = stablehlo.add %222, %225 : tensor<512xf32>
    %cst_53 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %228 = stablehlo.multiply %227, %arg22 : tensor<512xf32>
    %cst_54 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %230 = stablehlo.multiply %229, %95 : tensor<512xf32>
    %231 = stablehlo.multiply %230, %95 : tensor<512xf32>
    %232 = stablehlo.add %228, %231 : tensor<512xf32>
    %cst_55 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %234 = stablehlo.multiply %233, %arg23 : tensor<512x512xf32>
    %cst_56 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %235 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %236 = stablehlo.multiply %235, %112 : tensor<512x512xf32>
    %237 = stablehlo.multiply %236, %112 : tensor<512x512xf32>
    %238 = stablehlo.add %234, %237 : tensor<512x512xf32>
    %cst_57 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %240 = stablehlo.multiply %239, %arg24 : tensor<512x512xf32>
    %cst_58 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %242 = stablehlo.multiply %241, %151 : tensor<512x512xf32>
    %243 = stablehlo.multiply %242, %151 : tensor<512x512xf32>
    %244 = stablehlo.add %240, %243 : tensor<512x512xf32>
    %cst_59 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %246 = stablehlo.multiply %245, %arg25 : tensor<512x2048xf32>
    %cst_60 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %247 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %248 = stablehlo.multiply %247, %83 : tensor<512x2048xf32>
    %249 = stablehlo.multiply %248, %83 : tensor<512x2048xf32>
    %250 = stablehlo.add %246, %249 : tensor<512x2048xf32>
    %cst_61 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %251 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %252 = stablehlo.multiply %251, %arg26 : tensor<512x256xf32>
    %cst_62 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %253 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %254 = stablehlo.multiply %253, %142 : tensor<512x256xf32>
    %255 = stablehlo.multiply %254, %142 : tensor<512x256xf32>
    %256 = stablehlo.add %252, %255 : tensor<512x256xf32>
    %cst_63 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %257 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<2048x512xf32>
    %258 = stablehlo.multiply %257, %162 : tensor<2048x512xf32>
    %259 = stablehlo.abs %208 : tensor<2048x512xf32>
    %260 = stablehlo.sqrt %259 : tensor<2048x512xf32>
    %cst_64 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<2048x512xf32>
    %262 = stablehlo.add %260, %261 : tensor<2048x512xf32>
    %263 = stablehlo.divide %258, %262 : tensor<2048x512xf32>
    %264 = stablehlo.subtract %arg0, %263 : tensor<2048x512xf32>
    %cst_65 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %265 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %266 = stablehlo.multiply %265, %167 : tensor<512x2048xf32>
    %267 = stablehlo.abs %214 : tensor<512x2048xf32>
    %268 = stablehlo.sqrt %267 : tensor<512x2048xf32>
    %cst_66 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %269 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %270 = stablehlo.add %268, %269 : tensor<512x2048xf32>
    %271 = stablehlo.divide %266, %270 : tensor<512x2048xf32>
    %272 = stablehlo.subtract %arg1, %271 : tensor<512x2048xf32>
    %cst_67 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %274 = stablehlo.multiply %273, %172 : tensor<512x256xf32>
    %275 = stablehlo.abs %220 : tensor<512x256xf32>
    %276 = stablehlo.sqrt %275 : tensor<512x256xf32>
    %cst_68 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %277 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %278 = stablehlo.add %276, %277 : tensor<512x256xf32>
    %279 = stablehlo.divide %274, %278 : tensor<512x256xf32>
    %280 = stablehlo.subtract %arg2, %279 : tensor<512x256xf32>
    %cst_69 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %281 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %282 = stablehlo.multiply %281, %177 : tensor<512xf32>
    %283 = stablehlo.abs %226 : tensor<512xf32>
    %284 = stablehlo.sqrt %283 : tensor<512xf32>
    %cst_70 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %285 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %286 = stablehlo.add %284, %285 : tensor<512xf32>
    %287 = stablehlo.divide %282, %286 : tensor<512xf32>
    %288 = stablehlo.subtract %arg3, %287 : tensor<512xf32>
    %cst_71 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %290 = stablehlo.multiply %289, %182 : tensor<512xf32>
    %291 = stablehlo.abs %232 : tensor<512xf32>
    %292 = stablehlo.sqrt %291 : tensor<512xf32>
    %cst_72 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %293 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %294 = stablehlo.add %292, %293 : tensor<512xf32>
    %295 = stablehlo.divide %290, %294 : tensor<512xf32>
    %296 = stablehlo.subtract %arg4, %295 : tensor<512xf32>
    %cst_73 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %297 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %298 = stablehlo.multiply %297, %187 : tensor<512x512xf32>
    %299 = stablehlo.abs %238 : tensor<512x512xf32>
    %300 = stablehlo.sqrt %299 : tensor<512x512xf32>
    %cst_74 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %301 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %302 = stablehlo.add %300, %301 : tensor<512x512xf32>
    %303 = stablehlo.divide %298, %302 : tensor<512x512xf32>
    %304 = stablehlo.subtract %arg5, %303 : tensor<512x512xf32>
    %cst_75 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %305 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %306 = stablehlo.multiply %305, %192 : tensor<512x512xf32>
    %307 = stablehlo.abs %244 : tensor<512x512xf32>
    %308 = stablehlo.sqrt %307 : tensor<512x512xf32>
    %cst_76 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<512x512xf32>
    %310 = stablehlo.add %308, %309 : tensor<512x512xf32>
    %311 = stablehlo.divide %306, %310 : tensor<512x512xf32>
    %312 = stablehlo.subtract %arg6, %311 : tensor<512x512xf32>
    %cst_77 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %313 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %314 = stablehlo.multiply %313, %197 : tensor<512x2048xf32>
    %315 = stablehlo.abs %250 : tensor<512x2048xf32>
    %316 = stablehlo.sqrt %315 : tensor<512x2048xf32>
    %cst_78 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %317 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<512x2048xf32>
    %318 = stablehlo.add %316, %317 : tensor<512x2048xf32>
    %319 = stablehlo.divide %314, %318 : tensor<512x2048xf32>
    %320 = stablehlo.subtract %arg7, %319 : tensor<512x2048xf32>
    %cst_79 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %321 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %322 = stablehlo.multiply %321, %202 : tensor<512x256xf32>
    %323 = stablehlo.abs %256 : tensor<512x256xf32>
    %324 = stablehlo.sqrt %323 : tensor<512x256xf32>
    %cst_80 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %326 = stablehlo.add %324, %325 : tensor<512x256xf32>
    %327 = stablehlo.divide %322, %326 : tensor<512x256xf32>
    %328 = stablehlo.subtract %arg8, %327 : tensor<512x256xf32>
    return %73, %264, %272, %280, %288, %296, %304, %312, %320, %328, %162, %167, %172, %177, %182, %187, %192, %197, %202, %208, %214, %220, %226, %232, %238, %244, %250, %256 : tensor<f32>, tensor<2048x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>, tensor<2048x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>, tensor<2048x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x2048xf32>, tensor<512x256xf32>
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
  func.func private @silu_0(%arg0: tensor<8x128x2048xf32>, %arg1: tensor<8x128x2048xf32>, %arg2: tensor<8x128x2048xf32>, %arg3: tensor<8x128x2048xf32>) -> tensor<8x128x2048xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<8x128x2048xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<8x128x2048xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<8x128x2048xf32>
    %3 = stablehlo.add %1, %2 : tensor<8x128x2048xf32>
    return %3 : tensor<8x128x2048xf32>
  }
  func.func private @_where_1(%arg0: tensor<8x4x2x128x128xi1>, %arg1: tensor<8x4x2x128x128xf32>) -> tensor<8x4x2x128x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>
    return %1 : tensor<8x4x2x128x128xf32>
  }
}
