import type { Health } from '@svc/client'
import { unitsText, wholeUnitsText } from '@svc/views/format'
import { unitNames } from '@svc/views/messages'

/** The accounts of one provider, as answers of the service have them. */
export type Pool = NonNullable<Health['pools']>[number]
type PoolWindow = Pool['windows'][number]

/** The pools that an answer is about; none if the service does not name them. */
export function askedPools({
  provider = '',
  pools = [],
}: Pick<Health, 'provider' | 'pools'>): readonly Pool[] {
  const names = provider.split(',')
  return pools.filter((pool) => provider === 'all' || names.includes(pool.provider))
}

/** `Claude 2 of 3 routable: 5h 4.0 of 6 Pro, week 2.2 of 6 Pro`, without windows of which nothing is known. */
export function poolText(pool: Pool): string {
  const windows = pool.windows.filter(isRead).map((window) => remainingText(window, pool.unit))
  const counts = `${pool.label} ${pool.routable} of ${pool.accounts} routable`
  return windows.length === 0 ? counts : `${counts}: ${windows.join(', ')}`
}

/** `Claude week 2.2 of 6 Pro`, of the window with the least left; accounts where the vendor reports no quota, or none may be used. */
export function tightestText(pool: Pool): string {
  const window = tightestWindow(pool)
  return window === null || pool.routable === 0
    ? `${pool.label} ${pool.routable} of ${pool.accounts} routable`
    : `${pool.label} ${remainingText(window, pool.unit)}`
}

function isRead({ knownUnits, unknownUnits }: PoolWindow): boolean {
  return knownUnits > 0 || unknownUnits === 0
}

/** The window with the least percent left; null if nothing is known of any. */
export function tightestWindow({ windows }: Pool): PoolWindow | null {
  const percentOf = ({ percent }: PoolWindow) => percent ?? Number.POSITIVE_INFINITY
  return windows
    .filter(isRead)
    .reduce<PoolWindow | null>(
      (least, window) => (least !== null && percentOf(least) <= percentOf(window) ? least : window),
      null,
    )
}

/** `month 2.6 of 4 accounts`; `≥` in front where too much is unknown. */
export function remainingText(
  { id, knownUnits, trackedUnits, unknownUnits, staleUnits, percent }: PoolWindow,
  unit: Pool['unit'],
): string {
  const isUnknown = unknownUnits > 0 && unknownUnits >= trackedUnits
  const known = isUnknown ? 'unknown' : `${percent === null ? '≥' : ''}${unitsText(knownUnits)}`
  const stale = knownUnits > 0 && staleUnits >= knownUnits ? ' stale' : ''
  return `${id} ${known} of ${wholeUnitsText(trackedUnits)} ${unitNames[unit]}${stale}`
}

/** `Plus units`, in a sentence. */
export function unitWords(unit: string): string {
  if (unit === 'accounts') return 'account units'
  const { [unit]: name = unit }: Readonly<Record<string, string>> = unitNames
  return unit === 'mixed' ? name : `${name} units`
}
