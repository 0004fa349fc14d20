/** How many stops of a slider a key goes on by, as WAI-ARIA has it for the role. */
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

/** How many stops a key goes on by; undefined for a key that moves no slider. */
export function sliderSteps(key: string): number | undefined {
  return STEPS[key]
}
