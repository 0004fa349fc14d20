import { describe, expect, it } from 'vitest'
import type { Given } from './config-input.ts'
import { settings } from './config-schema.ts'
import { envNameOf, flagOf, headingOf, propertyOf, readValue } from './setting.ts'
import { choice, integer, path, type SettingKind } from './setting-kinds.ts'

const settingNamed = (key: string) => {
  const setting = settings.find((candidate) => candidate.key === key)
  if (setting === undefined) throw new Error(`no setting ${key}`)
  return setting
}

describe('a setting', () => {
  it.each([
    { key: 'port', flag: 'port', env: 'SVC_QUOTA_MONITOR_PORT', property: 'port' },
    {
      key: 'weekly_to_five_hour_multiplier',
      flag: 'weekly-to-five-hour-multiplier',
      env: 'SVC_QUOTA_MONITOR_WEEKLY_TO_FIVE_HOUR_MULTIPLIER',
      property: 'weeklyToFiveHourMultiplier',
    },
    // The flag is singular because it takes one value and may be repeated.
    {
      key: 'allowed_hosts',
      flag: 'allowed-host',
      env: 'SVC_QUOTA_MONITOR_ALLOWED_HOSTS',
      property: 'allowedHosts',
    },
  ])('$key is --$flag, $env and $property', ({ key, flag, env, property }) => {
    const setting = settingNamed(key)

    expect([flagOf(setting), envNameOf(setting), propertyOf(setting)]).toEqual([
      flag,
      env,
      property,
    ])
  })

  it.each([
    { key: 'host', heading: 'Listener' },
    { key: 'upstream_url', heading: 'Proxy' },
    { key: 'weekly_to_five_hour_multiplier', heading: 'Quota' },
    { key: 'client_labels_file', heading: 'History' },
    { key: 'alert_routable_min', heading: 'Display and alerts' },
  ])('$key is listed under $heading', ({ key, heading }) => {
    expect(headingOf(settingNamed(key))).toBe(heading)
  })
})

const given = (raw: unknown, changes: Partial<Given> = {}): Given => ({
  raw,
  source: 'env',
  place: 'SOME_VARIABLE',
  folder: '/srv/config',
  ...changes,
})
const seconds = { key: 'some_seconds', kind: integer(5, 60) }

describe('a value that was given', () => {
  it.each<{ readonly what: string; readonly value: Given; readonly read: unknown }>([
    { what: 'a number in a file', value: given(30, { source: 'file' }), read: 30 },
    { what: 'a number as text in the environment', value: given('30'), read: 30 },
    { what: 'a number as text of a flag', value: given('5', { source: 'flag' }), read: 5 },
  ])('is read as $what', ({ value, read }) => {
    expect(readValue(seconds, value)).toEqual({ value: read })
  })

  it.each<{ readonly what: string; readonly value: Given; readonly shown: string }>([
    { what: 'text where a file has numbers', value: given('30', { source: 'file' }), shown: '30' },
    { what: 'zeros in front', value: given('030'), shown: '030' },
    { what: 'a sign', value: given('+30'), shown: '+30' },
    { what: 'an exponent', value: given('3e1'), shown: '3e1' },
    { what: 'blanks', value: given(' 30 '), shown: '30' },
    { what: 'a number out of range', value: given('61'), shown: '61' },
  ])('is a mistake with $what, and says which', ({ value, shown }) => {
    expect(readValue(seconds, value)).toMatchObject({
      code: 'invalid_value',
      message: expect.stringMatching(/^some_seconds from SOME_VARIABLE: expected .*, not /),
    })
    expect(readValue(seconds, value)).toMatchObject({ message: expect.stringContaining(shown) })
  })

  it.each([
    { raw: 'key', value: '/srv/config/key' },
    { raw: '../key', value: '/srv/key' },
    { raw: '/run/key', value: '/run/key' },
  ])('as the path $raw is $value, from where it was given', ({ raw, value }) => {
    expect(readValue({ key: 'some_file', kind: path }, given(raw))).toEqual({ value })
  })

  it('is not shown where it may hold a password', () => {
    const kind: SettingKind<'auto' | 'off'> = choice('auto', 'off')
    const secret: SettingKind<'auto' | 'off'> = { ...kind, secret: true }

    for (const read of [
      readValue({ key: 'some_name', kind }, given('user:canary@host')),
      readValue({ key: 'some_name', kind: secret }, given('canary')),
    ]) {
      expect(read).toMatchObject({ code: 'invalid_value' })
      expect(JSON.stringify(read)).not.toContain('canary')
    }
  })
})
