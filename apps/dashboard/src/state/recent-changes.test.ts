import type { HealthItem } from '@svc/views'
import { beforeEach, describe, expect, it } from 'vitest'
import { anEntry, changeHealth, showPool } from '../testing/page.ts'
import { changeKind, changesAbout } from './display-state.ts'
import {
  changeCount,
  changedAccounts,
  changesAboutAccount,
  changesHref,
  foundChanges,
} from './recent-changes.ts'

const aChange = (id: string, details: Partial<HealthItem>): HealthItem => ({
  kind: 'status',
  id,
  tone: 'warn',
  title: 'ana@example.com',
  badge: '',
  summary: '',
  ...details,
})

beforeEach(() => {
  showPool([anEntry('ana')])
  changeHealth(() => ({
    recentChanges: [
      aChange('1', { accountKeys: ['ana'], title: 'ana, renamed' }),
      aChange('2', { kind: 'account', accountKeys: ['zed'], title: 'Zed' }),
      aChange('3', { kind: 'source', title: 'Gateway', accountKeys: [] }),
      aChange('4', { kind: 'plan', accountKeys: ['ana'] }),
      // Stored by an older version, without the account.
      aChange('5', { kind: 'quota' }),
    ],
  }))
})

const ids = () => foundChanges.value.map(({ id }) => id)

describe('the changes that are asked for', () => {
  it.each([
    { kind: 'all', about: '', found: ['1', '2', '3', '4', '5'] },
    { kind: 'account', about: '', found: ['1', '4', '5'] },
    { kind: 'pool', about: '', found: ['2'] },
    { kind: 'source', about: '', found: ['3'] },
    { kind: 'all', about: 'ana', found: ['1', '4'] },
    { kind: 'pool', about: 'ana', found: [] },
    { kind: 'all', about: 'nobody', found: [] },
  ] as const)('of kind $kind about "$about" are $found', ({ kind, about, found }) => {
    changeKind.value = kind
    changesAbout.value = about

    expect(ids()).toEqual(found)
    expect(changeCount(kind)).toBe(found.length)
  })

  it('are led to by an address that names their account, however it is written', () => {
    expect(changesHref('a&b c')).toBe('#health?about=a%26b+c')
    expect(changesAboutAccount('ana').map(({ id }) => id)).toEqual(['1', '4'])
  })
})

describe('the accounts of changes', () => {
  it('are each there once, by the newest of their names, in the order of these', () => {
    expect(changedAccounts.value).toEqual([
      { key: 'zed', title: 'Zed' },
      { key: 'ana', title: 'ana, renamed' },
    ])
  })
})
