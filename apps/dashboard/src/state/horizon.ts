import { signal } from '@preact/signals'

/** How far each chart of resets may look ahead, in hours; the first is where it begins. */
export const HORIZONS: Readonly<Record<string, readonly [number, ...number[]]>> = {
  '5h': [6, 24],
  week: [168, 24],
}

const first = Object.entries(HORIZONS).map(([id, [hours]]) => [id, hours] as const)

/** The hours that are chosen, by window. */
export const horizon = signal<Readonly<Record<string, number>>>(Object.fromEntries(first))
