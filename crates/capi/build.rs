//! The shared library exports the functions of this package and no others, and has a name of its own.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // Programs look for this name. It has no version: that is part of every symbol.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtensor_layout_c.so");
        // The runtime of diplomat has functions for C too, which the headers do not use.
        println!("cargo::rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    }
}
