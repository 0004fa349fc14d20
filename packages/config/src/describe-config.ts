import type { Authority } from './authority.ts'
import { settingIn, type Upstream } from './config.ts'
import type { ConfigSource } from './config-input.ts'
import { settings } from './config-schema.ts'
import { notifySettings, valueInTarget } from './notify-targets.ts'
import type { ResolvedConfig } from './resolve-config.ts'
import { keysOfOneProxy, shownKey, upstreamKeys, valueInUpstream } from './upstreams.ts'

/** One key of the resolved configuration for display, without secrets and user-info. */
export interface ConfigRow {
  readonly key: string
  /** Null if not set. */
  readonly value: string | number | boolean | readonly string[] | null
  readonly source: ConfigSource
}

/** Every key with its value and the source of that value. The management key is shown only as `set`, `not set` or `read from management_key_file`. */
export function describeConfig(resolved: ResolvedConfig): readonly ConfigRow[] {
  const { upstreams } = resolved.config.fleet
  const rows = settings.map((setting) => ({
    key: setting.key,
    value: shownValue(settingIn(resolved.config, setting)),
    source: resolved.sourceByKey.get(setting.key) ?? 'default',
  }))
  const at = rows.findIndex((row) => row.key === 'management_key_file')
  const targets = targetRows(resolved)
  if (upstreams.length === 0)
    return [...rows.slice(0, at), keyRow(resolved), ...rows.slice(at), ...targets]
  const isShown = ({ key }: ConfigRow) => !keysOfOneProxy.has(key)
  return [
    ...rows.slice(0, at).filter(isShown),
    ...upstreams.flatMap((upstream) => upstreamRows(upstream, resolved)),
    ...rows.slice(at).filter(isShown),
    ...targets,
  ]
}

function targetRows({ config, sourceByKey }: ResolvedConfig): ConfigRow[] {
  return config.notify.targets.flatMap((target) =>
    notifySettings.map((setting) => {
      const key = `notify.${target.name}.${setting.key}`
      const value = valueInTarget(target, setting) as ConfigRow['value']
      return { key, value, source: sourceByKey.get(key) ?? 'default' }
    }),
  )
}

function upstreamRows(upstream: Upstream, { config, sourceByKey }: ResolvedConfig): ConfigRow[] {
  return upstreamKeys.map((tableKey) => {
    const key = shownKey(upstream.name, tableKey)
    const value = shownValue(valueInUpstream(upstream, tableKey, config))
    return { key, value, source: sourceByKey.get(key) ?? 'default' }
  })
}

/** Row of the management key. A key in the environment takes precedence over a key file. */
function keyRow({ config, sourceByKey }: ResolvedConfig): ConfigRow {
  const key = 'management_key'
  if (config.upstream.managementKey !== null)
    return { key, value: 'set', source: sourceByKey.get(key) ?? 'default' }
  if (config.upstream.managementKeyFile === null)
    return { key, value: 'not set', source: 'default' }
  return {
    key,
    value: 'read from management_key_file',
    source: sourceByKey.get('management_key_file') ?? 'default',
  }
}

/** The rows as aligned lines of text. */
export function configText(rows: readonly ConfigRow[]): string {
  const keyWidth = Math.max(...rows.map((row) => row.key.length))
  const values = rows.map(({ value }) =>
    value === null ? '-' : typeof value === 'object' ? value.join(', ') || '-' : String(value),
  )
  const valueWidth = Math.min(48, Math.max(...values.map((value) => value.length)))
  return rows
    .map(
      (row, index) =>
        `${row.key.padEnd(keyWidth)}  ${(values[index] ?? '').padEnd(valueWidth)}  ${row.source}\n`,
    )
    .join('')
}

function shownValue(value: unknown): ConfigRow['value'] {
  if (Array.isArray(value))
    return (value as readonly (Authority | string)[]).map((one) =>
      typeof one === 'string' ? one : hostText(one),
    )
  return value as string | number | boolean | null
}

function hostText({ host, port }: Authority): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === null ? name : `${name}:${port}`
}
