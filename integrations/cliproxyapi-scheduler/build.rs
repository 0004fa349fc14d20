//! Link options of the library.

fn main() {
    // The host unloads a plugin right after `shutdown`. A thread that waits for a name server can outlive that by
    // seconds, so its code has to stay mapped.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
