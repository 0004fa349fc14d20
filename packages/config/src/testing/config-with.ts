import type { Config } from '../config.ts'
import { resolveConfig } from '../resolve-config.ts'
import { configWorld } from './config-world.ts'

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
/** Every setting by its own name, regardless of its group. */
export type SettingsByName = Intersection<Config[keyof Config]>

/** The default configuration with these changes. */
export function configWith(changes: Partial<SettingsByName>): Config {
  const { config } = resolveConfig(configWorld())
  const changed = Object.entries(config).map(([group, settings]) => [
    group,
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [
        name,
        name in changes ? changes[name as keyof SettingsByName] : value,
      ]),
    ),
  ])
  return Object.fromEntries(changed) as Config
}
