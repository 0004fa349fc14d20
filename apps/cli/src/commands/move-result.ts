import { epochMs, instantToIso } from '@svc/core'
import type { DayDifference, MoveResult } from '@svc/history'

/** Differences listed one by one; of any more only the number is printed. */
const SHOWN_MAX = 40

/** Final report of `migrate-history`. */
export function moveResultText({ days, added, differences }: MoveResult): string {
  const moved = `${counted(days, 'day')} compared, ${counted(added, 'usage row')} added.`
  if (differences.length === 0)
    return `${moved} No differences.\nTo change over: stop the service, run this once more, set state_db to the database, start the service.\n`
  const shown = differences.slice(0, SHOWN_MAX).map(differenceText)
  const rest = differences.length - shown.length
  const more = rest > 0 ? [`and ${rest} more`] : []
  return `${[`${moved} ${counted(differences.length, 'difference')}:`, ...shown, ...more].join('\n')}\n`
}

/** Names no account and no client: the names of clients are API keys. */
function differenceText({ startMs, of, count, file, database }: DayDifference): string {
  const day = instantToIso(epochMs(startMs)).slice(0, 10)
  const what = of === 'rows' ? 'requests' : `sums by ${of}`
  return `${day}, ${what} (${count} differ): ${amountsText(file)} in the file, ${amountsText(database)} in the database`
}

function amountsText({ requests, tokens, failed }: DayDifference['file']): string {
  return `${requests} requests with ${tokens} tokens and ${failed} failures`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
