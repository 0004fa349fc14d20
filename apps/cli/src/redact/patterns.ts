import { isIP, isIPv6 } from 'node:net'
import type { Hit } from './known-values.ts'
import { REDACTED_DOMAIN, type SecretKind } from './pseudonyms.ts'

/** A stretch of text that looks like something that must not stay. */
export interface PatternHit extends Hit {
  readonly kind: SecretKind
  /** Name of the rule, for the report of a check that failed. */
  readonly rule: string
}

interface Pattern {
  readonly rule: string
  readonly kind: SecretKind
  /** Takes time in proportion to the text: it begins with what is rare, and every quantifier is bounded or ends the match. */
  readonly shape: RegExp
  /** Which group holds what is replaced; the whole match when left out. */
  readonly group?: number
  /** A letter or digit may not stand before it. */
  readonly beginsWord?: true
  readonly accepts?: (found: string, whole: string) => boolean
}

const NAMES =
  '(?:access|refresh|id|auth|csrf|session|bearer)[-_]?token|token|(?:client[-_]?)?secret|passw(?:or)?d|passphrase|(?:x[-_])?(?:api|management|private|secret|access)[-_]?key|session(?:[-_]?id)?|x-svc-quota-monitor-refresh-token'
const PLAIN_WORD =
  /^(?:set|unset|not|none|null|nil|true|false|yes|no|on|off|required|missing|unknown|empty|invalid|expired|valid|and|or|is|was|the|for|from|with|in|to|of|a|an|\*+|\.+|x+)[.,;:!?)]*$/i
/** Whatever stands behind such a name is one, a word as well. */
const PASSWORD = /^(?:passw|secret|passphrase)/i

/** Shapes that are looked for in the whole text, the surest first. Source: outputs-and-redaction 1.10, layer 3. */
const patterns: readonly Pattern[] = [
  {
    rule: 'pem',
    kind: 'secret',
    shape: /-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$(?![\s\S]))/g,
  },
  {
    rule: 'header',
    kind: 'secret',
    shape: /(?:authorization|cookie)\\{0,4}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,4}["']?([^\r\n"'\\<>]{3,})/gi,
    group: 1,
    beginsWord: true,
    accepts: (found) => /[A-Za-z0-9]{3}/.test(found) && !PLAIN_WORD.test(found.trim()),
  },
  {
    rule: 'bearer',
    kind: 'secret',
    shape: /Bearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{6,})/gi,
    group: 1,
    accepts: (found) => /\d/.test(found) || found.length > 20,
  },
  {
    rule: 'basic',
    kind: 'secret',
    shape: /Basic[ \t]{1,4}([A-Za-z0-9+/=_-]{6,})/gi,
    group: 1,
    accepts: (found) => /[\dA-Z=]/.test(found) && !/^[A-Z]?[a-z]+$/.test(found),
  },
  {
    rule: 'named value',
    kind: 'secret',
    shape: new RegExp(String.raw`(?:${NAMES})\\{0,4}["']?[ \t]{0,4}(?::|=|%3D)[ \t]{0,4}\\{0,4}["']?([^\s"'\\,;&<>(){}]{3,})`, 'gi'),
    group: 1,
    beginsWord: true,
    accepts: (found, whole) => !PLAIN_WORD.test(found) && (PASSWORD.test(whole) || !/^(?:\d{1,9}[.,]?\d{0,9}|[a-z]+)$/.test(found)),
  },
  { rule: 'user in a URL', kind: 'secret', shape: /:\/\/([^\s/@:<>"'\\]{0,256}:[^\s/@<>"'\\]{1,512})(?:@|%40|\\{1,4}u0040)/g, group: 1 },
  {
    rule: 'URL parameter',
    kind: 'secret',
    shape: /[?&#](?:key|api_?key|token|code|state|sig|signature|session|access_token|id_token|refresh_token)=([^&\s"'#<>\\]{3,})/gi,
    group: 1,
  },
  { rule: 'MAC address', kind: 'mac', shape: /(?<![\w:-])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![\w:-])/gi },
  {
    rule: 'IPv4 address',
    kind: 'ip',
    shape: /(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*[\w])/g,
    accepts: (found) => isIP(found) === 4 && !/^(?:127\.|0\.0\.0\.0$|255\.)/.test(found),
  },
  {
    rule: 'IPv6 address',
    kind: 'ip',
    shape: /(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])/g,
    accepts: (found) => isIPv6(found) && !/^(?:::1?|[0:]+1?)$/.test(found) && /\d/.test(found),
  },
  {
    rule: 'home folder',
    kind: 'user',
    shape: /(?:\/home\/|\/Users\/|\b[A-Za-z]:\\{1,4}Users\\{1,4})([^/\\\s"':<>]{1,64})/g,
    group: 1,
  },
]

/** Where a token may begin: not inside a word, but right after an escape. */
const BEGIN = String.raw`(?:(?<![\w-])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}))`

/** Shapes that are looked for in runs of the characters tokens are made of. */
const tokenPatterns: readonly Pattern[] = [
  {
    rule: 'JWT',
    kind: 'secret',
    shape: /(?:(?<![\w.-])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}))ey[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){2,4}/g,
  },
  {
    rule: 'vendor key',
    kind: 'secret',
    shape: new RegExp(
      String.raw`${BEGIN}(?:sk-[A-Za-z0-9_-]{12,}|rt[_.][A-Za-z0-9_-]{12,}|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{8,}|1//[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|xai-[A-Za-z0-9]{16,}|gsk_[A-Za-z0-9]{16,}|hf_[A-Za-z0-9]{16,}|xox[a-z]-[A-Za-z0-9-]{8,}|glpat-[A-Za-z0-9_-]{16,}|A[KS]IA[A-Z0-9]{16})`,
      'g',
    ),
    accepts: (found) => /\d/.test(found),
  },
  { rule: 'UUID', kind: 'uuid', shape: /(?<![0-9A-Za-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9A-Za-z])/gi },
  { rule: 'long opaque text', kind: 'secret', shape: /[A-Za-z0-9+/_=-]{32,}/g, accepts: isOpaque },
]

/** No token is shorter. */
const RUN_LENGTH_MIN = 13
const IN_RUN = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_=.-') IN_RUN[character.charCodeAt(0)] = 1

const isInRun = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code < 128 && IN_RUN[code] === 1
}

