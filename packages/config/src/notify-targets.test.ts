import { notifyKinds, notifyTopics } from '@svc/core/notify'
import { describe, expect, it } from 'vitest'
import { configText, describeConfig } from './describe-config.ts'
import { resolveConfig } from './resolve-config.ts'
import { configErrorOf, worldWithToml } from './testing/config-world.ts'

const PATH = '/etc/x/config.toml'
const table = (name: string, more = 'kind = "webhook"\nurl_file = "notify-phone"') =>
  `[[notify]]\nname = "${name}"\n${more}\n`
const withPhone = (more: string) =>
  table('phone', `kind = "webhook"\nurl_file = "notify-phone"\n${more}`)

const targetsIn = (toml: string) => resolveConfig(worldWithToml(toml)).config.notify.targets
const messageFor = (toml: string) => configErrorOf(() => resolveConfig(worldWithToml(toml))).message

describe('tables of receivers', () => {
  it('are none by default', () => {
    expect(targetsIn('port = 1')).toEqual([])
  })

  it('need a name, a kind and a file, and have a default for the rest', () => {
    expect(targetsIn(table('phone'))).toEqual([
      {
        name: 'phone',
        kind: 'webhook',
        urlFile: '/etc/x/notify-phone',
        on: ['action', 'recovered', 'runway', 'banked_reset'],
        minTone: 'bad',
        names: false,
        quiet: null,
        quietBad: false,
      },
    ])
  })

  it.each(notifyKinds)('take the kind %s', (kind) => {
    expect(targetsIn(table('a', `kind = "${kind}"\nurl_file = "/run/a"`))).toMatchObject([
      { kind, urlFile: '/run/a' },
    ])
  })

  it.each([
    ['on = ["subscription", "action", "action"]', { on: ['action', 'subscription'] }],
    [`on = ${JSON.stringify(notifyTopics)}`, { on: [...notifyTopics] }],
    ['min_tone = "warn"', { minTone: 'warn' }],
    ['names = true', { names: true }],
    ['quiet = "22:00-07:00"', { quiet: { from: 1320, to: 420 } }],
    ['quiet = "00:00-23:59"', { quiet: { from: 0, to: 1439 } }],
    ['quiet_bad = true', { quietBad: true }],
  ])('take %s', (more, expected) => {
    expect(targetsIn(withPhone(more))).toMatchObject([expected])
  })

  it('keep their order beside tables of proxies, which may stand in a file of their own', () => {
    const proxies =
      '[[upstream]]\nname = "tokyo"\nurl = "https://a.example"\nmanagement_key_file = "k"\n'
    const toml = `upstreams_file = "/b"\n${table('one')}${table('two')}`
    const { config } = resolveConfig(worldWithToml(toml, { files: { '/b': proxies } }))

    expect(config.notify.targets.map(({ name }) => name)).toEqual(['one', 'two'])
    expect(config.fleet.upstreams.map(({ name }) => name)).toEqual(['tokyo'])
    expect(targetsIn(`${table('one')}${proxies}${table('two')}`)).toHaveLength(2)
  })

  it('are ignored by the demo, which says so', () => {
    const { config, ignoredKeys } = resolveConfig(worldWithToml(table('phone'), { demo: true }))

    expect(config.notify.targets).toEqual([])
    expect(ignoredKeys).toEqual(['notify'])
  })

  it('may be 20, and no more', () => {
    const tables = (count: number) =>
      Array.from({ length: count }, (_, index) => table(`t-${index}`)).join('')

    expect(targetsIn(tables(20))).toHaveLength(20)
    expect(messageFor(tables(21))).toBe('21 [[notify]] tables: expected at most 20')
  })
})

