import { parseAllowedHost } from './allowed-hosts.ts'
import type { Authority } from './authority.ts'

/** A value as a layer gives it: text from flags and the environment, anything from TOML. */
export type RawValue = unknown

/** How a setting is read. `null` = not allowed; the caller says what `allowed` says. */
export interface SettingKind<Value> {
  /** What may stand here, as the end of "expected …". */
  readonly allowed: string
  /** Text that looks like a number is one. */
  readonly numeric: boolean
  /** The value may be shown in an error message. */
  readonly echoed: boolean
  readonly read: (raw: RawValue, context: ReadContext) => { readonly value: Value } | null
}

export interface ReadContext {
  /** Makes a relative path absolute: against the file's folder in TOML, else against the working directory. */
  readonly resolvePath: (path: string) => string
}

export function text(allowed: string, accept: RegExp): SettingKind<string> {
  return kind({
    allowed,
    read: (raw) => (typeof raw === 'string' && accept.test(raw) ? { value: raw } : null),
  })
}

export function integer(min: number, max: number): SettingKind<number> {
  return kind({
    allowed: `a whole number from ${min} to ${max}`,
    numeric: true,
    read: (raw) =>
      typeof raw === 'number' && Number.isInteger(raw) && raw >= min && raw <= max
        ? { value: raw }
        : null,
  })
}

/** A number of at least `min`, or `off`. */
export function numberOrOff(min: number, max: number): SettingKind<number | 'off'> {
  return kind<number | 'off'>({
    allowed: `a number from ${min} to ${max}, or off`,
    numeric: true,
    read: (raw) => {
      if (raw === 'off') return { value: raw }
      return typeof raw === 'number' && raw >= min && raw <= max ? { value: raw } : null
    },
  })
}

export function choice<const Name extends string>(...names: readonly Name[]): SettingKind<Name> {
  return kind({
    allowed: names.length === 2 ? names.join(' or ') : `one of ${names.join(', ')}`,
    read: (raw) => {
      const found = names.find((name) => name === raw)
      return found === undefined ? null : { value: found }
    },
  })
}

export const httpUrl: SettingKind<string> = kind({
  allowed: 'an http or https URL without user name, query or fragment',
  // A refused URL may hold a password.
  echoed: false,
  read: (raw) => {
    if (typeof raw !== 'string' || !URL.canParse(raw)) return null
    const url = new URL(raw)
    const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
    return plain && /^https?:$/.test(url.protocol) ? { value: url.origin + url.pathname } : null
  },
})

/** What paths are appended to, so without a trailing slash. */
export const baseUrl: SettingKind<string> = {
  ...httpUrl,
  read(raw, context) {
    const read = httpUrl.read(raw, context)
    return read && { value: read.value.replace(/\/+$/, '') }
  },
}

export const path: SettingKind<string> = kind({
  allowed: 'a path',
  // A key may stand where the name of its file belongs.
  echoed: false,
  read: (raw, { resolvePath }) =>
    typeof raw === 'string' && raw !== '' && !raw.includes('\u0000')
      ? { value: resolvePath(raw) }
      : null,
})

/** A path, or nothing for `off` and `none`. */
export const pathOrOff: SettingKind<string | null> = kind<string | null>({
  allowed: 'a path, off or none',
  read: (raw, context) =>
    raw === 'off' || raw === 'none' ? { value: null } : path.read(raw, context),
})

export const timeZone: SettingKind<string> = kind({
  allowed: 'an IANA time zone such as Europe/Prague',
  read: (raw) => {
    const value = knownTimeZone(raw)
    return value === null ? null : { value }
  },
})

/** A zone that this platform can show times in; null for anything else. */
export function knownTimeZone(raw: RawValue): string | null {
  // Offsets such as +02:00 are accepted by some versions and name no zone.
  if (typeof raw !== 'string' || !/^[A-Za-z]/.test(raw)) return null
  try {
    new Intl.DateTimeFormat('en', { timeZone: raw })
    return raw
  } catch {
    return null
  }
}

export const allowedHosts: SettingKind<readonly Authority[]> = kind({
  allowed: 'host names, each optionally with :port (no wildcard, no URL, no unspecified address)',
  read: (raw) => {
    const entries = (Array.isArray(raw) ? raw : [raw]).flatMap((entry: unknown) =>
      typeof entry === 'string' ? entry.split(',') : [null],
    )
    const outcomes = entries.map((entry) => (entry === null ? null : parseAllowedHost(entry)))
    const hosts = outcomes.flatMap((outcome) => (outcome?.kind === 'ok' ? [outcome.value] : []))
    return hosts.length === outcomes.length ? { value: hosts } : null
  },
})

function kind<Value>(
  settings: Pick<SettingKind<Value>, 'allowed' | 'read'> &
    Partial<Pick<SettingKind<Value>, 'numeric' | 'echoed'>>,
): SettingKind<Value> {
  return { numeric: false, echoed: true, ...settings }
}
