import { isIP } from 'node:net'

/** A `host[:port]`. Host in lower case, IPv6 canonical without brackets, a v4-mapped address as IPv4. `port` is null if none was written. */
export interface Authority {
  readonly host: string
  readonly port: number | null
}

const AUTHORITY_LENGTH_MAX = 261
const NAME_LENGTH_MAX = 253
const PORT_MAX = 65_535
const PORT = /^[1-9][0-9]{0,4}$/
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
/** Numeric label: other parsers would take a name such as `127.1` or `0x7f.1` for an address. */
const NUMERIC_LABEL = /^(?:[0-9]+|0x[0-9a-f]*)$/

/** Reads an authority by RFC 9112, else null. Uses no URL parser: those accept user names, paths and octal addresses. */
export function parseAuthority(text: string): Authority | null {
  if (text.length === 0 || text.length > AUTHORITY_LENGTH_MAX) return null
  const { hostText, portText } = splitAuthority(text)
  const host = canonicalHost(hostText)
  const port = portText === null ? null : parsePort(portText)
  return host === null || port === undefined ? null : { host, port }
}

/** The two parts as written; `portText` is null without a port. Neither part is validated. */
export function splitAuthority(text: string): {
  readonly hostText: string
  readonly portText: string | null
} {
  const end = text.startsWith('[') ? text.indexOf(']') + 1 : text.indexOf(':')
  if (end <= 0 || end === text.length) return { hostText: text, portText: null }
  // Text after a bracket that is not a port counts as an invalid port.
  return { hostText: text.slice(0, end), portText: text[end] === ':' ? text.slice(end + 1) : '' }
}

/** A name of ASCII letters, or an address, in the spelling of `Authority.host`; null for anything else. */
export function canonicalHost(text: string): string | null {
  if (!text.startsWith('[')) return canonicalName(text)
  return text.endsWith(']') ? canonicalIpv6(text.slice(1, -1)) : null
}

/** 1 to 65535 without a leading zero; undefined otherwise. */
export function parsePort(text: string): number | undefined {
  const port = PORT.test(text) ? Number(text) : Number.NaN
  return port <= PORT_MAX ? port : undefined
}

/** 0.0.0.0/8 or ::, which name no host. */
export function isUnspecifiedHost(host: string): boolean {
  return host === '::' || (host.startsWith('0.') && isIP(host) === 4)
}

/** The address of a socket in the same spelling as `Authority.host`. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? (canonicalIpv6(address) ?? address) : address
}

function canonicalName(text: string): string | null {
  if (isIP(text) === 4) return text
  const lower = text.toLowerCase()
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower
  if (name.length > NAME_LENGTH_MAX) return null
  const labels = name.split('.')
  const last = labels[labels.length - 1] ?? ''
  return labels.every((label) => LABEL.test(label)) && !NUMERIC_LABEL.test(last) ? name : null
}

function canonicalIpv6(address: string): string | null {
  // `isIP` accepts a zone id, but a Host header cannot have one.
  if (isIP(address) !== 6 || address.includes('%')) return null
  // The address is already valid; the URL parser only makes its spelling canonical.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical)
  if (mapped === null) return canonical
  const high = Number.parseInt(mapped[1] ?? '', 16)
  const low = Number.parseInt(mapped[2] ?? '', 16)
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}
