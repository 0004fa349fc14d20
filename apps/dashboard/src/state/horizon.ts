import { signal } from '@preact/signals'
import type { PerWindow } from '@svc/core/service'

/** Hours that each chart of resets can look ahead; the first is the default. */
export const HORIZONS: Readonly<Record<string, readonly [number, ...number[]]>> = {
  '5h': [6, 24],
  week: [168, 24],
} satisfies PerWindow<readonly [number, ...number[]]>

const first = Object.entries(HORIZONS).map(([id, [hours]]) => [id, hours] as const)

/** Chosen hours, by window. */
export const horizon = signal<Readonly<Record<string, number>>>(Object.fromEntries(first))
