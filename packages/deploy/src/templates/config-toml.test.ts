import { resolveConfig, settings } from '@svc/config'
import { worldWithToml } from '@svc/config/testing'
import { describe, expect, it } from 'vitest'
import { anInstallation, type Circumstances } from '../testing/an-installation.ts'
import { configToml } from './config-toml.ts'

/** The configuration read from a file with this text. */
function readFrom(text: string) {
  const { config, sourceByKey } = resolveConfig(worldWithToml(text))
  return { config, sourceByKey }
}

describe('config.toml', () => {
  it.each<{ readonly what: string; readonly circumstances: Circumstances }>([
    { what: 'with nothing set', circumstances: {} },
    {
      what: 'with lists, numbers and paths',
      circumstances: {
        flags: {
          'allowed-host': 'a.example,[fd00::1]:8443',
          'weekly-to-five-hour-multiplier': '5.5',
          'auth-dir': '/srv/a "quoted" \\ folder',
          'alert-routable-min': '3',
        },
      },
    },
    {
      what: 'with what another file says',
      circumstances: { toml: 'state_db = "data/h.db"\ndisplay_timezone = "Asia/Kathmandu"' },
    },
    {
      what: 'with tables of several proxies',
      circumstances: {
        toml: [
          'quota_probes_per_minute = 10\nrefresh_seconds = 30',
          '[[upstream]]\nname = "tokyo"\nurl = "https://tokyo.example"\nmanagement_key_file = "/keys/tokyo"',
          '[[upstream]]\nname = "berlin"\nurl = "https://berlin.example"\nmanagement_key_file = "/keys/berlin"',
          'refresh_seconds = 60\nquota_transport = "off"',
        ].join('\n'),
      },
    },
    {
      what: 'with receivers of messages',
      circumstances: {
        toml: [
          '[[notify]]\nname = "phone"\nkind = "ntfy"\nurl_file = "notify-phone"\nquiet = "22:00-07:00"',
          '[[notify]]\nname = "ops"\nkind = "webhook"\nurl_file = "/run/ops"\non = ["subscription"]\nmin_tone = "warn"',
          'names = true\nquiet_bad = true',
        ].join('\n'),
      },
    },
  ])('$what means what it was made from', ({ circumstances }) => {
    const installation = anInstallation(circumstances)

    expect(readFrom(configToml(installation)).config).toEqual(installation.config)
  })

  it('sets only what was given, and explains every key once', () => {
    const text = configToml(anInstallation({ flags: { port: '8080' } }))
    const given = [...readFrom(text).sourceByKey].filter(([, source]) => source === 'file')

    expect(given).toEqual([['port', 'file']])
    for (const { key } of settings)
      expect(text.match(new RegExp(`^(?:# )?${key} = `, 'gm')), key).toHaveLength(1)
  })

  it('shows of every key a value that would be taken', () => {
    const text = configToml(anInstallation())
      .replace(/^# (\w+ = )/gm, '$1')
      // Without the proxy's own address there is no address of its health check and of its page.
      .replace(/^(?:gateway_health_url|upstream_ui_url) = ""\n/gm, '')
      // A list of several proxies replaces the keys of one.
      .replace(/^upstreams_file = .*\n/m, '')
      // The example store is a file, which has no password and no replica.
      .replace(/^state_db_(?:password_file|replica) = .*\n/gm, '')

    expect(() => readFrom(text)).not.toThrow()
  })

  it('shows a receiver that would be taken, and names a file beside it without its folder', () => {
    const example =
      /^# \[\[notify\]\]\n(?:# {3}.*\n)+/m.exec(configToml(anInstallation()))?.[0] ?? ''
    const toml = '[[notify]]\nname = "a"\nkind = "bark"\nurl_file = "/etc/x/a"\n'

    expect(readFrom(example.replace(/^# */gm, '')).config.notify.targets).toHaveLength(1)
    expect(configToml(anInstallation({ toml }))).toContain('\nurl_file = "a"\n')
  })

  it('holds no management key, wherever the key is given', () => {
    const env = { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'toml-canary-0815' }

    expect(configToml(anInstallation({ env }))).not.toContain('canary')
  })

  it('is no wider than 100 columns, so that an editor shows it whole', () => {
    const comments = configToml(anInstallation())
      .split('\n')
      .filter((line) => line.startsWith('# '))

    expect(Math.max(...comments.map((line) => line.length))).toBeLessThanOrEqual(100)
  })
})
