import { providerOfUsage } from '@svc/core/usage'
import type { Connection } from '../../sql/connection.ts'
import { createDictionaries, type Dictionary } from '../../sql/dictionary.ts'
import { type AnyGrouping, TOTAL_MEMBER } from '../../usage/tiers.ts'
import { memberTables } from '../format/backup-lines.ts'
import type { BackupLine } from '../format/backup-reader.ts'

/** Member of a sum, by name. */
interface Member {
  readonly grouping: AnyGrouping
  readonly instance: string
  readonly member: string
}

export type ImportNames = ReturnType<typeof createNames>

/** Numbers of the names in rows; 0 for a name that was not learned. */
export function createNames(db: Connection) {
  const { apiNames, models, upstreams, providers, rates } = createDictionaries(db, '')
  const tables = {
    apiNames: createNumbers(apiNames),
    models: createNumbers(models),
    upstreams: createNumbers(upstreams),
    providers: createNumbers(providers),
  }
  const accounts = new Map<string, Numbers>()
  const accountsOf = (instance: string) => {
    const known = accounts.get(instance) ?? createNumbers(createDictionaries(db, instance).accounts)
    accounts.set(instance, known)
    return known
  }
  const membersOf = ({ grouping, instance }: Member) => {
    const table = memberTables[grouping]
    return table === null ? null : table === 'accounts' ? accountsOf(instance) : tables[table]
  }
  return {
    /** Gives a number to every name in these rows. Call before a transaction, never inside one. Rejects with HistoryError. */
    async learn(lines: readonly BackupLine[]): Promise<void> {
      for (const { table, row } of lines) {
        // The cell of all others has no names.
        if (table === 'rates' && row.upstream === '') continue
        if ('member' in row) membersOf(row)?.want(row.member)
        if ('account' in row) accountsOf(row.instance).want(row.account)
        if ('apiName' in row) tables.apiNames.want(row.apiName)
        if ('model' in row) tables.models.want(row.model)
        if ('upstream' in row) tables.upstreams.want(row.upstream)
        if (table === 'usage')
          tables.providers.want(providerOfUsage({ ...row, accountKey: row.account }))
        else if ('provider' in row) tables.providers.want(row.provider)
      }
      for (const numbers of [...Object.values(tables), ...accounts.values()]) await numbers.learn()
    },
    accountId: (instance: string, key: string) => accountsOf(instance).idOf(key),
    idOf: (table: keyof typeof tables, name: string) => tables[table].idOf(name),
    memberId: (of: Member) => membersOf(of)?.idOf(of.member) ?? TOTAL_MEMBER,
    rates,
  }
}

type Numbers = ReturnType<typeof createNumbers>

function createNumbers(dictionary: Dictionary) {
  const ids = new Map<string, number>()
  const wanted = new Set<string>()
  return {
    want(name: string): void {
      if (!ids.has(name)) wanted.add(name)
    },
    async learn(): Promise<void> {
      const found = await dictionary.idsOf(wanted)
      for (const name of wanted) ids.set(name, found.get(name) ?? 0)
      wanted.clear()
    },
    idOf: (name: string) => ids.get(name) ?? 0,
  }
}
