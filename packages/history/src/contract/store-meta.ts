import { randomBytes } from 'node:crypto'
import { type EpochMs, epochMs } from '@svc/core'
import { type CounterName, counterNames } from './history-store.ts'

/** Names of a store's own values, the same in every engine. */
export const metaNames = [
  'instance',
  'fingerprint_key',
  'first_poll_ms',
  'last_write_ms',
  'cut_ms',
  'forgotten_as_of_ms',
  ...counterNames,
] as const
export type MetaName = (typeof metaNames)[number]

export interface MetaValues {
  text(name: MetaName): string | null
  instant(name: MetaName): EpochMs | null
  count(name: MetaName): number
  counters(): Readonly<Record<CounterName, number>>
}

export function metaValuesOf(text: MetaValues['text']): MetaValues {
  const count = (name: MetaName) => Number(text(name) ?? 0)
  return {
    text,
    count,
    instant(name) {
      // Earlier versions accepted any text from a backup.
      const value = Number(text(name) ?? Number.NaN)
      return Number.isSafeInteger(value) ? epochMs(value) : null
    },
    counters: () =>
      Object.fromEntries(counterNames.map((name) => [name, count(name)])) as Record<
        CounterName,
        number
      >,
  }
}

/** Creates the identity of a new store. It distinguishes the store, and the clients in it, from every other. */
export function newIdentity() {
  return {
    instance: randomBytes(8).toString('hex'),
    fingerprint_key: randomBytes(32).toString('hex'),
  } as const satisfies Readonly<Partial<Record<MetaName, string>>>
}
