import type { Config } from '../config.ts'
import { ConfigError, type ConfigInput } from '../config-input.ts'
import { resolveConfig } from '../resolve-config.ts'

export type ConfigWorld = Partial<ConfigInput> & {
  readonly files?: Readonly<Record<string, string>>
}

/** An empty input without files, plus these changes. */
export function configWorld({ files = {}, ...given }: ConfigWorld = {}): ConfigInput {
  return {
    flags: {},
    configFlag: null,
    env: {},
    cwd: '/work dir',
    homeDir: '/home/someone',
    hostTimeZone: 'Europe/Prague',
    demo: false,
    readTextFile(path) {
      const text = files[path]
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      return text
    },
    ...given,
  }
}

/** The world with this text as `/etc/x/config.toml`, which `--config` names. */
export function worldWithToml(toml: string, { files, ...changes }: ConfigWorld = {}): ConfigInput {
  const path = '/etc/x/config.toml'
  return configWorld({ files: { [path]: toml, ...files }, configFlag: path, ...changes })
}

/** The error thrown by `resolve`; fails the test if it does not throw. */
export function configErrorOf(resolve: () => unknown): ConfigError {
  try {
    resolve()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

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
