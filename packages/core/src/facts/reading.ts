import type { EpochMs } from './time.ts'
import type { WindowId } from './window.ts'

/** Origin of a reading, most trusted first. */
export type ReadingOrigin = 'direct' | 'headers' | 'error-body' | 'status-message'

/** Reservation about a reading. `derived`: the vendor left a zero out; `sources_disagree`: two figures of the vendor differ, and the larger use counts. */
export type ReadingNote = 'derived' | 'sources_disagree'

/** Remarks about a window. A member without a remark is left out. */
export interface WindowMarks {
  readonly note?: ReadingNote
  readonly label?: string
  readonly models?: readonly string[]
  /** True if the vendor serves requests although the window is used up: paid use that has ended blocks nothing then. */
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

/** The remarks about a window, for another object about it. */
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

/** One reading of an account's limits: the content of one answer. */
export interface QuotaSample {
  readonly origin: ReadingOrigin
  readonly sampledAt: EpochMs
  /** The vendor's name of the plan; null if the answer has none. */
  readonly plan: string | null
  readonly windows: readonly WindowReading[]
  /** Number of windows in the answer that could not be read. Above 0, a missing window may be one of them and does not count as absent. */
  readonly unreadableWindowCount: number
  /** True if the vendor says that it refuses requests: a limit of the account itself is reached. Goes before every percent. */
  readonly limitReached: boolean
  /** True if the vendor says that it serves requests; left out: it does not say. Never together with `limitReached`. */
  readonly allowed?: true
  /** The account's reached spending limit; null if it is not reached. */
  readonly spendReached: { readonly resetAt: EpochMs | null } | null
  /** True if the vendor answered well and has no limits to report for this account; left out: false. */
  readonly reportsNone?: boolean
  /** Unknown names in the answer: windows, flags, limits, fields. Counted and shown; no rule reads them. None if omitted. */
  readonly unknownNames?: readonly string[]
  /** Identity of the account at the vendor (organisation, user), which the account list lacks; never shown. Left out: none in the answer. */
  readonly vendorIdentity?: string
}

const SAMPLES_MAX = 4

/**
 * Adds a sample that came with a client's answer, which shows only the windows of its model: a window that the newest sample of its origin lacks keeps its
 * last reading, with its own time, until its reset. Of two samples of one time the added one counts. See docs/rules.md#merging-readings.
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

/** Whether a window read at `readAt` has not been reset by `now`. */
function lasts({ resetAt, periodSeconds }: WindowReading, readAt: EpochMs, now: EpochMs): boolean {
  return (resetAt ?? readAt + (periodSeconds ?? 0) * 1000) > now
}
