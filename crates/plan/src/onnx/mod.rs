//! ONNX models.
