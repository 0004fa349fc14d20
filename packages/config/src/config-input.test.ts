import { describe, expect, it } from 'vitest'
import { ConfigError, type ConfigProblem, shownRaw, unexpandedIn } from './config-input.ts'
import { resolveConfig } from './resolve-config.ts'
import { configErrorOf, configWorld, worldWithToml } from './testing/config-world.ts'

describe('a value in a message', () => {
  it.each([
    { raw: 'loud', shown: '"loud"' },
    { raw: 'two\nlines', shown: '"two\\nlines"' },
    { raw: 1.5, shown: '1.5' },
    { raw: false, shown: 'false' },
    { raw: ['a', 1], shown: '["a",1]' },
    // TOML has infinities, JSON does not.
    { raw: Number.POSITIVE_INFINITY, shown: 'Infinity' },
    { raw: Number.NaN, shown: 'NaN' },
  ])('is $shown', ({ raw, shown }) => {
    expect(shownRaw(raw)).toBe(shown)
  })

  it.each([
    { letters: 62, isCut: false },
    { letters: 63, isCut: true },
    { letters: 5000, isCut: true },
  ])('of $letters letters and two quotes is cut: $isCut', ({ letters, isCut }) => {
    const shown = shownRaw('x'.repeat(letters))

    expect(shown.endsWith('…')).toBe(isCut)
    expect(shown.length).toBeLessThanOrEqual(65)
  })
})

const problem = (message: string, code: ConfigProblem['code'] = 'invalid_value') => ({
  code,
  message,
})

describe('an error of the configuration', () => {
  it('of one mistake is that mistake', () => {
    const error = new ConfigError(problem('port is wrong', 'conflict'))

    expect({ message: error.message, code: error.code }).toEqual({
      message: 'port is wrong',
      code: 'conflict',
    })
  })

  it('of several is the first, counts the others, and keeps all of them', () => {
    const all = [problem('a', 'missing_file'), problem('b'), problem('c')] as const
    const error = new ConfigError(...all)

    expect(error.message).toBe('a (and 2 more; doctor lists all of them)')
    expect(error.code).toBe('missing_file')
    expect(error.problems).toEqual(all)
  })

  it('is one line, and no terminal obeys it, whatever a path or a name holds', () => {
    const { message, problems } = new ConfigError(problem('a\r\n\tb'), problem('c\u001b[2Jd\u0085'))

    expect(message).toBe('a b (and 1 more; doctor lists all of them)')
    expect(problems[1]?.message).toBe('c [2Jd ')
  })
})

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
