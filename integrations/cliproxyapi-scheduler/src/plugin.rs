//! One loaded plugin: its configuration, its thread, and the way into the host.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::scheduler::Scheduler;
use crate::watch::watch;
use crate::wire;

/// Time without a pick after which the monitor is not asked any more: nobody tells a copy that it was replaced or switched off.
pub const IDLE_AFTER: Duration = Duration::from_secs(5 * 60);
/// Longest wait for the thread at the end.
const END_WITHIN: Duration = Duration::from_secs(1);

/// Sends a method and its request to the host.
pub type HostCall = Box<dyn Fn(&str, &[u8]) + Send>;

/// A plugin between `cliproxy_plugin_init` and `shutdown`.
pub struct Plugin {
    pub scheduler: Scheduler,
    /// `None` after `shutdown`.
    host: Mutex<Option<HostCall>>,
    control: Mutex<Control>,
    changed: Condvar,
    idle_after: Duration,
    started: Instant,
    /// Milliseconds from `started` to the last pick or change of the configuration.
    asked_ms: AtomicU64,
    /// The thread waits for a pick.
    parked: AtomicBool,
}

#[derive(Default)]
struct Control {
    /// The configuration as it came last; `None` before the first one.
    yaml: Option<String>,
    /// Counts configurations.
    generation: u64,
    stopping: bool,
    ended: bool,
    thread: Option<JoinHandle<()>>,
}

/// Next thing for the thread to do.
pub enum Next {
    /// Ask by this configuration.
    Ask {
        yaml: String,
        generation: u64,
    },
    /// Say that nobody asks here, and come back to wait for the next pick.
    Idle,
    End,
}

impl Plugin {
    /// A plugin without a thread, which its first configuration starts.
    pub fn new(host: HostCall, idle_after: Duration) -> Arc<Self> {
        Arc::new(Self {
            scheduler: Scheduler::default(),
            host: Mutex::new(Some(host)),
            control: Mutex::default(),
            changed: Condvar::new(),
            idle_after,
            started: Instant::now(),
            asked_ms: AtomicU64::new(0),
            parked: AtomicBool::new(false),
        })
    }

    /// Answers a call of the host.
    pub fn call(self: &Arc<Self>, method: &str, request: &[u8]) -> Vec<u8> {
        match method {
            "scheduler.pick" => {
                self.note_asked();
                self.scheduler.pick(request, Instant::now())
            }
            "usage.handle" => {
                self.scheduler.note_attempt(request, Instant::now());
                wire::noted()
            }
            "plugin.register" | "plugin.reconfigure" => {
                self.configure(wire::configuration_in(request).unwrap_or_default());
                wire::registration()
            }
            _ => wire::unknown_method(),
        }
    }

    /// Takes a configuration over. The same one again changes nothing: it comes with every change of an auth file.
    fn configure(self: &Arc<Self>, yaml: String) {
        let mut control = self.control();
        if control.yaml.as_ref() == Some(&yaml) || control.stopping {
            return;
        }
        control.yaml = Some(yaml);
        control.generation += 1;
        self.asked_ms.store(self.now_ms(), SeqCst);
        self.changed.notify_all();
        if control.thread.is_none() {
            let plugin = Arc::clone(self);
            control.thread = Builder::new().name("quota-scheduler".to_owned()).spawn(move || plugin.run()).ok();
        }
    }

    fn run(&self) {
        // Without its thread a plugin leaves every pick to the proxy once its ranking is too old.
        let _ = catch_unwind(AssertUnwindSafe(|| watch(self)));
        self.control().ended = true;
        self.changed.notify_all();
    }

    /// Waits until the monitor is to be asked: `delay` after the last time, or at once after a change.
    pub fn next(&self, delay: Duration, last_generation: u64) -> Next {
        let until = Instant::now() + delay;
        let mut control = self.control();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let since_asked = Duration::from_millis(self.now_ms().saturating_sub(self.asked_ms.load(SeqCst)));
            let is_idle = since_asked >= self.idle_after;
            if control.stopping {
                return Next::End;
            }
            // After the flag is up the time is looked at again, for a pick may have come before that.
            if is_idle && !self.parked.swap(true, SeqCst) {
                return Next::Idle;
            }
            if !is_idle {
                self.parked.store(false, SeqCst);
                if left.is_zero() || control.generation != last_generation {
                    return Next::Ask { yaml: control.yaml.clone().unwrap_or_default(), generation: control.generation };
                }
            }
            let pause = if is_idle { self.idle_after } else { left };
            control = self.changed.wait_timeout(control, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Acts unless the configuration has changed since `generation` or the end has come; true if it acted.
    pub fn if_current(&self, generation: u64, act: impl FnOnce()) -> bool {
        let control = self.control();
        let is_current = control.generation == generation && !control.stopping;
        is_current.then(act).is_some()
    }

    /// Writes a line to the host's log. It never holds anything of a request, nor of an answer.
    pub fn log(&self, level: &str, message: &str) {
        let request = json!({ "level": level, "message": format!("quota-scheduler: {message}") }).to_string();
        if let Some(host) = self.host.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            host("host.log", request.as_bytes());
        }
    }

    /// Ends the thread within a second. The host is not called any more when this returns.
    pub fn shut_down(&self) {
        let mut control = self.control();
        control.stopping = true;
        self.changed.notify_all();
        let goes_on = |control: &mut Control| control.thread.is_some() && !control.ended;
        control = self.changed.wait_timeout_while(control, END_WITHIN, goes_on).unwrap_or_else(PoisonError::into_inner).0;
        let thread = control.thread.take().filter(|_| control.ended);
        drop(control);
        let _ = thread.map(JoinHandle::join);
        self.host.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn note_asked(&self) {
        self.asked_ms.store(self.now_ms(), SeqCst);
        if self.parked.load(SeqCst) {
            // With the lock the thread is in its wait, or has not looked at the time yet. It is held for a few instructions.
            drop(self.control());
            self.changed.notify_all();
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn control(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
