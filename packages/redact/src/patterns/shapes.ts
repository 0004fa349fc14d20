import { isIP, isIPv6 } from 'node:net'
import type { SecretKind, Span } from '../span.ts'

/** A stretch of text that is replaced by its shape alone. */
interface Shape {
  readonly kind: SecretKind
  /** Begins with a rare character and bounds every quantifier, so that its time grows linearly with the text. */
  readonly shape: RegExp
  /** Group that is replaced; the whole match when left out. */
  readonly group?: number
  /** Quick test that every text with this shape passes. */
  readonly needs?: RegExp
  /** The first group stands before the match. It is replaced alone, or together with the match. */
  readonly begins?: 'before' | 'before and on'
  readonly certainty: Span['certainty']
  readonly accepts?: (found: string, text: string, at: number) => boolean
  readonly parts?: (found: string) => readonly string[]
}

/** False for folders shared by all users of a machine. */
function isOneUser(name: string): boolean {
  return !/^(?:shared|public|default)$/i.test(name)
}

/** Whether a token may begin here: not inside a word, but right after an escape. */
function beginsAt(text: string, at: number): boolean {
  if (at === 0 || !/[A-Za-z0-9_-]/.test(text[at - 1] ?? ' ')) return true
  return /(?:\\[nrtbf"'/]|%[0-9A-Fa-f]{2}|u00[0-9a-fA-F]{2})$/.test(
    text.slice(Math.max(0, at - 6), at),
  )
}

/** Prefixes of keys that vendors publish, with the characters that may follow. */
const VENDOR_KEYS = [
  'sk-[A-Za-z0-9_-]{12,8192}',
  'sk_(?:live|test)_[A-Za-z0-9]{8,512}',
  'rk_(?:live|test)_[A-Za-z0-9]{8,512}',
  'pk_live_[A-Za-z0-9]{8,512}',
  'whsec_[A-Za-z0-9+/=]{8,512}',
  'rt[_.][A-Za-z0-9_.-]{12,8192}',
  'AIza[A-Za-z0-9_-]{30,64}',
  String.raw`ya29\.[A-Za-z0-9_.-]{8,8192}`,
  '1//[A-Za-z0-9_-]{16,512}',
  'GOCSPX-[A-Za-z0-9_-]{16,64}',
  'gh[pousr]_[A-Za-z0-9]{16,512}',
  'github_pat_[A-Za-z0-9_]{16,512}',
  'gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{16,512}',
  'xai-[A-Za-z0-9]{16,512}',
  'gsk_[A-Za-z0-9]{16,512}',
  'hf_[A-Za-z0-9]{16,512}',
  'r8_[A-Za-z0-9]{16,512}',
  'pplx-[A-Za-z0-9]{16,512}',
  'xox[a-z]-[A-Za-z0-9-]{8,512}',
  'xapp-[A-Za-z0-9-]{8,512}',
  'npm_[A-Za-z0-9]{16,512}',
  'pypi-[A-Za-z0-9_-]{16,1024}',
  'dop_v1_[a-f0-9]{16,512}',
  'hv[sbr]\\.[A-Za-z0-9_-]{16,512}',
  'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,512}',
  String.raw`SG\.[A-Za-z0-9_-]{8,512}\.[A-Za-z0-9_-]{8,512}`,
  'key-[0-9a-f]{32}',
  'A(?:KI|SI|RO|ID)A[A-Z0-9]{12,20}',
  'AGE-SECRET-KEY-1[A-Z0-9]{16,512}',
  'ops_ey[A-Za-z0-9_-]{16,4096}',
  'lin_api_[A-Za-z0-9]{16,512}',
  'tskey-[A-Za-z0-9-]{16,512}',
]

const shapes: readonly Shape[] = [
  {
    kind: 'secret',
    certainty: 'shape',
    shape: new RegExp(VENDOR_KEYS.join('|'), 'g'),
    accepts: (found, text, at) => (/\d/.test(found) || found.length > 32) && beginsAt(text, at),
  },
  // Tokens in three or five parts, the first of which is JSON. A truncated one still names its owner.
  {
    kind: 'secret',
    certainty: 'shape',
    shape: /ey[A-Za-z0-9_-]{10,65536}(?:\.[A-Za-z0-9_-]{0,65536}){0,4}/g,
    accepts: (found, text, at) =>
      (found.includes('.') || found.startsWith('eyJ')) && beginsAt(text, at),
  },
  {
    kind: 'secret',
    certainty: 'shape',
    shape:
      /\$(?:2[abxy]|argon2[id]{1,2}|[156]|apr1|y|scrypt|pbkdf2[a-z0-9-]*)\$[A-Za-z0-9./$=,+]{12,256}/g,
  },
  {
    kind: 'secret',
    certainty: 'shape',
    shape: /\{(?:SSHA|SHA|MD5|SMD5|CRYPT|PBKDF2)[0-9]*\}[A-Za-z0-9+/=$.]{8,256}/g,
  },
  {
    kind: 'secret',
    certainty: 'shape',
    shape: /Bearer(?:[ \t+]|%20){1,4}(?:token[ \t=:]{1,3})?([A-Za-z0-9._~+/=-]{6,65536})/gi,
    group: 1,
    accepts: (found) => /\d/.test(found) || found.length > 20 || /[a-z][A-Z]/.test(found),
  },
  {
    kind: 'secret',
    certainty: 'shape',
    shape: /Basic(?:[ \t+]|%20){1,4}([A-Za-z0-9+/=_-]{6,4096})/gi,
    group: 1,
    accepts: (found) => /[\dA-Z=]/.test(found) && !/^[A-Z]?[a-z]+$/.test(found),
    parts: (found) => credentialsIn(Buffer.from(found, 'base64').toString('latin1')),
  },
  {
    kind: 'secret',
    certainty: 'named',
    shape: /:(?:\\?\/){2}([^ \t\r\n/@<>"\\|]{1,512})(?:@|%40|\\{1,4}u0040)(?=[A-Za-z0-9[_%$-])/g,
    group: 1,
    parts: credentialsIn,
  },
  {
    kind: 'secret',
    certainty: 'named',
    shape: /jdbc:oracle:(?:thin|oci\d?):([^ \t\r\n"'@/]{1,128}\/[^ \t\r\n"']{1,256}?)@/gi,
    group: 1,
    parts: (found) => [found.slice(found.indexOf('/') + 1)],
  },
  // Without a scheme: `user:password@host:port`.
  {
    kind: 'secret',
    certainty: 'named',
    // Searched from the sign in the middle, which is rare.
    shape:
      /@(?<=(?<![\w.@:/%-])([\w.+-]{1,64}:[^ \t\r\n:@/"'<>]{3,128})@)(?=[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}(?::\d{2,5}|\/))/g,
    begins: 'before',
    parts: credentialsIn,
  },
  {
    kind: 'secret',
    certainty: 'shape',
    shape: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9/_-]{8,256})/g,
    group: 1,
  },
  {
    kind: 'secret',
    certainty: 'shape',
    shape: /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/([A-Za-z0-9/_-]{8,256})/g,
    group: 1,
  },
  {
    kind: 'secret',
    certainty: 'shape',
    shape: /(?<![\w:])\d{8,10}:AA[A-Za-z0-9_-]{32,36}(?![\w-])/g,
  },
  {
    kind: 'uuid',
    certainty: 'here',
    // Searched from the first dash, because any number may begin one.
    shape:
      /-(?<=(?:(?<![0-9A-Za-z])|\\[nrt]|%[0-9A-Fa-f]{2})([0-9a-f]{8})-)(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9A-Za-z])/gi,
    begins: 'before and on',
  },
  {
    kind: 'mac',
    certainty: 'here',
    shape:
      /(?<![\w:]|[0-9a-f]{2}-)[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}(?![\w:-])/gi,
  },
  {
    kind: 'ip',
    certainty: 'here',
    shape:
      /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?=\.(?:log|txt|csv|json|ya?ml|db|pcap)(?!\w)|(?![\w.]{0,8}\w))/g,
    accepts: (found, text, at) =>
      isIP(found) === 4 &&
      !/^(?:127\.|0\.0\.0\.0$|255\.)/.test(found) &&
      (!/(?:[\w.-]|\d,)$/.test(text.slice(Math.max(0, at - 2), at)) ||
        /(?:\\[nrt]|%[0-9A-Fa-f]{2}|[a-z]-)$/.test(text.slice(Math.max(0, at - 3), at)) ||
        // The next address of a list, as in `X-Forwarded-For`, or the last of a range.
        /(?:\d{1,3}\.){3}\d{1,3}[,-]$/.test(text.slice(Math.max(0, at - 16), at))),
  },
  {
    kind: 'ip',
    certainty: 'here',
    needs: /::|:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:/,
    shape:
      /(?<![\w.])(?<!(?<!\w)[0-9A-Fa-f]{0,4}:)(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{0,4}|(?:\d{1,3}\.){3}\d{1,3})(?![\w:]|\.\d)/g,
    accepts: (found) => isIPv6(found) && !/^(?:::1?|[0:]+1?)$/.test(found) && /\d/.test(found),
  },
  {
    kind: 'user',
    certainty: 'here',
    shape:
      /(?:\/home\/|\/Users\/|%2[Ff](?:home|Users)%2[Ff]|\\\/(?:home|Users)\\\/)([^/\\ \t\r\n"'`:;,<>|&%)\]}]{1,64})/g,
    group: 1,
    accepts: isOneUser,
  },
  // A path on a Windows drive or server, where names may contain blanks.
  {
    kind: 'user',
    certainty: 'here',
    shape:
      /(?:\b[A-Za-z]:[\\/]{1,4}|\\{1,4})Users[\\/]{1,4}([^/\\ \t\r\n"'`:;,<>|&%)\]}]{1,64}(?:(?: [^/\\ \t\r\n"'`:;,<>|&%)\]}]{1,32}){1,3}(?=\\))?)/g,
    group: 1,
    accepts: isOneUser,
  },
]

/** Finds values by their shape, in no particular order; stretches may overlap. */
export function shapesIn(text: string): Span[] {
  const spans: Span[] = []
  for (const { kind, shape, group = 0, needs, begins, certainty, accepts, parts } of shapes) {
    if (needs !== undefined && !needs.test(text)) continue
    for (const match of text.matchAll(shape)) {
      const before = begins === undefined ? '' : (match[1] ?? '')
      const value =
        begins === 'before'
          ? before
          : begins === undefined
            ? (match[group] ?? '')
            : before + match[0]
      if (value === '' || (accepts !== undefined && !accepts(value, text, match.index))) continue
      const start = match.index - before.length + (group === 0 ? 0 : match[0].lastIndexOf(value))
      const also = parts?.(value)
      spans.push({
        start,
        end: start + value.length,
        kind,
        value,
        certainty,
        ...(also === undefined ? {} : { parts: also }),
      })
    }
  }
  return spans
}

/** The parts of `user:password` that are secrets of their own. */
export function credentialsIn(found: string): readonly string[] {
  const colon = found.indexOf(':')
  return colon < 0 ? [] : [found.slice(colon + 1), decodedPercent(found.slice(colon + 1))]
}

function decodedPercent(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