describe('a mistake in a table of a receiver', () => {
  const PLACE = `[[notify]] 1 "phone" of ${PATH} line 1`

  it.each([
    [
      'a name with a blank',
      table('my phone'),
      `name from [[notify]] 1 "my phone" of ${PATH} line 1: expected 1 to 32 of the characters a-z, 0-9 and -, not "my phone"`,
    ],
    [
      'no kind',
      table('phone', 'url_file = "a"'),
      `kind is missing in ${PLACE}: expected one of webhook, ntfy, telegram, discord, slack, feishu, bark`,
    ],
    [
      'a kind that nobody knows',
      table('phone', 'kind = "pager"\nurl_file = "a"'),
      `kind from ${PLACE}: expected one of webhook, ntfy, telegram, discord, slack, feishu, bark, not "pager"`,
    ],
    [
      'no file',
      table('phone', 'kind = "slack"'),
      `url_file is missing in ${PLACE}: expected a path`,
    ],
    [
      'a mistyped key',
      withPhone('mintone = "warn"'),
      `unknown key "mintone" in ${PLACE}: expected min_tone`,
    ],
    [
      'a key like none',
      withPhone('colour = 1'),
      `unknown key "colour" in ${PLACE}: expected one of name, kind, url_file, on, min_tone, names, quiet, quiet_bad`,
    ],
    [
      'a key of the service',
      withPhone('port = 1'),
      `unknown key "port" in ${PLACE}: expected it before the first [[notify]]`,
    ],
    [
      'a topic that nobody knows',
      withPhone('on = ["actions"]'),
      `on from ${PLACE}: expected a list of some of action, recovered, vendor_reset, runway, subscription, banked_reset, not ["actions"]`,
    ],
    [
      'no topic',
      withPhone('on = []'),
      `on from ${PLACE}: expected a list of some of action, recovered, vendor_reset, runway, subscription, banked_reset, not []`,
    ],
    [
      'a topic without brackets',
      withPhone('on = "action"'),
      `on from ${PLACE}: expected a list of some of action, recovered, vendor_reset, runway, subscription, banked_reset, not "action"`,
    ],
    [
      'a tone that is told of never',
      withPhone('min_tone = "good"'),
      `min_tone from ${PLACE}: expected warn or bad, not "good"`,
    ],
    [
      'an hour that no day has',
      withPhone('quiet = "24:00-07:00"'),
      `quiet from ${PLACE}: expected two times of day as in 22:00-07:00, not "24:00-07:00"`,
    ],
    [
      'quiet hours without an end',
      withPhone('quiet = "07:00-07:00"'),
      `quiet from ${PLACE}: expected two times of day as in 22:00-07:00, not "07:00-07:00"`,
    ],
    [
      'a name that is taken',
      `${table('phone')}${table('phone')}`,
      `name from [[notify]] 2 "phone" of ${PATH} line 5: another table before it has this name`,
    ],
    [
      'a table that is no list',
      '[notify]\nname = "phone"',
      `unknown key "notify" in ${PATH} line 1: expected tables [[notify]]`,
    ],
    [
      'a mistyped table',
      '[[notfiy]]\nname = "phone"',
      `unknown key "notfiy" in ${PATH} line 1: expected tables [[notify]]`,
    ],
  ])('%s is named with its table, its line and its key', (_, toml, message) => {
    expect(messageFor(toml)).toBe(message)
  })

  it('counts with those of other tables', () => {
    const proxy = '[[upstream]]\nname = "T"\nurl = "https://a.example"\nmanagement_key_file = "k"\n'

    expect(messageFor(`${proxy}${withPhone('names = 1')}`)).toMatch(
      /^name from \[\[upstream\]\] .* \(and 1 more; /,
    )
  })

  it.each([
    'url_file = "https://hooks.example/canary"',
    'url_file = "HTTPS:hooks.example/canary"',
    'url_file = "//hooks.example/canary"',
    'url_file = "hooks.example.com/services/canary"',
    'url_file = "123456789:canary"',
    'url_file = ["https://hooks.example/canary"]',
    'url = "https://hooks.example/canary"',
    'url_file = "a"\nurl = "https://hooks.example/canary"',
  ])('does not repeat the address: %s', (more) => {
    const { problems } = configErrorOf(() =>
      resolveConfig(worldWithToml(table('phone', `kind = "slack"\n${more}`))),
    )

    expect(JSON.stringify(problems)).not.toContain('canary')
    expect(problems[0]?.message).toContain(`of ${PATH} line 1`)
  })

  it.each(['keys/notify', './hooks.example.com/x', '../n', '/run/secrets/n', 'C:\\notify', 'a.b'])(
    'is no path: %s is one',
    (path) => {
      expect(targetsIn(table('phone', `kind = "slack"\nurl_file = '${path}'`))).toHaveLength(1)
    },
  )
})

it('print-config shows each key of a receiver, and of the file its path alone', () => {
  const rows = describeConfig(
    resolveConfig(
      worldWithToml(withPhone('quiet = "22:00-07:05"\non = ["action"]'), {
        files: { '/etc/x/notify-phone': 'https://hooks.example/canary' },
      }),
    ),
  )
  const own = rows.filter(({ key }) => key.startsWith('notify.'))

  expect(own).toEqual([
    { key: 'notify.phone.kind', value: 'webhook', source: 'file' },
    { key: 'notify.phone.url_file', value: '/etc/x/notify-phone', source: 'file' },
    { key: 'notify.phone.on', value: ['action'], source: 'file' },
    { key: 'notify.phone.min_tone', value: 'bad', source: 'default' },
    { key: 'notify.phone.names', value: false, source: 'default' },
    { key: 'notify.phone.quiet', value: '22:00-07:05', source: 'file' },
    { key: 'notify.phone.quiet_bad', value: false, source: 'default' },
  ])
  expect(configText(rows)).not.toContain('canary')
})
