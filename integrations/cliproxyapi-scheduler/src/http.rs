//! One GET, bounded in time and size, that follows no redirect and can be stopped at any time.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use crate::settings::Settings;

/// Time for a whole exchange.
const EXCHANGE: Duration = Duration::from_secs(2);
/// Longest wait for one address of a name: below the second in which the thread has to end.
const CONNECT: Duration = Duration::from_millis(800);
/// Time after which a read looks whether it is to stop.
const TICK: Duration = Duration::from_millis(50);
/// Longest answer with its head.
const ANSWER_BYTES_MAX: usize = 32 << 20;
const HEADERS_MAX: usize = 100;
/// Longest version of an answer that is sent back.
const ETAG_BYTES_MAX: usize = 256;

/// An answer, whatever its status.
#[derive(Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub etag: Option<String>,
    pub body: Vec<u8>,
}

/// Asks once, and sends a report of itself along. An error says why there is no answer, in words that hold nothing of it.
pub fn get(settings: &Settings, target: &str, etag: Option<&str>, report: &str, stops: &dyn Fn() -> bool) -> Result<Answer, &'static str> {
    let until = Instant::now() + EXCHANGE;
    let (host, port) = (settings.host.as_str(), settings.port);
    let mut places = (host, port).to_socket_addrs().map_err(|_| "the monitor's name is not known")?.take_while(|_| !stops());
    let connected = places.find_map(|place| TcpStream::connect_timeout(&place, left(until).min(CONNECT)).ok());
    let mut stream = connected.ok_or("no monitor answers at its address")?;
    let condition = etag.map(|etag| format!("If-None-Match: {etag}\r\n")).unwrap_or_default();
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    // Of HTTP/1.0 an answer is never in chunks, and ends with its connection.
    let head = format!(
        "GET {target} HTTP/1.0\r\nHost: {host}:{port}\r\n{USER_AGENT}X-Quota-Scheduler: {report}\r\nAccept: application/json\r\n{condition}\r\n"
    );
    let sent = stream.set_read_timeout(Some(TICK)).and_then(|()| stream.set_write_timeout(Some(EXCHANGE)));
    sent.and_then(|()| stream.write_all(head.as_bytes())).map_err(|_| "the connection to the monitor broke")?;
    read_answer(&mut stream, until, stops)
}

const USER_AGENT: &str = concat!("User-Agent: svc-quota-scheduler/", env!("CARGO_PKG_VERSION"), "\r\n");

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

fn read_answer(stream: &mut dyn Read, until: Instant, stops: &dyn Fn() -> bool) -> Result<Answer, &'static str> {
    let (mut raw, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        if stops() || Instant::now() >= until {
            return Err("the monitor took too long");
        }
        match stream.read(&mut piece) {
            Ok(0) => return parse(&raw),
            Ok(length) => raw.extend_from_slice(piece.get(..length).unwrap_or_default()),
            Err(fault) if matches!(fault.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(_) => return Err("the connection to the monitor broke"),
        }
        if raw.len() > ANSWER_BYTES_MAX {
            return Err("the monitor's answer is too long");
        }
    }
}

/// Reads an answer that was received to its end.
pub fn parse(raw: &[u8]) -> Result<Answer, &'static str> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut response = httparse::Response::new(&mut headers);
    let Ok(httparse::Status::Complete(head_bytes)) = response.parse(raw) else { return Err("the monitor's answer is not HTTP") };
    let value_of = |name: &str| {
        let found = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.and_then(|header| std::str::from_utf8(header.value).ok())
    };
    let body = raw.get(head_bytes..).unwrap_or_default();
    let status = response.code.unwrap_or_default();
    if value_of("transfer-encoding").is_some() {
        return Err("the monitor's answer has an unknown coding");
    }
    if status == 200 && value_of("content-length").is_some_and(|digits| digits.parse() != Ok(body.len())) {
        return Err("the monitor's answer broke off");
    }
    let is_sendable = |etag: &&str| etag.len() <= ETAG_BYTES_MAX && etag.bytes().all(|byte| byte.is_ascii_graphic());
    Ok(Answer { status, etag: value_of("etag").filter(is_sendable).map(str::to_owned), body: body.to_vec() })
}
