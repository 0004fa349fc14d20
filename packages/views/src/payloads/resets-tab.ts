import {
  type EpochMs,
  isStale,
  type MainWindowId,
  mainWindows,
  percentOf,
  type Snapshot,
  secondsUntil,
} from '@svc/core'
import { hasNotStarted } from '@svc/core/account'
import { type AccountReset, reclaimableAccounts } from '@svc/core/pool'
import { fileKeyOf, groupedBy } from '@svc/core/service'
import * as v from 'valibot'
import { percentText, roundedUnits } from '../format/format.ts'
import type { Wording } from '../messages/wording.ts'
import { isRolledOver, windowPercentText, windowRemainingText } from './quota-window.ts'
import { upstreamIn, upstreamSchema } from './upstreams.ts'
import {
  described,
  instantSchema,
  optional,
  percentSchema,
  secondsSchema,
  toneSchema,
  unitsSchema,
  windowStateSchema,
} from './wire-schema.ts'

export const resetRowSchema = described(
  v.object({
    account: v.string(),
    authIndex: v.string(),
    upstream: upstreamSchema,
    badge: v.string(),
    tone: toneSchema,
    state: windowStateSchema,
    percent: v.nullable(percentSchema),
    percentText: v.string(),
    stale: v.boolean(),
    remainingText: v.string(),
    timeText: v.string(),
    timezoneLabel: v.string(),
    resetAt: v.nullable(instantSchema),
    resetsInSeconds: v.nullable(secondsSchema),
    units: optional(unitsSchema, 'Units of the pool that the reset returns; omitted if none.'),
    rolledOver: optional(
      v.boolean(),
      'True if the reset has passed since the reading: the window counts as full, unconfirmed by a new reading. Omitted if false.',
    ),
    notStarted: optional(
      v.boolean(),
      'True if the window starts with the first request, and none was sent yet. Omitted otherwise.',
    ),
    displayResetSource: described(
      v.nullable(v.string()),
      'Id of the window whose reset unblocks the account.',
    ),
  }),
  'Next reset of one window of an account.',
)

const reclaimRowSchema = v.object({
  account: v.string(),
  authIndex: v.string(),
  accountKey: v.optional(v.string()),
  upstream: upstreamSchema,
  badge: v.string(),
  percent: percentSchema,
  percentText: v.string(),
  units: described(unitsSchema, 'Units of the pool that expire.'),
  resetsInSeconds: secondsSchema,
  remainingText: v.string(),
})

export const resetsTabSchema = v.object({
  columns: v.array(v.object({ id: v.string(), label: v.string(), rows: v.array(resetRowSchema) })),
  reclaim: v.array(reclaimRowSchema),
})

type ResetsTab = v.InferOutput<typeof resetsTabSchema>
type WireResetRow = v.InferOutput<typeof resetRowSchema>

/** The resets of each window, soonest first, and the reclaim list. */
export function resetsTab(snapshot: Snapshot, text: Wording): ResetsTab {
  return {
    columns: snapshot.resetColumns.map(({ windowId, rows }) => ({
      id: windowId,
      label: text.words.windowLabel(windowId),
      rows: rows.map(resetRowView(snapshot, windowId, text)),
    })),
    reclaim: reclaimRows(snapshot, text),
  }
}

function resetRowView(snapshot: Snapshot, windowId: MainWindowId, text: Wording) {
  const context = {
    now: snapshot.evaluatedAt,
    text,
    timezoneLabel: text.zoneLabel(snapshot.evaluatedAt),
    upstreamOf: upstreamIn(snapshot),
    unitsOf: returnedUnitsIn(snapshot, windowId),
  }
  return (row: AccountReset) => resetRow(row, context)
}

interface ResetContext {
  readonly now: EpochMs
  readonly text: Wording
  readonly timezoneLabel: string
  readonly upstreamOf: ReturnType<typeof upstreamIn>
  readonly unitsOf: ReturnType<typeof returnedUnitsIn>
}

/** One row. Not a closure of a column, because each of those would be optimised anew. */
function resetRow(
  row: AccountReset,
  { now, text, timezoneLabel, upstreamOf, unitsOf }: ResetContext,
): WireResetRow {
  // Counted from the same moment as the other seconds of the answer.
  const resetsInSeconds = secondsUntil(row.resetAt, now)
  return {
    account: row.account.title,
    authIndex: row.account.selector.authIndex,
    badge: text.words.planName(row.account.plan, row.account.planName),
    tone: row.account.status.tone,
    state: row.window.state,
    percent: percentOf(row.window),
    percentText: windowPercentText(row.window, text),
    stale: isStale(row.window),
    rolledOver: isRolledOver(row.window) ? true : undefined,
    remainingText:
      resetsInSeconds === null
        ? unknownRemainingText(row, now, text)
        : text.durationText(resetsInSeconds),
    timeText: row.resetAt === null ? '–' : text.momentText(row.resetAt, now),
    timezoneLabel,
    resetAt: row.resetAt === null ? null : text.iso(row.resetAt),
    resetsInSeconds,
    displayResetSource: row.resetSource,
    notStarted: isNotStarted(row) ? true : undefined,
    units: unitsOf(row),
    upstream: upstreamOf(row.account).upstream,
  }
}

/** Creates the function that returns the units a reset in this column returns; undefined for none. */
export function returnedUnitsIn(
  { capacity }: Pick<Snapshot, 'capacity'>,
  windowId: MainWindowId,
): (row: AccountReset) => number | undefined {
  const returnsByFile = groupedBy(capacity[windowId].returns, ({ fileKey }) => fileKey)
  return ({ account, resetAt }) => {
    const ofFile = returnsByFile.get(fileKeyOf(account.account))
    const returned = ofFile?.find(({ at }) => at === resetAt)
    return returned === undefined ? undefined : roundedUnits(returned.units)
  }
}

/** True if no request has started the window's clock, so that its reset keeps moving. Applies only if the metering window resets itself. */
function isNotStarted({ account: { windows, quota, account }, window, resetSource }: AccountReset) {
  const metering = mainWindows.find(({ id }) => quota[id].window.state !== 'absent')
  if (window.id !== metering?.id || (resetSource !== null && resetSource !== window.id))
    return false
  return hasNotStarted({ windows, lastSuccessAt: account.lastSuccessAt })
}

function unknownRemainingText({ window }: AccountReset, now: EpochMs, text: Wording): string {
  if (window.state === 'absent') return '–'
  return windowRemainingText(window, now, text) ?? text.words.pool.unknown
}

/** Accounts to reclaim, soonest reset first. */
function reclaimRows(snapshot: Snapshot, text: Wording): ResetsTab['reclaim'] {
  const upstreamOf = upstreamIn(snapshot)
  return reclaimableAccounts(snapshot.accounts)
    .map((account) => {
      const { reclaim, title, selector, plan, planName, capacityWeight } = account
      return {
        account: title,
        authIndex: selector.authIndex,
        accountKey: selector.accountKey,
        badge: text.words.planName(plan, planName),
        percent: reclaim.percent,
        percentText: percentText(reclaim.percent),
        units: roundedUnits((capacityWeight * reclaim.percent) / 100),
        resetsInSeconds: reclaim.resetsInSeconds,
        remainingText: text.durationText(reclaim.resetsInSeconds),
        ...upstreamOf(account),
      }
    })
    .sort((a, b) => a.resetsInSeconds - b.resetsInSeconds)
}
