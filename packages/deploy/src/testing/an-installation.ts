import { resolveConfig } from '@svc/config'
import { configWorld } from '@svc/config/testing'
import { type Installation, installationOf } from '../installation/installation.ts'

/** Settings that a test gives by flag, by variable, or in `/etc/x/config.toml`; everything else has its default. */
export interface Circumstances {
  readonly flags?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly toml?: string
  /** Other files named in the configuration. */
  readonly files?: Readonly<Record<string, string>>
  /** The configuration file, instead of `/etc/x/config.toml`. */
  readonly file?: string
  readonly nodePath?: string
  readonly programPath?: string
  readonly homeDir?: string
}

/** The installation under these circumstances. */
export function anInstallation(circumstances: Circumstances = {}): Installation {
  const { flags = {}, env = {}, toml = null } = circumstances
  const file = circumstances.file ?? (toml === null ? 'off' : '/etc/x/config.toml')
  const resolved = resolveConfig(
    configWorld({
      flags,
      configFlag: file,
      env,
      files: { [file]: toml ?? '', ...circumstances.files },
    }),
  )
  return installationOf(resolved, {
    version: '1.2.3+a1b2c3d',
    nodePath: circumstances.nodePath ?? '/usr/bin/node',
    programPath: circumstances.programPath ?? '/opt/svc-quota-monitor/main.js',
    homeDir: circumstances.homeDir ?? '/home/someone',
  })
}
