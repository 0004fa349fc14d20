import { computed, effect, signal } from '@preact/signals'
import { shownKeys, shownRows } from './account-sections.ts'
import { type PoolAccount, status } from './live-data.ts'
import { accountKeyOf, shownAccounts } from './pool.ts'

/** Keys of the picked accounts, from `accountKeyOf`. */
export const pickedKeys = signal<ReadonlySet<string>>(new Set())

/** First row of the current range of picks, and the picks outside the range; null without a range. */
let anchor: { readonly key: string; readonly others: ReadonlySet<string> } | null = null

export function togglePick(key: string): void {
  const keys = new Set(pickedKeys.value)
  if (!keys.delete(key)) keys.add(key)
  anchor = { key, others: keys }
  pickedKeys.value = keys
}

/**
 * Picks the rows from the start of the range to this one. Rows that leave the range are unpicked, unless they were picked before it began. A new
 * range starts at `from`.
 */
export function pickUpTo(key: string, from: string = key): void {
  const order = shownKeys.value
  if (anchor === null || !order.includes(anchor.key)) {
    anchor = { key: from, others: pickedKeys.value }
  }
  const [first = 0, last = 0] = [order.indexOf(anchor.key), order.indexOf(key)].sort(
    (a, b) => a - b,
  )
  pickedKeys.value = new Set([...anchor.others, ...order.slice(first, last + 1)])
}

/** Ends the range, so that the next one starts at its own `from`. */
export function endStretch(): void {
  anchor = null
}

/** Picks all of these, or unpicks them if all are picked already. */
export function togglePicks(keys: readonly string[]): void {
  anchor = null
  const next = new Set(pickedKeys.value)
  const isAllPicked = keys.every((key) => next.has(key))
  for (const key of keys) {
    if (isAllPicked) next.delete(key)
    else next.add(key)
  }
  pickedKeys.value = next
}

/** Adds every account in the table to the picks. */
export function pickFound(): void {
  anchor = null
  pickedKeys.value = new Set([...pickedKeys.value, ...shownKeys.value])
}

export function clearPicks(): void {
  anchor = null
  pickedKeys.value = new Set()
}

/** The picked accounts of the pool: first those in the table in table order, then those hidden by a filter. */
export const pickedAccounts = computed<{
  readonly accounts: readonly PoolAccount[]
  readonly hidden: number
}>(() => {
  const isPicked = (account: PoolAccount) => pickedKeys.value.has(accountKeyOf(account))
  const inTable = shownRows.value.map(({ account }) => account).filter(isPicked)
  const known = new Set(inTable)
  const hidden = shownAccounts.value.filter((account) => isPicked(account) && !known.has(account))
  return { accounts: [...inTable, ...hidden], hidden: hidden.length }
})

/** Unpicks accounts that leave the pool. The returned function ends it. */
export function followPool(): () => void {
  return effect(() => {
    // A proxy that does not answer removes nothing from the pool.
    if (status.value?.available !== true) return
    const there = new Set(shownAccounts.value.map(accountKeyOf))
    const keys = [...pickedKeys.value].filter((key) => there.has(key))
    if (keys.length < pickedKeys.value.size) pickedKeys.value = new Set(keys)
  })
}
