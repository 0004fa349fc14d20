import type { NotifyTarget } from '@svc/core/notify'
import { DEFAULT_UPSTREAM, type Redacted } from '@svc/core/service'
import { type SettingsOf, settings } from './config-schema.ts'
import { propertyOf, type Setting, type SettingGroup } from './setting.ts'

/** The resolved configuration: one group per consumer, one property per key. URLs have no trailing slash, paths are absolute, null means not set. */
export type Config = {
  readonly [Group in SettingGroup]: SettingsOf<Group>
} & {
  readonly upstream: { readonly managementKey: Redacted | null }
  /** The proxies of the `[[upstream]]` tables; empty if the flat keys describe the only one. */
  readonly fleet: { readonly upstreams: readonly Upstream[] }
  readonly notify: { readonly targets: readonly NotifyTarget[] }
}

/** Settings of one proxy: from its `[[upstream]]` table, or from the flat keys if it is the only one. */
export interface Upstream extends Pick<Config, 'upstream' | 'quota' | 'usage'> {
  readonly name: string
}

/** Every watched proxy, at least one. */
export function upstreamsOf(config: Config): readonly Upstream[] {
  const { upstream, quota, usage, fleet } = config
  return fleet.upstreams.length > 0
    ? fleet.upstreams
    : [{ name: DEFAULT_UPSTREAM, upstream, quota, usage }]
}

export function configOf(
  valueByKey: ReadonlyMap<string, unknown>,
  managementKey: Redacted | null,
): Config {
  const groups: { [Group in SettingGroup]?: Record<string, unknown> } = {
    upstream: { managementKey },
    fleet: { upstreams: [] },
  }
  for (const setting of settings) {
    const { group, key } = setting
    groups[group] = { ...groups[group], [propertyOf(setting)]: valueByKey.get(key) }
  }
  // The table lists the properties, and its schemas created the values.
  return { ...groups, notify: { targets: [] } } as unknown as Config
}

export function settingIn(config: Config, setting: Setting): unknown {
  const group: Readonly<Record<string, unknown>> = config[setting.group]
  return group[propertyOf(setting)]
}
