import type { Span } from '../span.ts'

/** The `@` sign as written in plain text, URLs, JSON, HTML and quoted-printable. */
const AT = /@|%(?:25)*40|\\{1,8}(?:u0040|x40|u\{40\}|100)|&#0{0,4}64;|&#[xX]0{0,4}40;|&commat;|=40/g
const LOCAL_LENGTH_MAX = 128
const LOCAL = /[^ \t\r\n"'<>()[\],;:\\@=&?/|`{}*!]/
const LABEL = String.raw`[A-Za-z0-9\x80-\xff](?:[A-Za-z0-9\x80-\xff_-]{0,61}[A-Za-z0-9\x80-\xff])?`
const DOT = String.raw`(?:\.|%2[eE]|&#46;|&period;|\\u002[eE])`
const DOMAIN = new RegExp(
  String.raw`(?:${LABEL}${DOT}){1,8}[A-Za-z\x80-\xff][A-Za-z0-9\x80-\xff-]{1,61}|\[(?:IPv6:)?[0-9A-Fa-f.:]{2,45}\]`,
  'y',
)
/** Stands between a quoted name and its own domain: `"ana@home.example"@mail.example`. */
const QUOTED_NEXT = /\\{0,4}"@/y
/** An address inside the local part, with its `@` written as `=`: `bounce+ana=home.example@list.example`. */
const RETURN_PATH = /(?:[\w.-]{0,64}\+|(?:bounces?|returns?|owner|verp)[-.])[\w.+-]{1,64}=$/i
/** File name of an auth file before an address: `codex-1a2b3c4d-ana@example.com-plus.json`. */
const FILE_BEGINNING =
  /^(?:(?:codex|claude|gemini|antigravity|kimi|xai|vertex|qwen|iflow)-(?:[0-9a-f]{8}-)?)+/
const FILE_ENDING = /^(.*\.[A-Za-z0-9]+?)((?:-[A-Za-z0-9_-]+)?\.json)$/
/** File and package names with a version or size after the `@`: `logo@2x.png`, `node@20.1.0`. */
const NO_DOMAIN = /^\d+x\.|\.(?:png|jpe?g|gif|svg|webp|ts|js|mjs|service|socket|timer|mount)$/i

/** E-mail addresses in any context. The search starts from the `@`, because it is rare. */
export function emailsIn(text: string): Span[] {
  const spans: Span[] = []
  let from = 0
  for (const { 0: sign, index } of text.matchAll(AT)) {
    DOMAIN.lastIndex = index + sign.length
    let domain = DOMAIN.exec(text)?.[0]
    if (domain === undefined || domain.startsWith('redacted.invalid') || NO_DOMAIN.test(domain))
      continue
    domain = FILE_ENDING.exec(domain)?.[1] ?? domain
    QUOTED_NEXT.lastIndex = index + sign.length + domain.length
    if (QUOTED_NEXT.test(text)) continue
    let start = index
    while (start > from && index - start < LOCAL_LENGTH_MAX && LOCAL.test(text[start - 1] ?? ' '))
      start -= 1
    start -=
      RETURN_PATH.exec(text.slice(Math.max(from, start - LOCAL_LENGTH_MAX), start))?.[0].length ?? 0
    start += leftOfEscape(text, start, index)
    start += FILE_BEGINNING.exec(text.slice(start, index))?.[0].length ?? 0
    if (start === index) start -= quotedBefore(text, from, index)
    if (start === index) continue
    from = index + sign.length + domain.length
    spans.push({
      start,
      end: from,
      kind: 'email',
      value: `${text.slice(start, index)}@${domain}`.toLowerCase(),
      certainty: 'shape',
    })
  }
  return spans
}

/** A name in quotes before the `@`. Text that begins with a blank or a comma stands between two quoted texts instead. */
const QUOTED = /\\{0,4}"[A-Za-z0-9\x80-\xff][^"\\\r\n<>]{0,63}\\{0,4}"$/

/** Length of a quoted name before the `@`, which may contain blanks; 0 without one: `"ana ruiz"@mail.example`. */
function quotedBefore(text: string, from: number, index: number): number {
  if (text[index - 1] !== '"') return 0
  return QUOTED.exec(text.slice(Math.max(from, index - 80), index))?.[0].length ?? 0
}

/** Length of the rest of an escape, which is not part of the address after it: `\nana@…`, `%20ana@…`. */
function leftOfEscape(text: string, start: number, index: number): number {
  const before = text.charCodeAt(start - 1)
  if (before === 0x5c && index - start > 1 && /[nrtbf]/.test(text[start] ?? '')) return 1
  return /^(?:%[0-9A-Fa-f]{2}|u00[0-9a-fA-F]{2})+/.exec(text.slice(start, index))?.[0].length ?? 0
}
