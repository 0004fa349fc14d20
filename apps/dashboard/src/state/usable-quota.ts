import type { status } from './live-data.ts'

type Capacity = Pick<
  NonNullable<typeof status.value>['summary']['fiveHour'],
  'knownUnits' | 'usableUnits' | 'heldUnits' | 'percent' | 'usablePercent'
>

/** Usable quota of a window in units and percent, and the units held by blocked accounts. */
export function usableQuota({
  knownUnits,
  usableUnits,
  heldUnits,
  percent,
  usablePercent,
}: Capacity) {
  return {
    usable: usableUnits ?? knownUnits,
    held: heldUnits ?? 0,
    percent: usablePercent === undefined ? percent : usablePercent,
  }
}
