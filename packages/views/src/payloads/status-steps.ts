import type { Snapshot } from '@svc/core'
import { fileKeyOf } from '@svc/core/service'
import type { ChangedMembers, StatusStep } from '../changes/apply-changes.ts'
import { changeOf, listChange, type Rows } from '../changes/find-changes.ts'
import { healthView } from './health.ts'
import { recommendationItemsIn } from './recommendation-item.ts'
import { resetRowView } from './resets-tab.ts'
import { statusOutline } from './status.ts'
import { poolAccountView } from './status-tabs.ts'
import type { StatusContext } from './view-context.ts'

/** Inputs of a status, kept so that it can be built again. */
export interface StatusOrigin {
  readonly snapshot: Snapshot
  readonly context: StatusContext
}

/** Step from the first status to the second. Builds both again one row at a time, so that neither is held in memory. */
export function statusStep(before: StatusOrigin, after: StatusOrigin): StatusStep {
  const laterSeconds = Math.round((after.snapshot.evaluatedAt - before.snapshot.evaluatedAt) / 1000)
  const [outlineBefore, outlineAfter] = [before, after].map(({ snapshot, context }) =>
    statusOutline(snapshot, context),
  )
  let change = (changeOf(outlineBefore, outlineAfter, laterSeconds) ?? {}) as ChangedMembers
  if (isOfSameRows(before, after)) return { laterSeconds, change }
  const [listsBefore, listsAfter] = [listsOf(before), listsOf(after)]
  for (const [index, { path, rows }] of listsAfter.entries()) {
    const rowsBefore = listsBefore[index]?.rows ?? NO_ROWS
    const listed = listChange(rowsBefore, rows, laterSeconds)
    if (listed !== null) change = withChange(change, path, listed)
  }
  return { laterSeconds, change }
}

/** Step from the first health answer to the second. Builds each as a whole, because its lists do not grow with the pool. */
export function healthStep(before: StatusOrigin, after: StatusOrigin): StatusStep {
  const [healthBefore, healthAfter] = [before, after].map(({ snapshot, context }) =>
    healthView(snapshot, context),
  )
  return { laterSeconds: 0, change: changeOf(healthBefore, healthAfter) ?? {} }
}

const NO_ROWS: Rows = { count: 0, keyAt: () => '', rowAt: () => undefined }

function isOfSameRows(before: StatusOrigin, after: StatusOrigin): boolean {
  return before.snapshot === after.snapshot && before.context.usage === after.context.usage
}

interface LongList {
  readonly path: readonly string[]
  readonly rows: Rows
}

/** The lists that an outline leaves empty. */
function listsOf({ snapshot, context }: StatusOrigin): readonly LongList[] {
  const { accounts, resetColumns } = snapshot
  const { text } = context
  const fileAt = (index: number) => keyOf(accounts[index])
  const poolAccount = poolAccountView(snapshot, context)
  const wordWith = <Row>(list: readonly Row[], word: (row: Row) => unknown) => ({
    count: list.length,
    rowAt: (index: number) => word(list[index] as Row),
  })
  return [
    {
      path: ['tabs', 'pool', 'accounts'],
      rows: { ...wordWith(accounts, poolAccount), keyAt: fileAt },
    },
    {
      path: ['recommendations', 'items'],
      rows: {
        ...wordWith(accounts, recommendationItemsIn(snapshot, text)),
        keyAt: fileAt,
      },
    },
    ...resetColumns.map(({ windowId, rows }, index) => ({
      path: ['tabs', 'resets', 'columns', String(index), 'rows'],
      rows: {
        ...wordWith(rows, resetRowView(snapshot, windowId, text)),
        keyAt: (row: number) => keyOf(rows[row]?.account),
      },
    })),
  ]
}

/** Key of a row. Two files of one account are two rows. */
function keyOf(account: Snapshot['accounts'][number] | undefined): string {
  return account === undefined ? '' : fileKeyOf(account.account)
}

function withChange(
  changes: ChangedMembers,
  [member, ...path]: readonly string[],
  change: ChangedMembers,
): ChangedMembers {
  if (member === undefined) return { ...changes, ...change }
  const inner = (changes[member] ?? {}) as ChangedMembers
  return { ...changes, [member]: withChange(inner, path, change) }
}
