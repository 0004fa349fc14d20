import { domainToASCII } from 'node:url'
import {
  type Authority,
  canonicalHost,
  isUnspecifiedHost,
  parsePort,
  splitAuthority,
} from './authority.ts'

export type AllowedHostOutcome =
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

/** The name in ASCII, as browsers send it. An ASCII name is not converted, because the converter reads `127.1` as an address. */
function inAscii(name: string): string {
  return /^[\x21-\x7e]*$/.test(name) ? name : domainToASCII(name)
}

function refuse(why: string): AllowedHostOutcome {
  return { kind: 'refused', why }
}
