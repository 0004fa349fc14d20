/** Number of stops each key moves a slider, as WAI-ARIA defines for the role. */
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

/** Number of stops a key moves a slider; undefined for other keys. */
export function sliderSteps(key: string): number | undefined {
  return STEPS[key]
}
