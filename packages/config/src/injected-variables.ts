import { ENV_PREFIX } from './setting.ts'

/** Variables that Kubernetes sets in every container for a service named svc-quota-monitor. */
const SERVICE_LINK =
  /^(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)$/
const LINK_VALUE = /^(?:tcp|udp|sctp):\/\//

/**
 * True for a variable that starts with our prefix but was set by Kubernetes, not by an operator. `..._PORT` counts only with a value such as
 * `tcp://…`.
 */
export function isInjected(name: string, value: string | undefined): boolean {
  if (!name.startsWith(ENV_PREFIX)) return false
  const rest = name.slice(ENV_PREFIX.length)
  return SERVICE_LINK.test(rest) || (rest === 'PORT' && LINK_VALUE.test(value ?? ''))
}

/** One sentence about the ignored variables; null if there are none. */
export function injectedNote(env: Readonly<Record<string, string | undefined>>): string | null {
  const names = Object.keys(env).filter((name) => isInjected(name, env[name]))
  if (names.length === 0) return null
  const others = names.length === 1 ? '' : ` and ${names.length - 1} more`
  return `${names[0]}${others} come from a Kubernetes service of this name and are ignored; enableServiceLinks: false leaves them out`
}
