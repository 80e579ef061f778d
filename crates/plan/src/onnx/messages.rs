//! The messages of ONNX files, without the fields that nothing here needs; those are skipped.

use prost::Message;
use prost::bytes::Bytes;

#[derive(Message, Clone)]
pub(super) struct Model {
    #[prost(message, optional, tag = "7")]
    pub(super) graph: Option<GraphMessage>,
    #[prost(message, repeated, tag = "8")]
    pub(super) opsets: Vec<Opset>,
    #[prost(message, repeated, tag = "25")]
    pub(super) functions: Vec<Function>,
}

#[derive(Message, Clone)]
pub(super) struct Opset {
    #[prost(string, tag = "1")]
    pub(super) domain: String,
    #[prost(int64, tag = "2")]
    pub(super) version: i64,
}

/// A function of the model, which nodes call like an operator.
#[derive(Message, Clone)]
pub(super) struct Function {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, repeated, tag = "4")]
    pub(super) inputs: Vec<String>,
    #[prost(string, repeated, tag = "5")]
    pub(super) outputs: Vec<String>,
    #[prost(message, repeated, tag = "7")]
    pub(super) nodes: Vec<NodeMessage>,
    #[prost(string, tag = "10")]
    pub(super) domain: String,
    /// The values of attributes that a call may leave out.
    #[prost(message, repeated, tag = "11")]
    pub(super) defaults: Vec<Attribute>,
    /// Functions of one name differ in this word, which a call repeats.
    #[prost(string, tag = "13")]
    pub(super) overload: String,
}

#[derive(Message, Clone)]
pub(super) struct GraphMessage {
    #[prost(message, repeated, tag = "1")]
    pub(super) nodes: Vec<NodeMessage>,
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) initializers: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub(super) inputs: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub(super) outputs: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "13")]
    pub(super) values: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "15")]
    pub(super) sparse: Vec<Sparse>,
}

#[derive(Message, Clone)]
pub(super) struct NodeMessage {
    #[prost(string, repeated, tag = "1")]
    pub(super) inputs: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(super) outputs: Vec<String>,
    #[prost(string, tag = "3")]
    pub(super) name: String,
    #[prost(string, tag = "4")]
    pub(super) kind: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) attributes: Vec<Attribute>,
    #[prost(string, tag = "7")]
    pub(super) domain: String,
    #[prost(string, tag = "8")]
    pub(super) overload: String,
}

#[derive(Message, Clone)]
pub(super) struct Attribute {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(float, optional, tag = "2")]
    pub(super) float: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub(super) int: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub(super) string: Option<Vec<u8>>,
    #[prost(message, optional, tag = "5")]
    pub(super) tensor: Option<Tensor>,
    #[prost(message, optional, tag = "6")]
    pub(super) graph: Option<GraphMessage>,
    #[prost(float, repeated, tag = "7")]
    pub(super) floats: Vec<f32>,
    #[prost(int64, repeated, tag = "8")]
    pub(super) ints: Vec<i64>,
    #[prost(message, repeated, tag = "11")]
    pub(super) graphs: Vec<GraphMessage>,
    /// The attribute of the function around the node that has the value.
    #[prost(string, tag = "21")]
    pub(super) of_function: String,
}

#[derive(Message, Clone)]
pub(super) struct Tensor {
    #[prost(int64, repeated, tag = "1")]
    pub(super) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(super) element: i32,
    #[prost(float, repeated, tag = "4")]
    pub(super) floats: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    pub(super) ints: Vec<i32>,
    #[prost(int64, repeated, tag = "7")]
    pub(super) longs: Vec<i64>,
    #[prost(string, tag = "8")]
    pub(super) name: String,
    #[prost(bytes = "bytes", optional, tag = "9")]
    pub(super) raw: Option<Bytes>,
    #[prost(double, repeated, tag = "10")]
    pub(super) doubles: Vec<f64>,
    #[prost(uint64, repeated, tag = "11")]
    pub(super) unsigned: Vec<u64>,
    #[prost(message, repeated, tag = "13")]
    pub(super) external: Vec<Entry>,
    #[prost(int32, tag = "14")]
    pub(super) location: i32,
}

/// A tensor that lists the elements other than zero.
#[derive(Message, Clone)]
pub(super) struct Sparse {
    #[prost(message, optional, tag = "1")]
    pub(super) values: Option<Tensor>,
    #[prost(int64, repeated, tag = "3")]
    pub(super) dims: Vec<i64>,
}

#[derive(Message, Clone)]
pub(super) struct Entry {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}

#[derive(Message, Clone)]
pub(super) struct ValueInfo {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) kind: Option<TypeMessage>,
}

#[derive(Message, Clone)]
pub(super) struct TypeMessage {
    #[prost(message, optional, tag = "1")]
    pub(super) tensor: Option<TensorType>,
}

#[derive(Message, Clone)]
pub(super) struct TensorType {
    #[prost(int32, tag = "1")]
    pub(super) element: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) shape: Option<ShapeMessage>,
}

#[derive(Message, Clone)]
pub(super) struct ShapeMessage {
    #[prost(message, repeated, tag = "1")]
    pub(super) dims: Vec<Dimension>,
}

#[derive(Message, Clone)]
pub(super) struct Dimension {
    #[prost(int64, optional, tag = "1")]
    pub(super) extent: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
}
