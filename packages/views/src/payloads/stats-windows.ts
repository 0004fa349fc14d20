import {
  type Interval,
  instantToIso,
  type MainWindow,
  type MainWindowId,
  mainWindows,
  type ProviderId,
} from '@svc/core'
import { CYCLES_RANGE, type PoolCycles } from '@svc/core/pool'
import type { UsageFilter } from '@svc/core/usage'
import * as v from 'valibot'
import { roundedUnits } from '../format/format.ts'
import type { Catalogue } from '../messages/en/catalogue.ts'
import { type NoCourseReason, noCourseReasonSchema } from './quota-course.ts'
import { filterView } from './stats-series.ts'
import { filterSchema } from './stats-series-schema.ts'
import {
  countSchema,
  described,
  instantSchema,
  optional,
  percentSchema,
  secondsSchema,
  unitsSchema,
} from './wire-schema.ts'

const weeklyUnits = (description: string) =>
  described(
    v.nullable(unitsSchema),
    `Units of the provider (Plus units of Codex) per average week that ${description}; null if less than a week was watched or no account counts towards the capacity.`,
  )

export const windowUseSchema = described(
  v.object({
    id: v.string(),
    label: v.string(),
    endedCount: described(
      countSchema,
      'Number of windows of all accounts that ended within the range at the announced reset.',
    ),
    knownCount: described(
      countSchema,
      'Number of ended windows with a reading close enough to the end to know what was left.',
    ),
    dryCount: described(countSchema, 'Number of known windows with nothing left at the end.'),
    dryPercent: described(
      v.nullable(percentSchema),
      '`dryCount` in percent of `knownCount`; null if none is known.',
    ),
    expiredUnits: weeklyUnits('expired at the end of known windows'),
    notBegunUnits: weeklyUnits('were lost because full windows had not been started by a request'),
    trackedUnits: weeklyUnits('the accounts could have used if none had been idle'),
  }),
  'Use of all windows of one kind, over all accounts of the provider.',
)

/** Answer of `/api/v1/stats/windows`. */
export const statsWindowsSchema = described(
  v.object({
    provider: described(v.string(), 'Provider whose accounts are counted.'),
    available: v.boolean(),
    reason: noCourseReasonSchema,
    range: v.object({
      id: v.picklist([CYCLES_RANGE, 'custom']),
      label: v.string(),
      seconds: secondsSchema,
      start: instantSchema,
      end: instantSchema,
    }),
    query: v.object({
      from: described(instantSchema, 'Start of the period that the answer covers.'),
      to: described(instantSchema, 'End of the period that the answer covers, exclusive.'),
      filter: optional(
        v.pick(filterSchema, ['account', 'provider']),
        'Filters that were requested; omitted if there are none.',
      ),
    }),
    warnings: optional(
      v.array(v.string()),
      'Parameters that were ignored, and accounts that the provider does not list; omitted if there are none.',
    ),
    watchedSeconds: described(secondsSchema, 'Seconds of the range in which the pool was watched.'),
    windows: described(
      v.array(windowUseSchema),
      'Use by kind of window that an account has; empty unless available.',
    ),
  }),
  'Use of the windows of the listed accounts of one provider, from stored readings.',
)

/** Answer of `/api/v1/stats/windows`. */
export type StatsWindows = v.InferOutput<typeof statsWindowsSchema>

interface WindowsAsked {
  readonly span: Interval
  readonly range: typeof CYCLES_RANGE | 'custom'
  readonly provider: ProviderId
  /** Windows that an account has; empty if none is known. */
  readonly windowIds: readonly MainWindowId[]
  readonly filter: UsageFilter
  readonly warnings: readonly string[]
}

/** Answer of `/api/v1/stats/windows`. `cycles`: cycles in the range, or the reason they are missing. */
export function statsWindowsView(
  cycles: PoolCycles | NoCourseReason,
  { span: { from, to }, range, provider, windowIds, filter, warnings }: WindowsAsked,
  words: Catalogue,
): StatsWindows {
  const available = typeof cycles !== 'string'
  const isShown = ({ id }: MainWindow) => windowIds.length === 0 || windowIds.includes(id)
  return {
    provider,
    available,
    reason: available ? null : cycles,
    range: {
      id: range,
      label: words.usage.ranges[range],
      seconds: (to - from) / 1000,
      start: instantToIso(from),
      end: instantToIso(to),
    },
    query: {
      from: instantToIso(from),
      to: instantToIso(to),
      ...(Object.keys(filter).length === 0 ? {} : { filter: filterView(filter) }),
    },
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    watchedSeconds: available ? cycles.watchedSeconds : 0,
    windows: available
      ? mainWindows.filter(isShown).map(({ id }) => {
          const { endedCount, knownCount, dryCount, weekly } = cycles.windows[id]
          return {
            id,
            label: words.windowLabel(id),
            endedCount,
            knownCount,
            dryCount,
            dryPercent: knownCount === 0 ? null : Math.round((dryCount / knownCount) * 1000) / 10,
            expiredUnits: weekly && roundedUnits(weekly.expired),
            notBegunUnits: weekly && roundedUnits(weekly.notBegun),
            trackedUnits: weekly && roundedUnits(weekly.tracked),
          }
        })
      : [],
  }
}
