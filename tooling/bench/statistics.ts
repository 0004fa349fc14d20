/** The value below which `share` (0..1) of all lie; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

const RESAMPLES = 2_000

/** Bootstrap 95 % interval of the median. Deterministic: equal values give an equal interval. */
export function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const random = seededRandom(1)
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[Math.floor(random() * values.length)] ?? 0)),
  )
  return [percentile(medians, 0.025), percentile(medians, 0.975)]
}

/** Uniform in 0..1, the same sequence for the same seed (a linear congruential generator with the constants of Numerical Recipes). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
