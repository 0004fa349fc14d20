//! Settings from the plugin's part of the proxy's configuration.

use std::time::Duration;

use saphyr_parser::{Event, Parser};

/// Longest configuration that is read.
const YAML_BYTES_MAX: usize = 65_536;
const DEFAULT_URL: &str = "http://127.0.0.1:4515";
const RANKING_PATH: &str = "/api/v1/recommendations";

/// Where and how often the monitor is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Name or address of the monitor's host, an IPv6 address without brackets.
    pub host: String,
    pub port: u16,
    /// Path of the ranking.
    pub path: String,
    /// Name of this proxy at a monitor that watches several; `None` takes all of them.
    pub upstream: Option<String>,
    pub poll_every: Duration,
}

impl Settings {
    /// Reads the YAML of `plugins.configs.<id>`. Keys that are not known are left alone; an error names the key, never its value.
    pub fn from_yaml(yaml: &str) -> Result<Self, &'static str> {
        let (mut url, mut poll_seconds, mut upstream) = (DEFAULT_URL.to_owned(), 2, None);
        for (key, value) in top_level_scalars(yaml)? {
            match key.as_str() {
                "url" => url = value,
                "poll_seconds" => poll_seconds = value.parse().unwrap_or(0),
                "upstream" => upstream = Some(value),
                _ => {}
            }
        }
        if !(1..=30).contains(&poll_seconds) {
            return Err("poll_seconds is not a whole number from 1 to 30");
        }
        let is_name_byte = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if upstream.as_ref().is_some_and(|name| name.len() > 32 || !name.bytes().all(is_name_byte)) {
            return Err("upstream is not 1 to 32 of a-z, 0-9 and -");
        }
        let (host, port, path) = address_in(&url)?;
        Ok(Self { host, port, path, upstream, poll_every: Duration::from_secs(poll_seconds) })
    }

    /// Path and query of the ranking, of every provider or of the one an older monitor answers for.
    pub fn target(&self, every_provider: bool) -> String {
        let provider = if every_provider { "?provider=all" } else { "" };
        let mark = if every_provider { '&' } else { '?' };
        let upstream = self.upstream.as_ref().map(|name| format!("{mark}upstream={name}")).unwrap_or_default();
        format!("{}{provider}{upstream}", self.path)
    }
}

/// Host, port and path of an address without a login, a query and characters that could end a line.
fn address_in(url: &str) -> Result<(String, u16, String), &'static str> {
    let rest = url.strip_prefix("http://").ok_or("url does not begin with http://")?;
    if rest.bytes().any(|byte| !byte.is_ascii_graphic() || matches!(byte, b'@' | b'?' | b'#')) {
        return Err("url has a login, a query or characters of no address");
    }
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host_bytes = if authority.starts_with('[') { authority.find(']').map(|end| end + 1) } else { authority.find(':') };
    let (host, port) = authority.split_at(host_bytes.unwrap_or(authority.len()));
    let port = if port.is_empty() { Some(80) } else { port.strip_prefix(':').and_then(|digits| digits.parse().ok()) };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let path = path.trim_end_matches('/').trim_end_matches(RANKING_PATH);
    match port {
        Some(port) if !host.is_empty() => Ok((host.to_owned(), port, format!("{path}{RANKING_PATH}"))),
        _ => Err("url has no valid host and port"),
    }
}

/// Pairs of scalars at the top of a YAML mapping. Events are pulled one by one, so that no depth of nesting uses up the stack.
fn top_level_scalars(yaml: &str) -> Result<Vec<(String, String)>, &'static str> {
    let (mut pairs, mut depth, mut key) = (Vec::new(), 0, None);
    if yaml.len() > YAML_BYTES_MAX {
        return Err("the configuration is too long");
    }
    for event in Parser::new_from_str(yaml) {
        let (event, _) = event.map_err(|_| "the configuration is not YAML")?;
        match event {
            Event::SequenceStart(..) if depth == 0 => return Err("the configuration is not a mapping"),
            Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
            Event::MappingEnd | Event::SequenceEnd => depth -= 1,
            _ => {}
        }
        key = match (event, key) {
            (Event::Scalar(text, ..), None) if depth == 1 => Some(text.into_owned()),
            (Event::Scalar(text, ..), Some(name)) if depth == 1 => {
                if !matches!(&*text, "" | "~" | "null") {
                    pairs.push((name, text.trim().to_owned()));
                }
                None
            }
            // A node that is no scalar was the value of the open key, or is a key of no interest.
            (Event::MappingEnd | Event::SequenceEnd | Event::Alias(_), open) if depth == 1 => open.is_none().then(String::new),
            (_, open) => open,
        };
    }
    Ok(pairs)
}
