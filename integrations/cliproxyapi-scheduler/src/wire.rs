//! The JSON of the plugin interface, as far as it is read. Everything else passes by unread, client keys and e-mails with it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::json;

/// Headers that name a session, the most telling first.
const SESSION_HEADERS: [&str; 7] =
    ["x-claude-code-session-id", "session_id", "session-id", "x-session-id", "x-amp-thread-id", "conversation_id", "thread-id"];

/// A text that borrows where it can.
#[derive(Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// Request of `scheduler.pick`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct PickRequest<'a> {
    #[serde(borrow)]
    pub providers: Option<Vec<Text<'a>>>,
    options: Option<PickOptions<'a>>,
    pub candidates: Option<Vec<Candidate<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PickOptions<'a> {
    #[serde(borrow)]
    headers: Option<SessionHeader<'a>>,
    metadata: Option<PickMetadata<'a>>,
}

#[derive(Deserialize)]
struct PickMetadata<'a> {
    #[serde(borrow)]
    execution_session_id: Option<Text<'a>>,
    derived_session_id: Option<Text<'a>>,
    caller_scope: Option<Text<'a>>,
}

/// An account that may be picked.
#[derive(Deserialize)]
pub struct Candidate<'a> {
    #[serde(borrow, rename = "ID")]
    pub id: Cow<'a, str>,
}

impl PickRequest<'_> {
    /// The session of a request: of its headers, else of the proxy, else the caller; `None` if nothing tells.
    pub fn session(&self) -> Option<&str> {
        let options = self.options.as_ref()?;
        let header = options.headers.as_ref().and_then(|header| header.0.as_ref()).map(|(_, value)| value);
        let metadata = options.metadata.iter().flat_map(|of| [&of.execution_session_id, &of.derived_session_id, &of.caller_scope]);
        let texts = header.into_iter().chain(metadata.flatten().map(|Text(value)| value));
        texts.map(AsRef::as_ref).find(|text: &&str| !text.is_empty())
    }
}

/// Rank and value of the most telling session header; no other value is decoded.
struct SessionHeader<'a>(Option<(usize, Cow<'a, str>)>);

impl<'de: 'a, 'a> Deserialize<'de> for SessionHeader<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Headers)
    }
}

struct Headers;

impl<'de> Visitor<'de> for Headers {
    type Value = SessionHeader<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("headers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut best: Option<(usize, Cow<str>)> = None;
        while let Some(Text(name)) = map.next_key()? {
            let Some(rank) = SESSION_HEADERS.iter().position(|known| known.eq_ignore_ascii_case(&name)) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let values: Option<Vec<Text>> = map.next_value()?;
            let value = values.into_iter().flatten().next().filter(|Text(value)| !value.is_empty());
            if let Some(Text(value)) = value.filter(|_| best.as_ref().is_none_or(|(other, _)| rank < *other)) {
                best = Some((rank, value));
            }
        }
        Ok(SessionHeader(best))
    }
}

/// Request of `usage.handle`: how one attempt went.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Attempt<'a> {
    #[serde(borrow, rename = "AuthID")]
    pub auth_id: Cow<'a, str>,
    pub failed: bool,
    pub failure: Option<Failure>,
}

/// Why an attempt failed.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Failure {
    pub status_code: i64,
}

/// The YAML of `plugin.register` and `plugin.reconfigure`; `None` if it cannot be read.
pub fn configuration_in(request: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Lifecycle<'a> {
        #[serde(borrow)]
        config_yaml: Cow<'a, str>,
    }
    let request: Lifecycle = serde_json::from_slice(request).ok()?;
    String::from_utf8(from_base64(&request.config_yaml)?).ok()
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let sixes = text.trim_end_matches('=').bytes().map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let sixes: Vec<usize> = sixes.collect::<Option<_>>()?;
    let bytes_of = |group: &[usize]| {
        let bits = group.iter().enumerate().fold(0, |bits, (place, six)| bits | (six << (18 - 6 * place)));
        [16, 8, 0].map(|shift| (bits >> shift) as u8).into_iter().take(group.len().saturating_sub(1))
    };
    Some(sixes.chunks(4).flat_map(bytes_of).collect())
}

/// Answer to a pick: this candidate, or the proxy's own strategy.
pub fn pick_answer(auth_id: Option<&str>) -> Vec<u8> {
    let result = auth_id.map_or(json!({ "Handled": false }), |id| json!({ "AuthID": id, "Handled": true }));
    json!({ "ok": true, "result": result }).to_string().into_bytes()
}

/// Answer to a report of an attempt.
pub fn noted() -> Vec<u8> {
    br#"{"ok":true,"result":{}}"#.to_vec()
}

/// Answer to a method that this plugin does not have.
pub fn unknown_method() -> Vec<u8> {
    br#"{"ok":false,"error":{"code":"unknown_method","message":"this plugin has no such method"}}"#.to_vec()
}

/// Answer to `plugin.register` and `plugin.reconfigure`.
pub fn registration() -> Vec<u8> {
    include_str!("registration.json").replace("@VERSION@", env!("CARGO_PKG_VERSION")).into_bytes()
}
