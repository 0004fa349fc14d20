import { afterEach, expect, it } from 'vitest'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { anEntry, showPool } from '../testing/page.ts'
import { allUpstreams, elsewhere, isMixed, listPlaces, toneOfUpstream } from './fleet.ts'
import { health, status } from './live-data.ts'
import {
  accountKeyOf,
  allFiles,
  files,
  listResetRows,
  rankInProvider,
  shownAccounts,
} from './pool.ts'

const ana = anEntry('ana')
const bob = anEntry('bob')

afterEach(clearFleet)

it('one proxy is no fleet', () => {
  showPool([ana])

  expect([allUpstreams.value, isMixed.value]).toEqual([[], false])
  expect(shownAccounts.value.map(elsewhere)).toEqual([[]])
})

it('while all proxies are shown, each account says where it is, and where else', () => {
  showFleet({ tokyo: [ana], berlin: [ana, bob] })

  expect(allUpstreams.value.map(({ name }) => name)).toEqual(['tokyo', 'berlin'])
  expect(isMixed.value).toBe(true)
  const there = Object.fromEntries(
    files.value.map((account) => [
      `${account.upstream} ${account.title}`,
      elsewhere(account).map(({ upstream }) => upstream),
    ]),
  )
  expect(there).toEqual({
    'tokyo ana@example.com': ['berlin'],
    'berlin ana@example.com': ['tokyo'],
    'berlin bob@example.com': [],
  })
})

it('two files of one index at two proxies have keys of their own', () => {
  showFleet({ tokyo: [ana], berlin: [ana] })

  const keys = files.value.map(accountKeyOf)
  expect(new Set(keys).size).toBe(2)
  expect(keys.map((key) => key.split('~')[0]).sort()).toEqual(['berlin', 'tokyo'])
})

it('of one proxy alone only its accounts and sources are shown, and the others are still known', () => {
  showFleet({ tokyo: [ana], berlin: [ana, bob] }, 'tokyo')

  expect(isMixed.value).toBe(false)
  expect(shownAccounts.value.map(({ upstream }) => upstream)).toEqual(['tokyo'])
  expect(allFiles.value).toHaveLength(3)
  expect(shownAccounts.value.flatMap(elsewhere).map(({ upstream }) => upstream)).toEqual(['berlin'])
  expect(allUpstreams.value).toHaveLength(2)
  expect(new Set(health.value?.sources.map(({ upstream }) => upstream))).toEqual(
    new Set(['tokyo', undefined]),
  )
})

it('an account that several proxies list is shown and ranked once, whatever number of files it has', () => {
  showFleet({ tokyo: [ana, bob], berlin: [ana], paris: [ana] })
  const summary = status.value?.summary

  expect(shownAccounts.value.map(({ title }) => title)).toEqual([
    'ana@example.com',
    'bob@example.com',
  ])
  expect([summary?.routableCount, summary?.blockedCount]).toEqual([2, 0])
  expect(files.value).toHaveLength(4)
  const [first] = shownAccounts.value
  const place = (file: NonNullable<typeof first>) => file.upstream
  expect(first === undefined ? [] : listPlaces(first).map(place)).toEqual([
    'berlin',
    'paris',
    'tokyo',
  ])
  expect(files.value.map(rankInProvider)).toEqual([1, 1, 1, 2])
  for (const { id, rows } of status.value?.tabs.resets.columns ?? []) {
    expect(rows).toHaveLength(4)
    expect(listResetRows(id)).toHaveLength(2)
  }
})

it.each([
  { source: 'live', gatewayOk: true, tone: 'good' },
  { source: 'partial', gatewayOk: true, tone: 'warn' },
  { source: 'stale', gatewayOk: true, tone: 'warn' },
  { source: 'unavailable', gatewayOk: true, tone: 'bad' },
  { source: 'live', gatewayOk: false, tone: 'bad' },
] as const)('a proxy that is $source, gateway $gatewayOk, is $tone', ({ tone, ...standing }) => {
  const counts = { name: 'tokyo', sampledAt: null, accountCount: 0, routableCount: 0 }
  expect(toneOfUpstream({ ...counts, ...standing })).toBe(tone)
})
