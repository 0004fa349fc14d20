import type { EpochMs } from './time.ts'
import type { WindowId } from './window.ts'

/** Origin of a reading, most trusted first. */
export type ReadingOrigin = 'direct' | 'headers' | 'error-body' | 'status-message'

/**
 * Reservation about a reading. `derived`: a zero that the vendor omitted; `sources_disagree`: two values from the vendor differ, and the higher use
 * counts.
 */
export type ReadingNote = 'derived' | 'sources_disagree'

/** Remarks about a window; absent remarks are omitted. */
export interface WindowMarks {
  readonly note?: ReadingNote
  readonly label?: string
  readonly models?: readonly string[]
  /** True if the vendor serves requests although the window is used up, for example when only the budget for paid use is spent. */
  readonly blocksNothing?: true
}

/** One window in one sample. */
export interface WindowReading extends WindowMarks {
  readonly id: WindowId
  /** Length of the window; null for `spend` and `limit`, which have none. */
  readonly periodSeconds: number | null
  /** Percent remaining, 0..100. */
  readonly percent: number
  readonly resetAt: EpochMs | null
}

export function hasMarks({ note, label, models, blocksNothing }: WindowMarks): boolean {
  return (
    note !== undefined || label !== undefined || models !== undefined || blocksNothing !== undefined
  )
}

/** Copies the remarks of a window, for use in another object. */
export function marksOf({
  note,
  label,
  models,
  blocksNothing,
}: { readonly [Mark in keyof WindowMarks]: WindowMarks[Mark] | undefined }): WindowMarks {
  return {
    ...(note === undefined ? {} : { note }),
    ...(label === undefined ? {} : { label }),
    ...(models === undefined ? {} : { models }),
    ...(blocksNothing === undefined ? {} : { blocksNothing }),
  }
}

/** One sample of an account's limits: the content of one answer. */
export interface QuotaSample {
  readonly origin: ReadingOrigin
  readonly sampledAt: EpochMs
  /** The vendor's name for the plan; null if the answer states none. */
  readonly plan: string | null
  readonly windows: readonly WindowReading[]
  /** Number of windows in the answer that could not be read. If it is not 0, a missing window may be one of these, so it does not count as absent. */
  readonly unreadableWindowCount: number
  /** True if the vendor says that it refuses requests because a limit of the account itself is reached. Takes precedence over all percents. */
  readonly limitReached: boolean
  /** True if the vendor says that it serves requests; omitted if it says nothing. Never combined with `limitReached`. */
  readonly allowed?: true
  /** The account's spending limit, if it is reached; else null. */
  readonly spendReached: { readonly resetAt: EpochMs | null } | null
  /** True if the vendor answered without error and has no limits to report for this account; false if omitted. */
  readonly reportsNone?: boolean
  /** Unknown names of windows, flags, limits and fields in the answer. Counted and shown, but ignored by all rules. None if omitted. */
  readonly unknownNames?: readonly string[]
  /** Resets that the account's owner may spend, 0 to 999; omitted if the answer does not tell. */
  readonly bankedResetCount?: number
  /** The vendor's identity of the account (organisation, user), which the account list lacks; never shown. Omitted if the answer contains none. */
  readonly vendorIdentity?: string
}

const SAMPLES_MAX = 4

/**
 * Adds a sample from a client's answer, which shows only the windows of the requested model. A window missing from it keeps its last reading, with
 * its time, until the window's reset. Of two samples of the same time the added one wins. See docs/rules.md#merging-readings.
 */
export function withPassiveSample(
  samples: readonly QuotaSample[],
  added: QuotaSample,
): readonly QuotaSample[] {
  const others = samples.filter(({ origin }) => origin !== added.origin)
  const newestFirst = [...samples.filter(({ origin }) => origin === added.origin), added]
    .sort((one, other) => one.sampledAt - other.sampledAt)
    .reverse()
  const [newest = added, ...earlier] = newestFirst
  const shown = new Set<WindowId>(newest.windows.map(({ id }) => id))
  const kept = [newest]
  for (const sample of earlier) {
    const unseen = sample.windows.filter(({ id }) => !shown.has(id))
    for (const { id } of unseen) shown.add(id)
    const windows = unseen.filter((window) => lasts(window, sample.sampledAt, newest.sampledAt))
    if (windows.length > 0 && kept.length < SAMPLES_MAX)
      kept.push({
        ...sample,
        windows,
        unreadableWindowCount: 0,
        limitReached: false,
        spendReached: null,
      })
  }
  return [...others, ...kept.reverse()]
}

/** Whether a window read at `readAt` has not yet been reset at `now`. */
function lasts({ resetAt, periodSeconds }: WindowReading, readAt: EpochMs, now: EpochMs): boolean {
  return (resetAt ?? readAt + (periodSeconds ?? 0) * 1000) > now
}
