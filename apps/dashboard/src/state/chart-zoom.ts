import { signal } from '@preact/signals'

/** The part of a chart's range that is shown, in seconds since 1970; excludes `to`. */
export interface Zoom {
  readonly from: number
  readonly to: number
}

/** The shown part of the chart of usage; null for the whole range. */
export const zoom = signal<Zoom | null>(null)

/** Parses a zoom in the address, empty for none; undefined if it is invalid. */
export function parseZoom(text: string): Zoom | null | undefined {
  if (text === '') return null
  const [, from, to] = (/^(\d{1,10})-(\d{1,10})$/.exec(text) ?? []).map(Number)
  return from !== undefined && to !== undefined && from < to ? { from, to } : undefined
}

/** A zoom in the address. */
export function zoomText(shown: Zoom | null): string {
  return shown === null ? '' : `${shown.from}-${shown.to}`
}
