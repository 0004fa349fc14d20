import { signal } from '@preact/signals'

/** Kinds of changes that can be looked at alone: of accounts, of who is in the pool, of sources. */
export const changeKindIds = ['account', 'pool', 'source'] as const
export type ChangeKindId = (typeof changeKindIds)[number]

/** The kind of changes that is shown; all of them at first. */
export const changeKind = signal<ChangeKindId | 'all'>('all')
/** The account whose changes are shown, by its key; empty for all. */
export const changesAbout = signal('')
