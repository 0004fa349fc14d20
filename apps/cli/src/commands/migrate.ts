import { looksLikeAddress } from '@svc/config'
import { epochMs, instantToIso } from '@svc/core'
import { UPSTREAM_NAME } from '@svc/core/service'
import type { DayDifference, MoveResult } from '@svc/history'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import type { ParsedOptions } from '../program/flags.ts'
import { progressLine, runLongTask } from '../program/progress-line.ts'
import { databaseAt, pathIn } from '../program/store-location.ts'

/** Copies the history from a file to a database. Resolves with the exit code, which is a failure if the two differ afterwards. Throws ConfigError. */
export async function migrateHistory(options: ParsedOptions, context: CliContext): Promise<number> {
  const [from, to, upstream] = [options.from, options.to, options.upstream].map((given) =>
    given?.at(-1),
  )
  const mistake = mistakeIn(from, to, upstream)
  if (mistake !== null) return usageError(context, mistake)
  const path = pathIn(context, from)
  if (path === null || to === undefined) return usageError(context, NEEDS)
  const { location, passwordFile } = databaseAt(to, '--to', options, context)
  const { moveHistory } = await import('@svc/history')
  const progress = progressLine(context, 'moved')
  return await runLongTask(context, async (stop) => {
    const result = await moveHistory({
      from: path,
      to: location,
      passwordFile,
      upstream: upstream ?? null,
      now: epochMs(context.clock.now()),
      onProgress: progress.show,
      stop,
    })
    progress.end()
    context.stdout(moveResultText(result))
    return result.differences.length === 0 ? EXIT.ok : EXIT.failed
  })
}

const NEEDS =
  'migrate-history needs --from <path> and --to <address>, as in postgres://host/database'

function mistakeIn(
  from: string | undefined,
  to: string | undefined,
  upstream: string | undefined,
): string | null {
  if (from === undefined || to === undefined) return NEEDS
  if (looksLikeAddress(from))
    return 'migrate-history reads a file: --from takes a path; export-history takes a database as well'
  if (!looksLikeAddress(to))
    return 'migrate-history writes to a database: --to takes an address as in postgres://host/database; import-history takes a file as well'
  if (upstream !== undefined && !UPSTREAM_NAME.test(upstream))
    return '--upstream takes a name of up to 32 lower-case letters, digits and dashes'
  return null
}

/** Maximum number of differences listed; the rest are only counted. */
const SHOWN_MAX = 40

/** Final report of `migrate-history`. */
export function moveResultText({ days, added, differences }: MoveResult): string {
  const moved = `${countText(days, 'day')} compared, ${countText(added, 'usage row')} added.`
  if (differences.length === 0)
    return `${moved} No differences.\nTo change over: stop the service, run this once more, set state_db to the database, start the service.\n`
  const shown = differences.slice(0, SHOWN_MAX).map(differenceText)
  const rest = differences.length - shown.length
  const more = rest > 0 ? [`and ${rest} more`] : []
  return `${[`${moved} ${countText(differences.length, 'difference')}:`, ...shown, ...more].join('\n')}\n`
}

/** Text of one difference. It names no account and no client, because the names of clients are API keys. */
function differenceText({ startMs, of, count, file, database }: DayDifference): string {
  const day = instantToIso(epochMs(startMs)).slice(0, 10)
  const what = of === 'rows' ? 'requests' : `sums by ${of}`
  return `${day}, ${what} (${count} differ): ${amountsText(file)} in the file, ${amountsText(database)} in the database`
}

function amountsText({ requests, tokens, failed }: DayDifference['file']): string {
  return `${requests} requests with ${tokens} tokens and ${failed} failures`
}

function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
