"""A training step of a transformer block as ONNX: forward, backward and update.

    python make_training_block.py ROWS WIDTH HEADS HIDDEN training_block.onnx
"""
import sys
import numpy as np, onnx
from onnx import helper as h, TensorProto as T, numpy_helper as nh, shape_inference
S,D,H,F=map(int,sys.argv[1:5]); d=D//H
nodes=[]; init=[]; k=0
def const(name,a): init.append(nh.from_array(np.asarray(a),name)); return name
def op(t,*ins,out=None,**kw):
    global k; k+=1; o=out or f"{t.lower()}_{k}"; nodes.append(h.make_node(t,list(ins),[o],name=f"{t}_{k}",**kw)); return o
const("split",np.array([S,H,d])); const("joined",np.array([S,D])); const("root",np.float32(d**0.5)); const("zero",np.float32(0))
const("rate",np.float32(0.01)); const("scale",np.float32(2/(S*D))); const("last",np.array([-1]))
mm=lambda a,b,ta=0,tb=0: op("Gemm",a,b,transA=ta,transB=tb)
heads=lambda x: op("Transpose",op("Reshape",x,"split"),perm=[1,0,2])
back=lambda x: op("Reshape",op("Transpose",x,perm=[1,0,2]),"joined")
t=lambda x: op("Transpose",x,perm=[0,2,1])
q,kk,v=[heads(mm("x",w)) for w in ("wq","wk","wv")]
a=op("Softmax",op("Div",op("MatMul",q,t(kk)),"root"),axis=-1)
c=back(op("MatMul",a,v)); z1=op("Add","x",mm(c,"wo"))
u=mm(z1,"w1"); r=op("Relu",u); z2=op("Add",z1,mm(r,"w2"))
dz2=op("Mul",op("Sub",z2,"y"),"scale")
g={}
g["w2"]=mm(r,dz2,1,0); dr=mm(dz2,"w2",0,1); du=op("Where",op("Greater",u,"zero"),dr,"zero")
g["w1"]=mm(z1,du,1,0); dz1=op("Add",dz2,mm(du,"w1",0,1))
g["wo"]=mm(c,dz1,1,0); do=heads(mm(dz1,"wo",0,1))
da=op("MatMul",do,t(v)); dv=op("MatMul",t(a),do)
rows=op("ReduceSum",op("Mul",da,a),"last",keepdims=1)
ds=op("Div",op("Mul",a,op("Sub",da,rows)),"root")
dq,dk=op("MatMul",ds,kk),op("MatMul",t(ds),q)
for w,dx in (("wq",dq),("wk",dk),("wv",dv)): g[w]=mm("x",back(dx),1,0)
for w,dw in g.items(): op("Sub",w,op("Mul",dw,"rate"),out="new_"+w)
shape=dict(wq=[D,D],wk=[D,D],wv=[D,D],wo=[D,D],w1=[D,F],w2=[F,D])
val=lambda n,s: h.make_tensor_value_info(n,T.FLOAT,s)
m=h.make_model(h.make_graph(nodes,"train",[val("x",[S,D]),val("y",[S,D])]+[val(n,s) for n,s in shape.items()],[val("new_"+n,s) for n,s in shape.items()],init),opset_imports=[h.make_opsetid("",17)])
m.ir_version=8; m=shape_inference.infer_shapes(m,strict_mode=True,data_prop=True); onnx.checker.check_model(m); onnx.save(m,sys.argv[5]); print(len(nodes))
