import { describe, expect, it } from 'vitest'
import { unexpandedIn } from './config-input.ts'
import { resolveConfig } from './resolve-config.ts'
import { configErrorOf, configWorld, worldWithToml } from './testing/config-world.ts'

describe('a path that was meant for a shell', () => {
  it.each([
    ['~/history.db', '`~`'],
    ['~', '`~`'],
    ['~vera/history.db', '`~`'],
    ['$HOME/history.db', '`$HOME`'],
    [`\${HOME}/history.db`, `\`\${HOME}\``],
    [`\${XDG_STATE_HOME:-/var}/history.db`, '`$`'],
    ['/srv/$USER/history.db', '`$USER`'],
    [`/home/\${USER}/history.db`, `\`\${USER}\``],
    ['$STAGE-history.db', '`$STAGE`'],
    ['$home/history.db', '`$`'],
    ['$(pwd)/history.db', '`$`'],
    ['%h/history.db', '`%h`'],
    ['%d/management-key', '`%d`'],
    ['%USERPROFILE%\\history.db', '`%USERPROFILE%`'],
  ])('%s is refused and names what is not expanded: %s', (path, part) => {
    expect(unexpandedIn(path)).toBe(`${part} is not expanded here: write the whole path`)
  })

  it.each([
    './~/history.db',
    '/srv/~vera/history.db',
    'history.db~',
    'C:\\PROGRA~1\\history.db',
    '/srv/100%/history.db',
    '/srv/%history.db',
    '/srv/a$b/history.db',
    './$HOME/history.db',
    '/srv/$HOME/history.db',
    '/srv/100% %h $(id)/history.db',
    '\\\\server\\c$\\history.db',
    '/run/secrets/management-key-{name}',
  ])('%s is a path', (path) => {
    expect(unexpandedIn(path)).toBeNull()
  })

  it.each([
    'management_key_file',
    'upstreams_file',
    'auth_dir',
    'state_db',
    'state_db_password_file',
    'client_labels_file',
    'benchmark_summary',
  ])('is refused as %s from flag, variable and file', (key) => {
    for (const [input, place] of [
      [
        configWorld({ flags: { [key.replaceAll('_', '-')]: '~/x' } }),
        `--${key.replaceAll('_', '-')}`,
      ],
      [
        configWorld({ env: { [`SVC_QUOTA_MONITOR_${key.toUpperCase()}`]: '~/x' } }),
        `SVC_QUOTA_MONITOR_${key.toUpperCase()}`,
      ],
      [worldWithToml(`${key} = "~/x"`), '/etc/x/config.toml line 1'],
    ] as const)
      expect(configErrorOf(() => resolveConfig(input)).message).toBe(
        `${key} from ${place}: \`~\` is not expanded here: write the whole path`,
      )
  })

  it.each([
    [
      'a table of proxies',
      '[[upstream]]\nname = "a"\nurl = "http://a"\nmanagement_key_file = "$HOME/k"',
    ],
    ['a table of targets', '[[notify]]\nname = "a"\nkind = "ntfy"\nurl_file = "$HOME/k"'],
    ['the address of a database', 'state_db = "postgres://db.example/h?sslrootcert=$HOME/ca.pem"'],
  ])('is refused in %s', (_, toml) => {
    expect(configErrorOf(() => resolveConfig(worldWithToml(toml))).message).toContain(
      '`$HOME` is not expanded here',
    )
  })

  it.each([
    ['--config', configWorld({ configFlag: '~/config.toml' })],
    [
      'SVC_QUOTA_MONITOR_CONFIG',
      configWorld({ env: { SVC_QUOTA_MONITOR_CONFIG: '~/config.toml' } }),
    ],
  ])('is refused as the config file of %s', (place, input) => {
    expect(configErrorOf(() => resolveConfig(input)).message).toBe(
      `config file from ${place}: \`~\` is not expanded here: write the whole path`,
    )
  })
})
