const SECONDS_OF_UNIT: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ns: 1e-9,
}
const WHOLE_DURATION = /^(?:\d{1,12}(?:\.\d{1,9})?(?:h|ms|m|s|us|µs|μs|ns)){1,8}$/
const PART = /([\d.]+)([a-zµμ]+)/g

/** Seconds of a duration in Go's form, as in `29m59s` or `1h0m0.5s`; null for anything else. */
export function parseGoDuration(text: string): number | null {
  if (!WHOLE_DURATION.test(text)) return null
  return [...text.matchAll(PART)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (SECONDS_OF_UNIT[unit] ?? 0),
    0,
  )
}
