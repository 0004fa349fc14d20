import { signal } from '@preact/signals'

/** Kinds of changes that can be shown separately: of accounts, of the pool's members, of sources. */
export const changeKindIds = ['account', 'pool', 'source'] as const
export type ChangeKindId = (typeof changeKindIds)[number]

/** The shown kind of changes; all at first. */
export const changeKind = signal<ChangeKindId | 'all'>('all')
/** Key of the account whose changes are shown; empty for all. */
export const changesAbout = signal('')
