import { ConfigError } from '@svc/config'

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of a duration such as 500ms, 5s, 10m or 1h. Throws ConfigError naming the flag. */
export function durationMs(flag: string, given: unknown): number {
  const [, count, unit = ''] = /^(\d{1,6})(ms|s|m|h)$/.exec(String([given].flat().at(-1))) ?? []
  const unitMs = UNIT_MS[unit]
  if (count !== undefined && unitMs !== undefined && Number(count) > 0)
    return Number(count) * unitMs
  throw new ConfigError({
    code: 'invalid_value',
    message: `${flag}: a duration as 500ms, 5s, 10m or 1h is needed`,
  })
}
