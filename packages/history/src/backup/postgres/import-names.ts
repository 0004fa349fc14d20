import { providerOfUsage } from '@svc/core/usage'
import {
  createDictionaries,
  type Dictionaries,
  type Dictionary,
} from '../../postgres/dictionary.ts'
import type { Session } from '../../postgres/session.ts'
import { storedText } from '../../postgres/stored-text.ts'
import { TOTAL_MEMBER } from '../../usage/tiers.ts'
import type { BackupRow } from '../format/backup-format.ts'
import type { BackupLine } from '../format/backup-reader.ts'

/** Numbers of the names in rows; 0 for a name that was not learned. */
export interface ImportNames {
  /** Gives a number to every name in these rows. Call before a transaction, never inside one. Rejects with HistoryError. */
  learn(lines: readonly BackupLine[]): Promise<void>
  accountId(instance: string, key: string): number
  idOf(table: NameTable, name: string): number
  /** Sets titles; of two the later one by bytes stays, so that the order of imports does not matter. Call inside a transaction. */
  raiseTitles(accounts: readonly BackupRow<'accounts'>[]): Promise<void>
}

type NameTable = 'apiNames' | 'models' | 'upstreams' | 'providers'

/** Names of some rows without a number yet. */
interface Wanted {
  readonly names: Readonly<Record<NameTable, Set<string>>>
  readonly accountsByInstance: Map<string, Set<string>>
}

export function createNames(session: Session): ImportNames {
  const shared = createDictionaries(session, '')
  const accountsOf = new Map<string, Dictionary>()
  const accountIds = new Map<string, number>()
  const ids: Readonly<Record<NameTable, Map<string, number>>> = {
    apiNames: new Map(),
    models: new Map(),
    upstreams: new Map(),
    providers: new Map(),
  }
  const dictionaryOf = (instance: string): Dictionaries['accounts'] => {
    const known = accountsOf.get(instance) ?? createDictionaries(session, instance).accounts
    accountsOf.set(instance, known)
    return known
  }
  const accountId = (instance: string, key: string) => accountIds.get(placeOf(instance, key)) ?? 0
  return {
    async learn(lines) {
      const { names, accountsByInstance } = wantedBy(lines)
      for (const table of Object.keys(ids) as NameTable[]) {
        const missing = [...names[table]].filter((name) => !ids[table].has(name))
        for (const [name, id] of await shared[table].idsOf(missing)) ids[table].set(name, id)
      }
      for (const [instance, keys] of accountsByInstance) {
        const missing = [...keys].filter((key) => accountId(instance, key) === 0)
        for (const [key, id] of await dictionaryOf(instance).idsOf(missing))
          accountIds.set(placeOf(instance, key), id)
      }
    },
    accountId,
    idOf: (table, name) => ids[table].get(name) ?? 0,
    async raiseTitles(accounts) {
      const titled = accounts.filter(([, , title]) => title !== '')
      if (titled.length === 0) return
      await session.run(
        `UPDATE svc_quota_monitor.accounts a SET title = new.title
         FROM (SELECT id, max(title COLLATE "C") AS title FROM unnest($1::int[], $2::text[]) AS given (id, title) GROUP BY id) AS new
         WHERE new.id = a.id AND a.title COLLATE "C" < new.title`,
        [
          titled.map(([instance, key]) => accountId(instance, key)),
          titled.map(([, , title]) => storedText(title)),
        ],
      )
    },
  }
}

/** Key of an account. An instance is hexadecimal, so the separator is unambiguous. */
function placeOf(instance: string, key: string): string {
  return `${instance}\n${key}`
}

function wantedBy(lines: readonly BackupLine[]): Wanted {
  const names = {
    apiNames: new Set<string>(),
    models: new Set<string>(),
    upstreams: new Set<string>(),
    providers: new Set<string>(),
  }
  const accountsByInstance = new Map<string, Set<string>>()
  const wantAccount = (instance: string, key: string) => {
    const keys = accountsByInstance.get(instance)
    if (keys === undefined) accountsByInstance.set(instance, new Set([key]))
    else keys.add(key)
  }
  for (const { table, row } of lines) {
    if (table === 'usage') {
      const [, , instance, account, apiName, model, , , upstream, provider] =
        row as BackupRow<'usage'>
      wantAccount(instance, account)
      names.apiNames.add(apiName)
      names.models.add(model)
      names.upstreams.add(upstream)
      names.providers.add(providerOfUsage({ provider, accountKey: account }))
    } else if (table === 'days') {
      const [grouping, , instance, member] = row as BackupRow<'days'>
      if (grouping === 'account') wantAccount(instance, member)
      else if (grouping !== 'total') names[TABLE_OF_GROUPING[grouping]].add(member)
    } else if (table === 'accounts' || table === 'quotaSamples') {
      const [instance, account] = row as BackupRow<'accounts' | 'quotaSamples'>
      wantAccount(instance, account)
    } else if (table === 'gaps') {
      const [, , , upstream] = row as BackupRow<'gaps'>
      names.upstreams.add(upstream)
    }
  }
  return { names, accountsByInstance }
}

const TABLE_OF_GROUPING = {
  model: 'models',
  api: 'apiNames',
  upstream: 'upstreams',
  provider: 'providers',
} as const

export function memberIdOf(
  names: ImportNames,
  [grouping, , instance, member]: BackupRow<'days'>,
): number {
  if (grouping === 'total') return TOTAL_MEMBER
  if (grouping === 'account') return names.accountId(instance, member)
  return names.idOf(TABLE_OF_GROUPING[grouping], member)
}
