import { ConfigError, type ConfigInput } from '../config-input.ts'

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
