//! Scheduler plugin of CLIProxyAPI: the proxy routes by the ranking of svc-quota-monitor.
//!
//! `abi` meets the proxy, `watch` asks the monitor in a thread of its own, `scheduler` answers picks from what is in memory.

pub mod abi;
pub mod choice;
pub mod http;
pub mod memory;
pub mod plugin;
pub mod ranking;
pub mod scheduler;
pub mod settings;
pub mod watch;
pub mod wire;
