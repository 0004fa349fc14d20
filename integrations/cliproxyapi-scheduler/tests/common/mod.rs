//! Stand-ins for both neighbours of the plugin: the monitor, and the proxy's side of the interface.
#![allow(dead_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quota_scheduler::abi::{Buffer, HostApi, PluginApi, cliproxy_plugin_init};
use serde_json::{Value, json};

pub const CLIENT_KEY: &str = "canary-client-key-4f1d";
pub const EMAIL: &str = "canary@mail.example";
pub const SESSION: &str = "canary-session-77aa";

/// Answer of the stand-in monitor.
#[derive(Clone)]
pub enum Behaviour {
    /// A ranking of these accounts: name, score, routable.
    Ranks(Vec<(String, i64, bool)>),
    /// The same, of a monitor that knows no `provider=all`.
    RanksCodexAlone(Vec<(String, i64, bool)>),
    /// Bytes instead of an answer.
    Raw(Vec<u8>),
    /// A head that promises 500 MB, and bytes for as long as somebody reads.
    Endless,
    Hangs,
}

/// A monitor on a port of its own. Dropped, it is gone as if it were killed.
pub struct Monitor {
    pub port: u16,
    behaviour: Arc<Mutex<Behaviour>>,
    pub requests: Arc<Mutex<Vec<String>>>,
    pub not_modified: Arc<AtomicUsize>,
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Monitor {
    pub fn start(behaviour: Behaviour) -> Self {
        Self::start_at(0, behaviour)
    }

    pub fn start_at(port: u16, behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let behaviour = Arc::new(Mutex::new(behaviour));
        let (requests, not_modified, stops) =
            (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let thread = thread::spawn({
            let (behaviour, requests, not_modified, stops) = (behaviour.clone(), requests.clone(), not_modified.clone(), stops.clone());
            move || {
                for stream in listener.incoming().flatten() {
                    if stops.load(Ordering::SeqCst) {
                        return;
                    }
                    let (behaviour, requests, not_modified, stops) =
                        (behaviour.lock().expect("behaviour").clone(), requests.clone(), not_modified.clone(), stops.clone());
                    thread::spawn(move || answer(stream, &behaviour, &requests, &not_modified, &stops));
                }
            }
        });
        Self { port, behaviour, requests, not_modified, stops, thread: Some(thread) }
    }

    pub fn becomes(&self, behaviour: Behaviour) {
        *self.behaviour.lock().expect("behaviour") = behaviour;
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn request_count(&self) -> usize {
        self.requests.lock().expect("requests").len()
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn answer(mut stream: TcpStream, behaviour: &Behaviour, requests: &Mutex<Vec<String>>, not_modified: &AtomicUsize, stops: &AtomicBool) {
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut piece) {
            Ok(length) if length > 0 => head.extend_from_slice(&piece[..length]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    requests.lock().expect("requests").push(head.clone());
    let written = match behaviour {
        Behaviour::RanksCodexAlone(_) if head.contains("provider=all") => stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n{}"),
        Behaviour::Ranks(accounts) | Behaviour::RanksCodexAlone(accounts) => {
            let body = ranking_json(accounts).to_string();
            let etag =
                format!("\"{}-{}\"", body.len(), accounts.iter().map(|(_, score, _)| score.to_string()).collect::<Vec<_>>().join("."));
            if head.contains(&format!("If-None-Match: {etag}\r\n")) {
                not_modified.fetch_add(1, Ordering::SeqCst);
                stream.write_all(format!("HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n").as_bytes())
            } else {
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: {etag}\r\nContent-Length: {}\r\n\r\n", body.len());
                stream.write_all((head + &body).as_bytes())
            }
        }
        Behaviour::Raw(bytes) => stream.write_all(bytes),
        Behaviour::Endless => {
            let piece = vec![b' '; 1 << 20];
            let head = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 524288000\r\n\r\n");
            head.and_then(|()| (0..500).try_for_each(|_| stream.write_all(&piece)))
        }
        Behaviour::Hangs => {
            while !stops.load(Ordering::SeqCst) && !matches!(stream.read(&mut piece), Ok(0)) {}
            Ok(())
        }
    };
    drop(written);
}

/// An answer of `/api/v1/recommendations`, with fields that nobody reads.
pub fn ranking_json(accounts: &[(String, i64, bool)]) -> Value {
    let item = |(name, score, routable): &(String, i64, bool)| {
        let window = json!({ "id": "5h", "state": "known", "percent": 40, "sampledAt": "2026-11-20T11:59:57.000Z" });
        json!({ "selector": { "authName": name, "authIndex": "ae2b", "accountKey": "1b2d" }, "title": EMAIL, "provider": "codex",
            "routingScore": score, "routingEligible": routable, "quotaWindows": [window] })
    };
    let source = json!({ "kind": "live", "text": "Live", "gatewayOk": true });
    json!({ "contractVersion": "1.1", "source": source, "items": accounts.iter().map(item).collect::<Vec<_>>() })
}

/// Name of the auth file with this number.
pub fn auth_name(number: usize) -> String {
    format!("codex-{number:08x}-{EMAIL}-pro.json")
}

/// Accounts with scores from 90 down, all routable.
pub fn accounts(count: usize) -> Vec<(String, i64, bool)> {
    (0..count).map(|number| (auth_name(number), 90 - i64::try_from(number).expect("a small number"), true)).collect()
}

/// A request of the proxy for a pick, in the recorded form.
pub fn pick_request(session: Option<&str>, names: &[String]) -> Value {
    let candidate = |name: &String| {
        let path = format!("/auths/{name}");
        let attributes = json!({ "auth_kind": "oauth", "path": path, "plan_type": "pro", "source": path, "source_backend": "file" });
        json!({ "ID": name, "Provider": "codex", "Priority": 0, "Status": "active", "Attributes": attributes, "Metadata": null })
    };
    let mut headers =
        json!({ "Authorization": [format!("Bearer {CLIENT_KEY}")], "X-Api-Key": [CLIENT_KEY], "User-Agent": ["codex_cli_rs/0.145.0"] });
    if let Some(session) = session {
        headers["Session_id"] = json!([session]);
    }
    let metadata = json!({ "generate": true, "request_path": "/v1/responses", "requested_model": "gpt-5.5", "service_tier": "auto" });
    json!({ "Plugin": { "Name": "quota-scheduler" }, "Provider": "", "Providers": ["codex"], "Model": "gpt-5.5", "Stream": false,
        "Options": { "Headers": headers, "Metadata": metadata }, "Candidates": names.iter().map(candidate).collect::<Vec<_>>() })
}

/// A report of the proxy that an attempt failed, in the recorded form.
pub fn attempt(name: &str, status: i64) -> Value {
    json!({ "Provider": "codex", "APIKey": CLIENT_KEY, "AuthID": name, "Source": EMAIL, "Failed": status != 0, "Latency": 2_789_842,
        "Failure": { "StatusCode": status, "Body": "{\"error\":{\"type\":\"usage_limit_reached\"}}" },
        "ResponseHeaders": { "Set-Cookie": [CLIENT_KEY] } })
}

/// A configuration as the proxy hands it over.
pub fn lifecycle(yaml: &str) -> Value {
    json!({ "config_yaml": base64(yaml.as_bytes()), "schema_version": 3 })
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |chunk: &[u8]| {
        let bits = (0..3).fold(0_usize, |bits, place| (bits << 8) | usize::from(chunk.get(place).copied().unwrap_or(0)));
        (0..4).map(|place| if place <= chunk.len() { DIGITS[(bits >> (18 - 6 * place)) & 63] as char } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// What the proxy does after a pick.
#[derive(Clone, Debug, PartialEq)]
pub enum Served {
    /// By the account of the plugin.
    Picked(String),
    /// By its own strategy, here round-robin.
    BuiltIn(String),
    /// The request fails with 500.
    Failed,
}

static LOGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The proxy's side: it loads the plugin, asks it before every attempt, and treats its answers as the proxy does.
pub struct Proxy {
    api: PluginApi,
    turn: usize,
}

impl Proxy {
    /// Loads the plugin and registers it with this configuration.
    pub fn load(yaml: &str) -> Self {
        LOGS.lock().expect("logs").clear();
        let host = HostApi { abi_version: 1, host_ctx: ptr::null_mut(), call: Some(host_call), free_buffer: Some(host_free) };
        let mut api = PluginApi { abi_version: 0, call: None, free_buffer: None, shutdown: None };
        // SAFETY: both tables are valid during the call.
        assert_eq!(unsafe { cliproxy_plugin_init(&raw const host, &raw mut api) }, 0);
        // In this process the plugin shares its silence about panics with the tests.
        drop(std::panic::take_hook());
        assert_eq!(api.abi_version, 1);
        let proxy = Self { api, turn: 0 };
        let registered = proxy.lifecycle("plugin.register", yaml);
        assert_eq!(registered["result"]["capabilities"], json!({ "scheduler": true, "usage_plugin": true }));
        for name in ["Name", "Version", "Author", "GitHubRepository"] {
            assert!(!registered["result"]["metadata"][name].as_str().expect(name).is_empty());
        }
        // The proxy does so two milliseconds later.
        proxy.lifecycle("plugin.reconfigure", yaml);
        proxy
    }

    pub fn lifecycle(&self, method: &str, yaml: &str) -> Value {
        serde_json::from_slice(&self.call(method, lifecycle(yaml).to_string().as_bytes())).expect("an envelope")
    }

    pub fn call(&self, method: &str, request: &[u8]) -> Vec<u8> {
        let method = CString::new(method).expect("a method");
        let mut out = Buffer { ptr: ptr::null_mut(), len: 0 };
        // SAFETY: as the interface says, and the buffer is given back once.
        unsafe {
            self.api.call.expect("call")(method.as_ptr(), request.as_ptr(), request.len(), &raw mut out);
            let answer = std::slice::from_raw_parts(out.ptr.cast::<u8>(), out.len).to_vec();
            self.api.free_buffer.expect("free_buffer")(out.ptr, out.len);
            answer
        }
    }

    /// Serves one attempt among these accounts.
    pub fn serve(&mut self, session: Option<&str>, names: &[String]) -> Served {
        self.serve_request(pick_request(session, names).to_string().as_bytes(), names)
    }

    pub fn serve_request(&mut self, request: &[u8], names: &[String]) -> Served {
        let Ok(envelope) = serde_json::from_slice::<Value>(&self.call("scheduler.pick", request)) else { return Served::Failed };
        if envelope["ok"] != json!(true) {
            return Served::Failed;
        }
        let picked = envelope["result"]["AuthID"].as_str().filter(|_| envelope["result"]["Handled"] == json!(true));
        match picked.filter(|id| names.iter().any(|name| name == id)) {
            Some(id) => Served::Picked(id.to_owned()),
            None => {
                self.turn += 1;
                Served::BuiltIn(names[(self.turn - 1) % names.len()].clone())
            }
        }
    }

    pub fn logs(&self) -> Vec<String> {
        LOGS.lock().expect("logs").clone()
    }

    pub fn shut_down(&self) -> Duration {
        let started = Instant::now();
        // SAFETY: the plugin is loaded.
        unsafe { self.api.shutdown.expect("shutdown")() };
        started.elapsed()
    }
}

unsafe extern "C" fn host_call(_: *mut c_void, method: *const c_char, request: *const u8, length: usize, out: *mut Buffer) -> c_int {
    // SAFETY: the plugin keeps to the interface.
    let (method, request) = unsafe { (CStr::from_ptr(method), std::slice::from_raw_parts(request, length)) };
    LOGS.lock().expect("logs").push(format!("{} {}", method.to_string_lossy(), String::from_utf8_lossy(request)));
    let answer = Box::leak(br#"{"ok":true,"result":{}}"#.to_vec().into_boxed_slice());
    unsafe { *out = Buffer { ptr: answer.as_mut_ptr().cast(), len: answer.len() } };
    0
}

unsafe extern "C" fn host_free(buffer: *mut c_void, length: usize) {
    drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(buffer.cast::<u8>(), length)) });
}

/// Waits until something holds, for so long at most; whether it does.
pub fn eventually(within: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + within;
    while Instant::now() < until {
        if holds() {
            return true;
        }
        thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Random numbers of a seed (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).expect("a limit")).expect("a small number")
    }
}
