import type { Span } from '../pseudonyms.ts'

/** The sign between user and domain, plain or escaped. */
const AT = /@|%(?:25){0,4}40|\\{1,4}u0040|\\{1,4}x40|&#(?:64|x40);|&commat;/gi
const ESCAPED = String.raw`%(?:25){0,4}[0-9a-f]{2}|\\{1,4}u[0-9a-f]{4}|\\{1,4}x[0-9a-f]{2}|&#x?[0-9a-f]{1,6};`
const PLAIN = String.raw`[\p{L}\p{M}\p{N}._+~!$*^'#?-]`
const LOCAL = new RegExp(`(?:${ESCAPED}|${PLAIN})+$`, 'iu')
const DOMAIN = new RegExp(`^(?:${ESCAPED}|[\\p{L}\\p{M}\\p{N}._-])+`, 'iu')
const LENGTH_MAX = 320
/** Prefix of the address in names of auth files: the vendor and a hash. The suffix after the address is the plan. */
const BEFORE_ADDRESS =
  /^(?:codex|claude|gemini|qwen|kimi|xai|grok|antigravity|iflow|vertex)(?:-[0-9a-f]{8})?-(?=.)/
const BEHIND_ADDRESS =
  /(?:-(?:plus|team|pro|prolite|max|free|go|business|enterprise|edu))?(?:\.json)?$/
const ESCAPED_BLANK = /^.*(?:\\{1,4}[nrt]|%20|%22|%3d|%3a|%2f|\\{1,4}u0026|\\{1,4}u003d)/i
/** Stands before the host of a URL, whose user is no mailbox. */
const USER_OF_URL = /:\\?\/\\?\/[^\s/@"'<>]*$/
/** The version of a package, as in `vitest@3.2.1`. */
const VERSION = /^v?\d+(?:\.\d+){1,2}(?:-[a-z]+[.\d]*)?$/
const SIGNS_AROUND = /^[.'~!*^#?-]+/

/** E-mail addresses in any script and with any escaping. */
export function addressesIn(line: string): readonly Span[] {
  const spans: Span[] = []
  if (!/[@4]|commat/.test(line)) return spans
  let from = 0
  for (const { 0: sign, index } of line.matchAll(AT)) {
    const behind = index + sign.length
    const domain =
      DOMAIN.exec(line.slice(behind, behind + LENGTH_MAX))?.[0].replace(/[.-]+$/, '') ?? ''
    const local = (LOCAL.exec(line.slice(Math.max(from, index - LENGTH_MAX), index))?.[0] ?? '')
      .replace(ESCAPED_BLANK, '')
      .replace(SIGNS_AROUND, '')
      .replace(BEFORE_ADDRESS, '')
    if (USER_OF_URL.test(line.slice(Math.max(0, index - LENGTH_MAX), index))) continue
    if (local === '' || domain === '' || VERSION.test(domain)) continue
    const end = behind + domain.replace(BEHIND_ADDRESS, '').length
    spans.push({ start: index - local.length, end, kind: 'email' })
    from = end
  }
  return spans
}

/** User and password in a URL, as one. */
export function userInfoIn(line: string): readonly Span[] {
  if (!line.includes('@') || !line.includes('//')) return []
  return [...line.matchAll(/:\\?\/\\?\/([^\s/@"'<>]{1,1024})@/g)].map(
    ({ 0: text, 1: info = '', index }) => {
      const start = index + text.length - 1 - info.length
      return { start, end: start + info.length, kind: 'secret' as const }
    },
  )
}
