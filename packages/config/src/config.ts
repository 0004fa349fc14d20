import { DEFAULT_UPSTREAM, type Redacted } from '@svc/core/service'
import { type SettingsOf, settings } from './config-schema.ts'
import { propertyOf, type Setting, type SettingGroup } from './setting.ts'

/** The resolved configuration: what each consumer needs, a property for each key. URLs have no slash at their end, paths are absolute, null means not set. */
export type Config = {
  readonly [Group in SettingGroup]: SettingsOf<Group>
} & {
  readonly upstream: { readonly managementKey: Redacted | null }
  /** The proxies of the `[[upstream]]` tables; empty where the flat keys say how the only one is watched. */
  readonly fleet: { readonly upstreams: readonly Upstream[] }
}

/** How one of several proxies is watched: what the flat keys say of the only one. */
export interface Upstream extends Pick<Config, 'upstream' | 'quota' | 'usage'> {
  readonly name: string
}

/** Every proxy that is watched, at least one. */
export function upstreamsOf(config: Config): readonly Upstream[] {
  const { upstream, quota, usage, fleet } = config
  return fleet.upstreams.length > 0
    ? fleet.upstreams
    : [{ name: DEFAULT_UPSTREAM, upstream, quota, usage }]
}

/** The configuration of these values, one for each key. */
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
  // The table says which properties there are, and its schemas made the values.
  return groups as Config
}

/** The value of a setting. */
export function settingIn(config: Config, setting: Setting): unknown {
  const group: Readonly<Record<string, unknown>> = config[setting.group]
  return group[propertyOf(setting)]
}
