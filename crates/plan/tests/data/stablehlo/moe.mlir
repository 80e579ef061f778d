module @jit_experts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x256x512xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x512x256xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<256x8xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<1024x256xf32>, %arg4: tensor<1024x256xf32>) -> (tensor<8x256x512xf32> {jax.result_info = "result['a']"}, tensor<8x512x256xf32> {jax.result_info = "result['b']"}, tensor<256x8xf32> {jax.result_info = "result['r']"}) {
    %0 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1024x256xf32>, tensor<256x8xf32>) -> tensor<1024x8xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x8xf32>, tensor<f32>) -> tensor<1024xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<1024xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x8xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<1024x8xf32>
    %7 = stablehlo.exponential %6 : tensor<1024x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<1024x8xf32>, tensor<f32>) -> tensor<1024xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x8xf32>
    %11 = stablehlo.divide %7, %10 : tensor<1024x8xf32>
    %12 = stablehlo.multiply %9, %9 : tensor<1024x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %14 = stablehlo.divide %13, %12 : tensor<1024x1xf32>
    %values, %indices = chlo.top_k(%11, k = 2) : tensor<1024x8xf32> -> (tensor<1024x2xf32>, tensor<1024x2xi32>)
    %15 = stablehlo.reshape %indices : (tensor<1024x2xi32>) -> tensor<1024x2x1xi32>
    %16 = call @_one_hot(%indices) : (tensor<1024x2xi32>) -> tensor<1024x2x8xf32>
    %17 = stablehlo.broadcast_in_dim %values, dims = [0, 1] : (tensor<1024x2xf32>) -> tensor<1024x2x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1024x2x1xf32>) -> tensor<1024x2x8xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<1024x2x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<1024x2x8xf32>, tensor<f32>) -> tensor<1024x8xf32>
    %21 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x256x512xf32>, tensor<1024x256xf32>) -> tensor<8x512x1024xf32>
    %22 = stablehlo.transpose %21, dims = [0, 2, 1] : (tensor<8x512x1024xf32>) -> tensor<8x1024x512xf32>
    %23 = stablehlo.multiply %22, %22 : tensor<8x1024x512xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<8x1024x512xf32>
    %25 = stablehlo.multiply %22, %22 : tensor<8x1024x512xf32>
    %cst_4 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x1024x512xf32>
    %27 = stablehlo.multiply %26, %25 : tensor<8x1024x512xf32>
    %cst_5 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x1024x512xf32>
    %29 = stablehlo.multiply %28, %24 : tensor<8x1024x512xf32>
    %30 = stablehlo.add %22, %29 : tensor<8x1024x512xf32>
    %cst_6 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x1024x512xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<8x1024x512xf32>
    %33 = stablehlo.tanh %32 : tensor<8x1024x512xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x1024x512xf32>
    %35 = stablehlo.subtract %34, %33 : tensor<8x1024x512xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x1024x512xf32>
    %37 = stablehlo.add %36, %33 : tensor<8x1024x512xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x1024x512xf32>
    %39 = stablehlo.multiply %38, %37 : tensor<8x1024x512xf32>
    %40 = stablehlo.multiply %22, %39 : tensor<8x1024x512xf32>
    %41 = stablehlo.dot_general %40, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x1024x512xf32>, tensor<8x512x256xf32>) -> tensor<8x1024x256xf32>
    %42 = stablehlo.dot_general %41, %20, batching_dims = [1] x [0], contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x1024x256xf32>, tensor<1024x8xf32>) -> tensor<1024x256xf32>
    %43 = stablehlo.subtract %42, %arg4 : tensor<1024x256xf32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %45 = stablehlo.multiply %44, %43 : tensor<1024x256xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_12 = stablehlo.constant dense<2.621440e+05> : tensor<f32>
    %46 = stablehlo.divide %cst_11, %cst_12 : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %48 = stablehlo.multiply %47, %45 : tensor<1024x256xf32>
    %49 = stablehlo.dot_general %48, %41, batching_dims = [0] x [1], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1024x256xf32>, tensor<8x1024x256xf32>) -> tensor<1024x8xf32>
    %50 = stablehlo.dot_general %48, %20, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<1024x256xf32>, tensor<1024x8xf32>) -> tensor<1024x256x8xf32>
    %51 = stablehlo.transpose %50, dims = [2, 0, 1] : (tensor<1024x256x8xf32>) -> tensor<8x1024x256xf32>
    %52 = stablehlo.dot_general %51, %40, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x1024x256xf32>, tensor<8x1024x512xf32>) -> tensor<8x256x512xf32>
    %53 = stablehlo.transpose %52, dims = [0, 2, 1] : (tensor<8x256x512xf32>) -> tensor<8x512x256xf32>
    %54 = stablehlo.dot_general %51, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x1024x256xf32>, tensor<8x512x256xf32>) -> tensor<8x1024x512xf32>
    %55 = stablehlo.multiply %22, %54 : tensor<8x1024x512xf32>
    %56 = stablehlo.multiply %54, %39 : tensor<8x1024x512xf32>
    %cst_13 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x1024x512xf32>
    %58 = stablehlo.multiply %57, %55 : tensor<8x1024x512xf32>
    %59 = stablehlo.multiply %58, %35 : tensor<8x1024x512xf32>
    %60 = stablehlo.multiply %59, %33 : tensor<8x1024x512xf32>
    %61 = stablehlo.add %59, %60 : tensor<8x1024x512xf32>
    %cst_14 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x1024x512xf32>
    %63 = stablehlo.multiply %62, %61 : tensor<8x1024x512xf32>
    %64 = stablehlo.add %56, %63 : tensor<8x1024x512xf32>
    %cst_15 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x1024x512xf32>
    %66 = stablehlo.multiply %65, %63 : tensor<8x1024x512xf32>
    %67 = stablehlo.multiply %66, %27 : tensor<8x1024x512xf32>
    %68 = stablehlo.add %64, %67 : tensor<8x1024x512xf32>
    %69 = stablehlo.transpose %68, dims = [0, 2, 1] : (tensor<8x1024x512xf32>) -> tensor<8x512x1024xf32>
    %70 = stablehlo.dot_general %69, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x512x1024xf32>, tensor<1024x256xf32>) -> tensor<8x512x256xf32>
    %71 = stablehlo.transpose %70, dims = [0, 2, 1] : (tensor<8x512x256xf32>) -> tensor<8x256x512xf32>
    %72 = stablehlo.broadcast_in_dim %49, dims = [0, 2] : (tensor<1024x8xf32>) -> tensor<1024x2x8xf32>
    %73 = stablehlo.multiply %16, %72 : tensor<1024x2x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<1024x2x8xf32>, tensor<f32>) -> tensor<1024x2xf32>
    %75 = stablehlo.reshape %74 : (tensor<1024x2xf32>) -> tensor<1024x2x1xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<1024x2x1xf32>, tensor<f32>) -> tensor<1024x2xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<1024x8xf32>
    %78 = "stablehlo.scatter"(%77, %15, %76) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %102 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %102 : tensor<f32>
    }) : (tensor<1024x8xf32>, tensor<1024x2x1xi32>, tensor<1024x2xf32>) -> tensor<1024x8xf32>
    %79 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x8xf32>
    %80 = stablehlo.multiply %78, %79 : tensor<1024x8xf32>
    %81 = stablehlo.multiply %80, %7 : tensor<1024x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_19) applies stablehlo.add across dimensions = [1] : (tensor<1024x8xf32>, tensor<f32>) -> tensor<1024xf32>
    %83 = stablehlo.reshape %82 : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %84 = stablehlo.negate %83 : tensor<1024x1xf32>
    %85 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x8xf32>
    %86 = stablehlo.divide %78, %85 : tensor<1024x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%84 init: %cst_20) applies stablehlo.add across dimensions = [1] : (tensor<1024x1xf32>, tensor<f32>) -> tensor<1024xf32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [0] : (tensor<1024xf32>) -> tensor<1024x8xf32>
    %89 = stablehlo.add %86, %88 : tensor<1024x8xf32>
    %90 = stablehlo.multiply %89, %7 : tensor<1024x8xf32>
    %91 = stablehlo.dot_general %90, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1024x8xf32>, tensor<1024x256xf32>) -> tensor<8x256xf32>
    %92 = stablehlo.transpose %91, dims = [1, 0] : (tensor<8x256xf32>) -> tensor<256x8xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x256x512xf32>
    %94 = stablehlo.multiply %93, %71 : tensor<8x256x512xf32>
    %95 = stablehlo.subtract %arg0, %94 : tensor<8x256x512xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x512x256xf32>
    %97 = stablehlo.multiply %96, %53 : tensor<8x512x256xf32>
    %98 = stablehlo.subtract %arg1, %97 : tensor<8x512x256xf32>
    %cst_23 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<256x8xf32>
    %100 = stablehlo.multiply %99, %92 : tensor<256x8xf32>
    %101 = stablehlo.subtract %arg2, %100 : tensor<256x8xf32>
    return %95, %98, %101 : tensor<8x256x512xf32>, tensor<8x512x256xf32>, tensor<256x8xf32>
  }
  func.func private @_one_hot(%arg0: tensor<1024x2xi32>) -> tensor<1024x2x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1024x2xi32>) -> tensor<1024x2x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x8xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1024x2x1xi32>) -> tensor<1024x2x8xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x8xi32>) -> tensor<1024x2x8xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<1024x2x8xi32>, tensor<1024x2x8xi32>) -> tensor<1024x2x8xi1>
    %5 = stablehlo.convert %4 : (tensor<1024x2x8xi1>) -> tensor<1024x2x8xf32>
    return %5 : tensor<1024x2x8xf32>
  }
}
