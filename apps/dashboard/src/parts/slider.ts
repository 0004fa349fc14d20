import { useState } from 'preact/hooks'

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

/** Instant of a chart that the pointer or a key has chosen, null for none, with the handlers of the element that spans the chart. */
export function useChosenMs({
  startMs,
  endMs,
}: {
  readonly startMs: number
  readonly endMs: number
}) {
  const [chosenMs, setChosen] = useState<number | null>(null)
  const readPointer = ({ clientX, currentTarget }: PointerEvent) => {
    if (!(currentTarget instanceof Element)) return
    const { left, width } = currentTarget.getBoundingClientRect()
    setChosen(startMs + ((clientX - left) / width) * (endMs - startMs))
  }
  /** Chooses the instant of a pressed key; undefined for a key without one. */
  const press = (event: KeyboardEvent, ms: number | undefined) => {
    if (ms === undefined) return
    event.preventDefault()
    setChosen(ms)
  }
  const handlers = {
    onPointerDown: readPointer,
    onPointerMove: readPointer,
    onPointerLeave: ({ pointerType }: PointerEvent) => {
      // An instant chosen by touch stays.
      if (pointerType === 'mouse') setChosen(null)
    },
    onBlur: () => setChosen(null),
  }
  return { chosenMs, press, handlers }
}
