import { describe, expect, it } from 'vitest'
import { settingIn } from './config.ts'
import { settings } from './config-schema.ts'
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
})

describe('limits', () => {
  it.each([
    { key: 'port', min: 1, max: 65_535, step: 1 },
    { key: 'refresh_seconds', min: 5, max: 3_600, step: 1 },
    { key: 'upstream_timeout_seconds', min: 1, max: 300, step: 1 },
    { key: 'quota_probe_concurrency', min: 1, max: 2, step: 1 },
    { key: 'quota_probes_per_minute', min: 1, max: 600, step: 1 },
    { key: 'history_write_seconds', min: 5, max: 3_600, step: 1 },
    { key: 'history_retention_days', min: 1, max: 3_650, step: 1 },
    { key: 'usage_retention_days', min: 1, max: 3_650, step: 1 },
    { key: 'metrics_series_max', min: 0, max: 1_000, step: 1 },
    { key: 'weekly_to_five_hour_multiplier', min: 0.1, max: 100, step: 0.01 },
    { key: 'alert_five_hour_min_plus', min: 0, max: 1_000_000, step: 0.5 },
    { key: 'alert_weekly_min_plus', min: 0, max: 1_000_000, step: 0.5 },
    { key: 'alert_routable_min', min: 0, max: 1_000_000, step: 0.5 },
  ])('$key is from $min to $max, in TOML and in text', ({ key, min, max, step }) => {
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
