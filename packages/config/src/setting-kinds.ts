import * as v from 'valibot'
import { type Authority, parseAllowedHost } from './authority.ts'
import { unexpandedIn } from './config-input.ts'
import {
  ADDRESS_FORM,
  isDatabaseAddress,
  looksLikeAddress,
  readAddress,
} from './database-address.ts'

/** Rules for reading a setting's value, which is text in flags and the environment and any TOML value in a file. */
export interface SettingKind<Value> {
  readonly schema: v.GenericSchema<unknown, Value>
  /** Description of the allowed values, which completes "expected …" in a message. */
  readonly allowed: string
  /** True if text that looks like a number is converted. */
  readonly numeric?: true
  /** True if a refused value may be a secret, so that no message repeats it. */
  readonly secret?: true
  /** Whether the value is a path. A relative path in TOML is resolved against the file's folder, any other against the working directory. */
  readonly isPath?: (read: string) => boolean
  /** Reason to refuse a value, for cases that `allowed` does not explain; null leaves the decision to the schema. Repeats no part of the value. */
  readonly refusal?: (raw: unknown) => { readonly why: string; readonly isSecret: boolean } | null
}

export function text(allowed: string, form: RegExp): SettingKind<string> {
  return { allowed, schema: v.pipe(v.string(), v.regex(form)) }
}

/** Listen address: a host name or IP address, without a port. */
export const listenHost: SettingKind<string> = {
  ...text('a host name or IP address', /^[A-Za-z0-9_.:-]{1,253}$/),
  refusal: (raw) =>
    typeof raw === 'string' && /^[\w.-]+:\d{1,5}$/.test(raw)
      ? {
          why: 'expected a host name or IP address alone; its port is the setting port',
          isSecret: false,
        }
      : null,
}

export function integer(min: number, max: number): SettingKind<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    numeric: true,
    schema: v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
  }
}

export function numberOrOff(min: number, max: number): SettingKind<number | 'off'> {
  return {
    allowed: `a number from ${min} to ${max}, or off`,
    numeric: true,
    schema: v.union([v.literal('off'), v.pipe(v.number(), v.minValue(min), v.maxValue(max))]),
  }
}

export function choice<const Name extends string>(...names: readonly Name[]): SettingKind<Name> {
  return {
    allowed: names.length === 2 ? names.join(' or ') : `one of ${names.join(', ')}`,
    schema: v.picklist(names),
  }
}

/** A switch: a boolean in a file, `true` or `false` as text. */
export const trueOrFalse: SettingKind<boolean> = {
  allowed: 'true or false',
  schema: v.union([
    v.boolean(),
    v.pipe(
      v.picklist(['true', 'false']),
      v.transform((given) => given === 'true'),
    ),
  ]),
}

const plainUrl = v.pipe(
  v.string(),
  v.check(isPlainUrl),
  v.transform((given) => new URL(given).origin + new URL(given).pathname),
)

/** Whether a text is an http or https URL without user name, query or fragment. */
export function isPlainUrl(given: string): boolean {
  if (!URL.canParse(given)) return false
  const { protocol, username, password, search, hash } = new URL(given)
  return /^https?:$/.test(protocol) && username + password + search + hash === ''
}

export const httpUrl: SettingKind<string> = {
  allowed: 'an http or https URL without user name, query or fragment',
  // A URL may contain a password.
  secret: true,
  schema: plainUrl,
}

/** A URL to which paths are appended, so it has no trailing slash. */
export const baseUrl: SettingKind<string> = {
  ...httpUrl,
  schema: v.pipe(
    plainUrl,
    v.transform((url) => url.replace(/\/+$/, '')),
  ),
}

export const path: SettingKind<string> = {
  allowed: 'a path',
  isPath: () => true,
  refusal: (raw) => {
    const why = typeof raw === 'string' ? unexpandedIn(raw) : null
    return why === null ? null : { why, isSecret: false }
  },
  // Somebody may enter the key itself in place of its file's name.
  secret: true,
  schema: v.pipe(
    v.string(),
    v.check((given) => given !== '' && !given.includes('\u0000')),
  ),
}

/** The path of a file or the address of a database; null for `off` and `none`. */
export const storeOrOff: SettingKind<string | null> = {
  allowed: `a path, ${ADDRESS_FORM}, off or none`,
  isPath: (read) => !isDatabaseAddress(read),
  refusal: (raw) =>
    typeof raw === 'string' && looksLikeAddress(raw)
      ? refusalOf(raw)
      : (path.refusal?.(raw) ?? null),
  schema: v.pipe(
    path.schema,
    v.transform((given) =>
      given === 'off' || given === 'none'
        ? null
        : looksLikeAddress(given)
          ? canonical(given)
          : given,
    ),
  ),
}

/** The address of a database; null for `off` and `none`. */
export const addressOrOff: SettingKind<string | null> = {
  allowed: `${ADDRESS_FORM}, off or none`,
  secret: true,
  refusal: (raw) =>
    typeof raw === 'string' && raw !== 'off' && raw !== 'none' ? refusalOf(raw) : null,
  schema: v.pipe(
    v.string(),
    v.transform((given) => (given === 'off' || given === 'none' ? null : canonical(given))),
  ),
}

function refusalOf(text: string) {
  const read = readAddress(text)
  return 'why' in read ? read : null
}

/** Canonical spelling of an address. A refused one is returned unchanged, because `refusal` has already reported it. */
function canonical(text: string): string {
  const read = readAddress(text)
  return 'why' in read ? text : read.address
}

/** An IANA time zone that this platform supports. */
export const timeZone: SettingKind<string> = {
  allowed: 'an IANA time zone such as Europe/Prague',
  // Offsets such as +02:00 are accepted by some versions but name no zone.
  schema: v.pipe(v.string(), v.regex(/^[A-Za-z]/), v.check(isKnownZone)),
}

/** A language by its BCP 47 tag, in the spelling of the standard: `zh-CN` for `ZH-cn`. */
export const languageTag: SettingKind<string> = {
  allowed: 'a language tag such as en or zh-CN',
  schema: v.pipe(
    v.string(),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const tag = canonicalTag(dataset.value)
      if (tag !== null) return tag
      addIssue()
      return NEVER
    }),
  ),
}

function canonicalTag(given: string): string | null {
  try {
    return Intl.getCanonicalLocales(given)[0] ?? null
  } catch {
    return null
  }
}

function isKnownZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const separatedByCommas = v.pipe(
  v.string(),
  v.transform((given) => given.split(',')),
)

const allowedHost = v.pipe(
  v.string(),
  v.rawTransform<string, Authority>(({ dataset, addIssue, NEVER }) => {
    const outcome = parseAllowedHost(dataset.value)
    if (outcome.kind === 'ok') return outcome.value
    addIssue()
    return NEVER
  }),
)

export function someOf<const Name extends string>(
  ...names: readonly Name[]
): SettingKind<readonly Name[]> {
  return {
    allowed: `a list of some of ${names.join(', ')}`,
    schema: v.pipe(
      v.union([separatedByCommas, v.array(v.string())]),
      v.transform((entries) => [...new Set(entries.map((entry) => entry.trim()))]),
      v.array(v.picklist(names)),
    ),
  }
}

export const allowedHosts: SettingKind<readonly Authority[]> = {
  allowed: 'host names, each optionally with :port (no wildcard, no URL, no unspecified address)',
  schema: v.pipe(
    v.union([separatedByCommas, v.array(separatedByCommas)]),
    v.transform((entries) => entries.flat()),
    v.array(allowedHost),
  ),
}
