import type { Database } from '@svc/sqlite'

/** Numbers of names in a store's dictionaries; new names get one. Call inside a transaction. */
export interface ImportNames {
  /** Number of an account. Of two titles the alphabetically later one stays, so that the order of imports does not matter. */
  accountId(instance: string, key: string, title?: string): number
  apiNameId(name: string): number
  modelId(name: string): number
  upstreamId(name: string): number
  providerId(name: string): number
}

export function createNames(db: Database): ImportNames {
  const addAccount = db
    .prepare(
      `INSERT INTO accounts (instance, key, title) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET title = max(title, excluded.title) RETURNING id`,
    )
    .pluck()
  const addName = (table: 'api_names' | 'models' | 'upstreams' | 'providers') =>
    db
      .prepare(
        `INSERT INTO ${table} (name) VALUES (?) ON CONFLICT DO UPDATE SET name = name RETURNING id`,
      )
      .pluck()
  const known = (add: (...names: readonly string[]) => unknown) => {
    const ids = new Map<string, number>()
    return (key: string, ...names: readonly string[]): number => {
      const id = ids.get(key) ?? Number(add(...names))
      ids.set(key, id)
      return id
    }
  }
  const accountIds = known((instance = '', key = '', title = '') =>
    addAccount.get(instance, key, title),
  )
  const idsOf = (table: Parameters<typeof addName>[0]) => {
    const add = addName(table)
    const ids = known((name = '') => add.get(name))
    return (name: string) => ids(name, name)
  }
  return {
    accountId: (instance: string, key: string, title = '') =>
      accountIds(`${instance}\n${key}`, instance, key, title),
    apiNameId: idsOf('api_names'),
    modelId: idsOf('models'),
    upstreamId: idsOf('upstreams'),
    providerId: idsOf('providers'),
  }
}
