import { isIP } from 'node:net'
import type { Config } from './config.ts'

/** Address at which this machine reaches a service with these settings. */
export function serviceUrl({ host, port }: Pick<Config['server'], 'host' | 'port'>): string {
  // A service that listens on every address also answers on loopback.
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${isIP(reached) === 6 ? `[${reached}]` : reached}:${port}`
}
