import { providerOfUsage } from '@svc/core/usage'
import type { Dictionaries, Dictionary } from '../../sql/engine.ts'
import type { Cell } from '../../usage/rates.ts'
import { rateGroupings, TOTAL_MEMBER } from '../../usage/tiers.ts'
import type { BackupRow } from '../format/backup-format.ts'
import type { BackupLine } from '../format/backup-reader.ts'

/** Numbers of the names in rows; 0 for a name that was not learned. */
export interface ImportNames {
  /** Gives a number to every name in these rows. Call before a transaction, never inside one. Rejects with HistoryError. */
  learn(lines: readonly BackupLine[]): Promise<void>
  accountId(instance: string, key: string): number
  idOf(table: NameTable, name: string): number
  readonly rates: Dictionaries['rates']
}

type NameTable = 'apiNames' | 'models' | 'upstreams' | 'providers'

/** Names in some rows that have no number yet. */
interface Wanted {
  readonly names: Readonly<Record<NameTable, Set<string>>>
  readonly accountsByInstance: Map<string, Set<string>>
}

/** Collects the numbers of names in a store; `dictionariesOf` returns the dictionaries of an instance. */
export function createNames(dictionariesOf: (instance: string) => Dictionaries): ImportNames {
  const shared = dictionariesOf('')
  const accountsOf = new Map<string, Dictionary>()
  const accountIds = new Map<string, number>()
  const ids: Readonly<Record<NameTable, Map<string, number>>> = {
    apiNames: new Map(),
    models: new Map(),
    upstreams: new Map(),
    providers: new Map(),
  }
  const learnFrom = async (
    dictionary: Dictionary,
    known: Map<string, number>,
    wanted: Iterable<string>,
    keyOf: (name: string) => string,
  ) => {
    const missing = [...wanted].filter((name) => !known.has(keyOf(name)))
    const found = await dictionary.idsOf(missing)
    for (const name of missing) known.set(keyOf(name), found.get(name) ?? 0)
  }
  return {
    async learn(lines) {
      const { names, accountsByInstance } = wantedBy(lines)
      for (const table of Object.keys(ids) as NameTable[])
        await learnFrom(shared[table], ids[table], names[table], (name) => name)
      for (const [instance, keys] of accountsByInstance) {
        const accounts = accountsOf.get(instance) ?? dictionariesOf(instance).accounts
        accountsOf.set(instance, accounts)
        await learnFrom(accounts, accountIds, keys, (key) => placeOf(instance, key))
      }
    },
    accountId: (instance, key) => accountIds.get(placeOf(instance, key)) ?? 0,
    idOf: (table, name) => ids[table].get(name) ?? 0,
    rates: shared.rates,
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
    } else if (table === 'rates') {
      const [grouping, , instance, member, model, upstream, provider] = row as BackupRow<'rates'>
      // The cell of all others has no names.
      if (upstream === '') continue
      if (grouping === 'account_rate') wantAccount(instance, member)
      if (grouping === 'client_rate') names.apiNames.add(member)
      names.models.add(model)
      names.upstreams.add(upstream)
      names.providers.add(provider)
    } else if (table === 'failureCauses') {
      const [, provider, upstream, instance, account] = row as BackupRow<'failureCauses'>
      wantAccount(instance, account)
      names.upstreams.add(upstream)
      names.providers.add(provider)
    } else if (table === 'prices') {
      names.models.add((row as BackupRow<'prices'>)[0])
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

export function cellOf(
  names: ImportNames,
  [grouping, , instance, member, model, upstream, provider, tier, band]: BackupRow<'rates'>,
): Cell {
  const memberId = {
    account_rate: () => names.accountId(instance, member),
    client_rate: () => names.idOf('apiNames', member),
    total_rate: () => TOTAL_MEMBER,
  }[grouping]()
  return {
    kind: rateGroupings[grouping],
    memberId,
    modelId: names.idOf('models', model),
    upstreamId: names.idOf('upstreams', upstream),
    providerId: names.idOf('providers', provider),
    tier,
    band,
  }
}
