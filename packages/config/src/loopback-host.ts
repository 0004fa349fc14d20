import { isIP } from 'node:net'
import { canonicalHost, isUnspecifiedHost } from './authority.ts'

/** `localhost`, 127.0.0.0/8 or ::1. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (host.startsWith('127.') && isIP(host) === 4)
}

/** Whether a URL leads to this machine. Unlike a listener's address, an unspecified one does. */
export function isOnThisMachine({ hostname }: URL): boolean {
  const host = canonicalHost(hostname) ?? hostname
  return isLoopbackHost(host) || isUnspecifiedHost(host) || host.endsWith('.localhost')
}
