import { isIP } from 'node:net'

/** A `host[:port]` of a request. Host in lower case, IPv6 canonical without brackets, a v4-mapped address as IPv4. */
export interface Authority {
  readonly host: string
  readonly port: number | null
}

/** Source: quality guard G1. */
const AUTHORITY_LENGTH_MAX = 261
const NAME_LENGTH_MAX = 253
const PORT_MAX = 65_535
const PORT = /^[1-9][0-9]{0,4}$/
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
/** What other parsers would take for an address: `127.1`, `0x7f.1`. */
const NUMERIC_LABEL = /^(?:[0-9]+|0x[0-9a-f]*)$/

/** Reads an authority as RFC 9112 writes it, or null. Takes no URL parser's word: those accept user names, paths and octal addresses. */
export function parseAuthority(text: string): Authority | null {
  if (text.length === 0 || text.length > AUTHORITY_LENGTH_MAX) return null
  const hostEnd = text.startsWith('[') ? text.indexOf(']') + 1 : indexOrLength(text, ':')
  if (hostEnd === 0) return null

  const rest = text.slice(hostEnd)
  const port = rest === '' ? null : portOf(rest)
  if (port === undefined) return null
  const hostText = text.slice(0, hostEnd)
  const host = hostText.startsWith('[') ? canonicalIpv6(hostText.slice(1, -1)) : canonicalName(hostText)
  return host === null ? null : { host, port }
}

/** 0.0.0.0/8 or ::, which name no host. */
export function isUnspecifiedHost(host: string): boolean {
  return host === '::' || (host.startsWith('0.') && isIP(host) === 4)
}

/** The address of a socket in the same spelling as `Authority.host`. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? (canonicalIpv6(address) ?? address) : address
}

function portOf(text: string): number | undefined {
  const digits = text.slice(1)
  if (!text.startsWith(':') || !PORT.test(digits)) return undefined
  const port = Number(digits)
  return port <= PORT_MAX ? port : undefined
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
  // A zone id is valid to isIP and foreign to a Host header.
  if (isIP(address) !== 6 || address.includes('%')) return null
  // The address is known to be valid; the URL parser only spells it canonically.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical)
  if (mapped === null) return canonical
  const high = Number.parseInt(mapped[1] ?? '', 16)
  const low = Number.parseInt(mapped[2] ?? '', 16)
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

function indexOrLength(text: string, character: string): number {
  const index = text.indexOf(character)
  return index < 0 ? text.length : index
}
