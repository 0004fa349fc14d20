//! The C interface. Nothing unwinds out of here, and no pick is answered with an error.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::{Arc, PoisonError, RwLock};

use crate::plugin::{HostCall, IDLE_AFTER, Plugin};

const ABI_VERSION: u32 = 1;
const FALLBACK: &[u8] = br#"{"ok":true,"result":{"Handled":false}}"#;

/// Bytes that one side allocated and gets back.
#[repr(C)]
pub struct Buffer {
    pub ptr: *mut c_void,
    pub len: usize,
}

pub type HostCallFn = unsafe extern "C" fn(*mut c_void, *const c_char, *const u8, usize, *mut Buffer) -> c_int;
pub type PluginCallFn = unsafe extern "C" fn(*const c_char, *const u8, usize, *mut Buffer) -> c_int;
pub type FreeFn = unsafe extern "C" fn(*mut c_void, usize);

/// Functions of the host; freed by it right after `shutdown`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostApi {
    pub abi_version: u32,
    pub host_ctx: *mut c_void,
    pub call: Option<HostCallFn>,
    pub free_buffer: Option<FreeFn>,
}

/// Functions of this plugin.
#[repr(C)]
pub struct PluginApi {
    pub abi_version: u32,
    pub call: Option<PluginCallFn>,
    pub free_buffer: Option<FreeFn>,
    pub shutdown: Option<unsafe extern "C" fn()>,
}

// SAFETY: the host takes calls from any thread.
unsafe impl Send for HostApi {}

/// The plugin between `cliproxy_plugin_init` and `shutdown`.
static PLUGIN: RwLock<Option<Arc<Plugin>>> = RwLock::new(None);

/// Hands the functions of this plugin over; 0 if both sides speak the same version.
///
/// # Safety
/// Each pointer is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cliproxy_plugin_init(host: *const HostApi, plugin: *mut PluginApi) -> c_int {
    guarded(1, || {
        // A message of a panic may quote what was being read, and stderr is the proxy's log.
        std::panic::set_hook(Box::new(|_| {}));
        // SAFETY: the caller's promise.
        let (Some(host), Some(plugin)) = (unsafe { host.as_ref() }, unsafe { plugin.as_mut() }) else { return 1 };
        if host.abi_version != ABI_VERSION {
            return 2;
        }
        replace(Some(Plugin::new(host_call(*host), IDLE_AFTER)));
        *plugin = PluginApi { abi_version: ABI_VERSION, call: Some(call), free_buffer: Some(free_buffer), shutdown: Some(shutdown) };
        0
    })
}

unsafe extern "C" fn call(method: *const c_char, request: *const u8, length: usize, out: *mut Buffer) -> c_int {
    let answer = || {
        // SAFETY: the host hands over a C string and `length` bytes, valid during this call.
        let method = if method.is_null() { c"" } else { unsafe { CStr::from_ptr(method) } };
        let request = if request.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(request, length) } };
        let plugin = PLUGIN.read().unwrap_or_else(PoisonError::into_inner).clone();
        plugin.map_or_else(|| FALLBACK.to_vec(), |plugin| plugin.call(method.to_str().unwrap_or_default(), request))
    };
    // If it comes to a panic, the proxy decides.
    let bytes = Box::leak(guarded(FALLBACK.to_vec(), answer).into_boxed_slice());
    // SAFETY: `out` is null or valid.
    if let Some(out) = unsafe { out.as_mut() } {
        *out = Buffer { ptr: bytes.as_mut_ptr().cast(), len: bytes.len() };
    }
    0
}

unsafe extern "C" fn free_buffer(buffer: *mut c_void, length: usize) {
    if !buffer.is_null() {
        // SAFETY: the host gives back a buffer of `call` with its length.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(buffer.cast::<u8>(), length)) });
    }
}

unsafe extern "C" fn shutdown() {
    guarded((), || replace(None));
}

/// The outcome, or the fallback where it comes to a panic.
pub fn guarded<T>(fallback: T, act: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or(fallback)
}

fn replace(next: Option<Arc<Plugin>>) {
    let before = std::mem::replace(&mut *PLUGIN.write().unwrap_or_else(PoisonError::into_inner), next);
    before.iter().for_each(|plugin| plugin.shut_down());
}

fn host_call(host: HostApi) -> HostCall {
    Box::new(move |method, request| {
        // Taken whole, for the closure is sent to another thread.
        let HostApi { host_ctx, call, free_buffer, .. } = { host };
        let (Some(call), Ok(method)) = (call, CString::new(method)) else { return };
        let mut out = Buffer { ptr: ptr::null_mut(), len: 0 };
        // SAFETY: the host's functions are valid until `shutdown` returns, and this closure is dropped before that.
        unsafe { call(host_ctx, method.as_ptr(), request.as_ptr(), request.len(), &raw mut out) };
        if let Some(free) = free_buffer.filter(|_| !out.ptr.is_null()) {
            // SAFETY: the buffer is the host's, given back once.
            unsafe { free(out.ptr, out.len) };
        }
    })
}
