import { describe, expect, it } from 'vitest'
import { settingIn, settings } from './config-schema.ts'
import { resolveConfig } from './resolve-config.ts'
import { envNameOf, flagOf, headingOf } from './setting.ts'
import { configErrorOf, configWorld, worldWithToml } from './testing/config-world.ts'

describe('the table of settings', () => {
  it('has each key, flag and variable once', () => {
    for (const nameOf of [({ key }: { key: string }) => key, flagOf, envNameOf])
      expect(new Set(settings.map((setting) => nameOf(setting))).size).toBe(settings.length)
  })

  it('lists all settings of a heading together, as help prints them', () => {
    const headings = settings.map(headingOf)
    const turns = headings.filter((heading, index) => heading !== headings[index - 1])

    expect(turns).toEqual([...new Set(headings)])
  })

  it('has no default that would be refused if it were given', () => {
    const { config } = resolveConfig(configWorld())
    for (const setting of settings) {
      const value = settingIn(config, setting)
      if (value === null || Array.isArray(value)) continue
      const given = configWorld({ flags: { [flagOf(setting)]: String(value) } })
      expect(settingIn(resolveConfig(given).config, setting), setting.key).toEqual(value)
    }
  })

  it('puts each setting into the group of its consumer and nowhere else', () => {
    const { config } = resolveConfig(configWorld())
    const properties = Object.values(config).flatMap((group) => Object.keys(group))

    // The management key is in no row: it is never a flag and never in TOML.
    expect(properties).toHaveLength(settings.length + 1)
    expect(config.upstream).toHaveProperty('managementKey', null)
    expect(Object.keys(config.history).sort()).toEqual([
      'historyRetentionDays',
      'historyWriteSeconds',
      'stateDb',
      'usageRetentionDays',
    ])
  })
})

describe('limits', () => {
  it.each([
    ['port', 1, 65_535, 1],
    ['refresh_seconds', 5, 3_600, 1],
    ['upstream_timeout_seconds', 1, 300, 1],
    ['quota_probe_concurrency', 1, 2, 1],
    ['quota_probes_per_minute', 1, 600, 1],
    ['history_write_seconds', 5, 3_600, 1],
    ['history_retention_days', 1, 3_650, 1],
    ['usage_retention_days', 1, 3_650, 1],
    ['weekly_to_five_hour_multiplier', 0.1, 100, 0.01],
    ['alert_five_hour_min_plus', 0, 1_000_000, 0.5],
    ['alert_weekly_min_plus', 0, 1_000_000, 0.5],
    ['alert_routable_min', 0, 1_000_000, 0.5],
  ])('%s is from %d to %d, in TOML and in text', (key, min, max, step) => {
    const setting = settings.find((candidate) => candidate.key === key)
    if (setting === undefined) throw new Error(`no setting ${key}`)
    const read = (value: number) => [
      () => settingIn(resolveConfig(worldWithToml(`${key} = ${value}`)).config, setting),
      () =>
        settingIn(
          resolveConfig(configWorld({ env: { [envNameOf(setting)]: String(value) } })).config,
          setting,
        ),
    ]

    for (const value of [min, max]) for (const resolve of read(value)) expect(resolve()).toBe(value)
    for (const value of [min - step, max + step]) {
      for (const resolve of read(value))
        expect(configErrorOf(resolve)).toMatchObject({ code: 'invalid_value' })
    }
  })
})
