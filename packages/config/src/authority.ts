import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

type AllowedHostOutcome =
  | { readonly kind: 'ok'; readonly value: Authority }
  | { readonly kind: 'refused'; readonly why: string }

/** Reads one entry of `allowed_hosts`: `name`, `name:port`, `192.0.2.1`, `[2001:db8::1]:port`. Unicode names become ASCII. */
export function parseAllowedHost(text: string): AllowedHostOutcome {
  const entry = text.trim()
  if (entry === '') return refuse('an entry is empty')
  if (entry.includes('*')) return refuse('wildcards are not supported')
  if (/[/@?#\\%\s]/.test(entry))
    return refuse('give a host name, optionally with :port, and no URL')

  const { hostText, portText } = splitAuthority(entry)
  const port = portText === null ? null : parsePort(portText)
  if (port === undefined) return refuse('the port must be from 1 to 65535')
  const host = canonicalHost(hostText.startsWith('[') ? hostText : inAscii(hostText))
  if (host === null) return refuse('that is not a host name or IP address')
  if (isUnspecifiedHost(host)) return refuse('an unspecified address names no host')
  return { kind: 'ok', value: { host, port } }
}

/** Spelling of a name in ASCII, as browsers send it. An ASCII name is not converted, because the converter reads `127.1` as an address. */
function inAscii(name: string): string {
  return /^[\x21-\x7e]*$/.test(name) ? name : domainToASCII(name)
}

function refuse(why: string): AllowedHostOutcome {
  return { kind: 'refused', why }
}

/** Whether a host is `localhost`, in 127.0.0.0/8, or ::1. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (host.startsWith('127.') && isIP(host) === 4)
}

/** Whether a URL leads to this machine. An unspecified address such as 0.0.0.0 counts, unlike for a listener. */
export function isOnThisMachine({ hostname }: URL): boolean {
  const host = canonicalHost(hostname) ?? hostname
  return isLoopbackHost(host) || isUnspecifiedHost(host) || host.endsWith('.localhost')
}

/** URL at which this machine reaches a service with these settings. */
export function serviceUrl({
  host,
  port,
}: {
  readonly host: string
  readonly port: number
}): string {
  // A service that listens on every address also answers on loopback.
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${isIP(reached) === 6 ? `[${reached}]` : reached}:${port}`
}

/** A `host[:port]`. The host is in lower case; IPv6 is canonical without brackets, and a v4-mapped address becomes IPv4. `port` is null if absent. */
export interface Authority {
  readonly host: string
  readonly port: number | null
}

const AUTHORITY_LENGTH_MAX = 261
const NAME_LENGTH_MAX = 253
const PORT_MAX = 65_535
const PORT = /^[1-9][0-9]{0,4}$/
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
/** Matches a numeric label, because other parsers would read a name such as `127.1` or `0x7f.1` as an address. */
const NUMERIC_LABEL = /^(?:[0-9]+|0x[0-9a-f]*)$/

/** Parses an authority by RFC 9112; null if invalid. Uses no URL parser, because URL parsers accept user names, paths and octal addresses. */
export function parseAuthority(text: string): Authority | null {
  if (text.length === 0 || text.length > AUTHORITY_LENGTH_MAX) return null
  const { hostText, portText } = splitAuthority(text)
  const host = canonicalHost(hostText)
  const port = portText === null ? null : parsePort(portText)
  return host === null || port === undefined ? null : { host, port }
}

/** Splits an authority into host and port without validating them; `portText` is null without a port. */
function splitAuthority(text: string): {
  readonly hostText: string
  readonly portText: string | null
} {
  const end = text.startsWith('[') ? text.indexOf(']') + 1 : text.indexOf(':')
  if (end <= 0 || end === text.length) return { hostText: text, portText: null }
  // Text after a bracket that is not a port counts as an invalid port.
  return { hostText: text.slice(0, end), portText: text[end] === ':' ? text.slice(end + 1) : '' }
}

/** Canonical spelling of an ASCII name or an address, as in `Authority.host`; null for anything else. */
export function canonicalHost(text: string): string | null {
  if (!text.startsWith('[')) return canonicalName(text)
  return text.endsWith(']') ? canonicalIpv6(text.slice(1, -1)) : null
}

/** Parses a port from 1 to 65535 without a leading zero; undefined otherwise. */
export function parsePort(text: string): number | undefined {
  const port = PORT.test(text) ? Number(text) : Number.NaN
  return port <= PORT_MAX ? port : undefined
}

/** Whether a host is an unspecified address (0.0.0.0/8 or ::), which names no host. */
export function isUnspecifiedHost(host: string): boolean {
  return host === '::' || (host.startsWith('0.') && isIP(host) === 4)
}

/** A socket's address in the spelling of `Authority.host`. */
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
