import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

/** A browser-facing name of the service. `port` null: any port. */
export interface AllowedHost {
  /** Lower case; IPv6 canonical and without brackets. */
  readonly host: string
  readonly port: number | null
}

export type AllowedHostOutcome = { readonly kind: 'ok'; readonly value: AllowedHost } | { readonly kind: 'refused'; readonly why: string }

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const NAME_LENGTH_MAX = 253
const PORT = /^[1-9][0-9]{0,4}$/

/** Reads one authority of `allowed_hosts`: `name`, `name:port`, `192.0.2.1`, `[2001:db8::1]:port`. Unicode names become ASCII. */
export function parseAllowedHost(text: string): AllowedHostOutcome {
  const entry = text.trim()
  if (entry === '') return refused('an entry is empty')
  if (entry.includes('*')) return refused('wildcards are not supported')
  if (/[/@?#\\%\s]/.test(entry)) return refused('give a host name, optionally with :port, and no URL')

  const { host, portText } = splitAuthority(entry)
  if (portText !== null && (!PORT.test(portText) || Number(portText) > 65_535)) return refused('the port must be from 1 to 65535')
  const port = portText === null ? null : Number(portText)
  const canonical = host.startsWith('[') ? canonicalIpv6(host) : canonicalName(host)
  if (canonical === null) return refused('that is not a host name or IP address')
  if (canonical === '::' || (canonical.startsWith('0.') && isIP(canonical) === 4)) return refused('an unspecified address names no host')
  return { kind: 'ok', value: { host: canonical, port } }
}

function splitAuthority(entry: string): { readonly host: string; readonly portText: string | null } {
  const end = entry.startsWith('[') ? entry.indexOf(']') + 1 : entry.indexOf(':')
  if (end <= 0) return { host: entry, portText: null }
  const rest = entry.slice(end)
  if (rest === '') return { host: entry, portText: null }
  return { host: entry.slice(0, end), portText: rest.startsWith(':') ? rest.slice(1) : '' }
}

function canonicalIpv6(bracketed: string): string | null {
  const address = bracketed.slice(1, -1)
  if (!bracketed.endsWith(']') || isIP(address) !== 6) return null
  // The WHATWG parser is used for its canonical spelling only; the address is already known to be valid.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  return unmapped(canonical)
}

/** An IPv4 address in IPv6 clothes is that IPv4 address. */
function unmapped(address: string): string {
  const match = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address)
  if (match === null) return address
  const high = Number.parseInt(match[1] ?? '', 16)
  const low = Number.parseInt(match[2] ?? '', 16)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function canonicalName(host: string): string | null {
  if (isIP(host) === 4) return host
  const ascii = domainToASCII(host).toLowerCase().replace(/\.$/, '')
  const labels = ascii.split('.')
  const last = labels.at(-1) ?? ''
  if (ascii.length > NAME_LENGTH_MAX || !labels.every((label) => LABEL.test(label))) return null
  // `127.1` or `0x7f.1` would be read as an address elsewhere.
  return /^(?:\d+|0x[0-9a-f]*)$/.test(last) ? null : ascii
}

function refused(why: string): AllowedHostOutcome {
  return { kind: 'refused', why }
}
