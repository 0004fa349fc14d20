/** Stops that each key moves a slider by, as WAI-ARIA defines for the role. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowUp: 1,
  PageDown: -8,
  PageUp: 8,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** Stops that a key moves a slider by; undefined for any other key. */
export function sliderSteps(key: string): number | undefined {
  return STEPS[key]
}