/** Stretches of the characters of tokens. Short words are stepped over without being looked at one character at a time. */
function runsIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  const runs: { start: number; end: number }[] = []
  for (let probe = RUN_LENGTH_MIN - 1, from = 0; probe < text.length; probe += RUN_LENGTH_MIN) {
    if (!isInRun(text, probe)) continue
    let start = probe
    while (start > from && isInRun(text, start - 1)) start -= 1
    let end = probe + 1
    while (end < text.length && isInRun(text, end)) end += 1
    if (end - start >= RUN_LENGTH_MIN) runs.push({ start, end })
    from = end
    probe = end - 1
  }
  return runs
}

const OPAQUE_ENTROPY_MIN = 3.5
/** Only so much of a long run is weighed. */
const WEIGHED_LENGTH = 4096

/** Random letters and digits, and no path, name or sentence joined by dashes. */
function isOpaque(run: string): boolean {
  const sample = run.slice(0, WEIGHED_LENGTH)
  const count = (shape: RegExp) => sample.match(shape)?.length ?? 0
  const digits = count(/\d/g)
  const letters = count(/[A-Za-z]/g)
  const separators = sample.length - digits - letters
  if (digits < 3 || letters < 3 || entropyOf(sample) < OPAQUE_ENTROPY_MIN) return false
  // Words joined by separators are longer between them than chance has it, and have few digits.
  if (separators / sample.length > 0.1 || (digits / sample.length < 0.06 && separators > 0)) return false
  const longestWord = Math.max(...(sample.match(/[A-Z]?[a-z]{2,}|[A-Z]{2,}/g) ?? ['']).map(({ length }) => length))
  return longestWord <= 9
}

function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** What looks like it must not stay, in order and without overlaps. */
export function findPatterns(text: string): readonly PatternHit[] {
  const hits = emailsIn(text)
  for (const pattern of patterns) collect(hits, pattern, text, 0)
  // A little of what stands before a run tells whether an escape does.
  for (const { start, end } of runsIn(text)) {
    const from = Math.max(0, start - 3)
    const run = text.slice(from, end)
    for (const pattern of tokenPatterns) collect(hits, pattern, run, from)
  }
  // Stable: of those that begin together the surer comes first.
  hits.sort((one, other) => one.start - other.start)
  let end = 0
  return hits.flatMap((hit) => {
    if (hit.end <= end) return []
    // What a later one covers beyond an earlier one must not stay either.
    const start = Math.max(hit.start, end)
    end = hit.end
    return [start === hit.start ? hit : { ...hit, start, value: text.slice(start, end) }]
  })
}

function collect(hits: PatternHit[], { rule, kind, shape, group = 0, beginsWord, accepts }: Pattern, text: string, offset: number): void {
  for (const match of text.matchAll(shape)) {
    const value = match[group] ?? ''
    if (value === '' || (beginsWord === true && !beginsWordAt(text, match.index))) continue
    if (accepts !== undefined && !accepts(value, match[0])) continue
    const start = offset + match.index + (group === 0 ? 0 : match[0].lastIndexOf(value))
    hits.push({ from: offset + match.index, start, end: start + value.length, value, kind, rule })
  }
}

/** Not inside of a word, nor of a stand-in, but right after an escape. */
function beginsWordAt(text: string, index: number): boolean {
  return (
    !/[A-Za-z0-9<]$/.test(text.slice(Math.max(0, index - 1), index)) ||
    /(?:\\[nrt]|%[0-9A-Fa-f]{2})$/.test(text.slice(Math.max(0, index - 3), index))
  )
}

const AT = /@|%40|\\{1,4}u0040/gi
const LOCAL_LENGTH_MAX = 64
const LOCAL = /[^\s"'<>()[\],;:\\@=&?/|]/
const DOMAIN = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}[\p{L}\p{N}-]{1,30}/uy

/** Looked for from the sign in the middle, which is rare, whatever stands around it. */
function emailsIn(text: string): PatternHit[] {
  const hits: PatternHit[] = []
  let from = 0
  for (const { 0: sign, index } of text.matchAll(AT)) {
    DOMAIN.lastIndex = index + sign.length
    const domain = DOMAIN.exec(text)?.[0]
    if (domain === undefined || domain === REDACTED_DOMAIN) continue
    let start = index
    while (start > from && index - start < LOCAL_LENGTH_MAX && LOCAL.test(text[start - 1] ?? ' ')) start -= 1
    // What is left of an escape or of a file name before it is no part of the name.
    start += /^(?:codex-|claude-|[0-9a-f]{8}-)+/.exec(text.slice(start, index))?.[0].length ?? 0
    if (start === index) continue
    from = index + sign.length + domain.length
    hits.push({
      from: start,
      start,
      end: from,
      value: `${text.slice(start, index)}@${domain}`.toLowerCase(),
      kind: 'email',
      rule: 'e-mail address',
    })
  }
  return hits
}
