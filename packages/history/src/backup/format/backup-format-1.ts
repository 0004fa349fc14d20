import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { addTo, emptySum, providerOfUsage, type UsageSum } from '@svc/core/usage'
import * as v from 'valibot'
import {
  type BackupRow,
  type BackupTable,
  backupTables,
  count,
  flag,
  instant,
  key,
  name,
  requestsOfDay,
} from './backup-format.ts'

/** A row of the current format with its table. */
interface UpgradedRow<Table extends BackupTable = BackupTable> {
  readonly table: Table
  readonly row: BackupRow<Table>
}

/** Converts rows of format 1 to rows of the current one. Rows come in the order of the file. */
export interface FormerRows {
  /** The rows one row becomes; null if it is not a row of its table. */
  read(table: BackupTable, parsed: unknown): readonly UpgradedRow[] | null
  /** The remaining rows after the last one of this table. */
  end(table: BackupTable): readonly UpgradedRow[]
}

/** Tables that differed in format 1. */
const formerTables = {
  /** time, key, instance, account, API name, model, tokens, failed */
  usage: v.strictTuple([instant, key, name, name, name, name, count, flag]),
  /** grouping, day (epoch seconds), instance, member, requests, tokens, failed */
  days: v.strictTuple([
    v.picklist(['total', 'account', 'model', 'api']),
    count,
    name,
    name,
    requestsOfDay,
    count,
    requestsOfDay,
  ]),
  /** from, to, reason */
  gaps: v.strictTuple([instant, instant, name]),
} as const

/** Values format 1 lacks: upstream, provider, classes and times of a request. */
const NOT_SAID = [DEFAULT_UPSTREAM, null, null, null, null, null, null, null] as const
const NO_CLASSES = [0, 0, 0, 0] as const

/**
 * Assigns all rows to the one proxy there was, with unknown classes of tokens. Daily sums by proxy and by provider did not exist: they are made from
 * the total's and the accounts' sums.
 */
export function createFormerRows(): FormerRows {
  let day = -1
  let byProvider = new Map<string, UsageSum>()

  const takeProviders = (): readonly UpgradedRow[] => {
    const rows = [...byProvider].map(
      ([provider, { requests, tokens, failed }]): UpgradedRow<'days'> => ({
        table: 'days',
        row: ['provider', day, '', provider, requests, tokens, failed, ...NO_CLASSES],
      }),
    )
    byProvider = new Map()
    return rows
  }
  const readDay = (row: v.InferOutput<typeof formerTables.days>): readonly UpgradedRow[] => {
    const [grouping, start, , member, requests, tokens, failed] = row
    const ended = start === day && grouping === 'account' ? [] : takeProviders()
    day = start
    const upgraded: UpgradedRow[] = [...ended, { table: 'days', row: [...row, ...NO_CLASSES] }]
    if (grouping === 'total')
      upgraded.push({
        table: 'days',
        row: ['upstream', start, '', DEFAULT_UPSTREAM, requests, tokens, failed, ...NO_CLASSES],
      })
    if (grouping === 'account') {
      const sum = entryOf(byProvider, providerOfUsage({ accountKey: member }))
      addTo(sum, { requests, tokens, failed })
    }
    return upgraded
  }
  const readOther = (table: BackupTable, parsed: unknown): readonly UpgradedRow[] | null => {
    if (table === 'usage') {
      const row = v.safeParse(formerTables.usage, parsed)
      return row.success ? [{ table, row: [...row.output, ...NOT_SAID] }] : null
    }
    if (table === 'gaps') {
      const row = v.safeParse(formerTables.gaps, parsed)
      return row.success ? [{ table, row: [...row.output, DEFAULT_UPSTREAM] }] : null
    }
    const row = v.safeParse(backupTables[table], parsed)
    return row.success ? [{ table, row: row.output }] : null
  }

  return {
    read(table, parsed) {
      if (table !== 'days') return readOther(table, parsed)
      const row = v.safeParse(formerTables.days, parsed)
      return row.success ? readDay(row.output) : null
    },
    end: (table) => (table === 'days' ? takeProviders() : []),
  }
}

function entryOf(sums: Map<string, UsageSum>, provider: string): UsageSum {
  const sum = sums.get(provider) ?? emptySum()
  sums.set(provider, sum)
  return sum
}
