import '../testing/browser.ts'
import { afterEach, expect, it } from 'vitest'
import { clearFleet, showFleet } from '../testing/fleet.ts'
import { anEntry, change, showPool } from '../testing/page.ts'
import {
  elsewhere,
  isMixed,
  shownActions,
  shownSources,
  toneOfUpstream,
  upstreams,
} from './fleet.ts'
import { health } from './live-data.ts'
import { accountKeyOf, accounts, allAccounts } from './pool.ts'

const ana = anEntry('ana')
const bob = anEntry('bob')
const aHealthAction = {
  id: 'x',
  code: 'gateway_down',
  kind: 'gateway',
  tone: 'bad',
  title: 'Gateway is down',
  badge: 'Down',
  summary: 'It does not answer.',
  since: '2026-11-20T12:00:00.000Z',
} as const

afterEach(clearFleet)

it('one proxy is no fleet', () => {
  showPool([ana])

  expect([upstreams.value, isMixed.value]).toEqual([[], false])
  expect(accounts.value.map(elsewhere)).toEqual([[]])
})

it('while all proxies are shown, each account says where it is, and where else', () => {
  showFleet({ tokyo: [ana], berlin: [ana, bob] })

  expect(upstreams.value.map(({ name }) => name)).toEqual(['tokyo', 'berlin'])
  expect(isMixed.value).toBe(true)
  const there = Object.fromEntries(
    accounts.value.map((account) => [
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

  const keys = accounts.value.map(accountKeyOf)
  expect(new Set(keys).size).toBe(2)
  expect(keys.map((key) => key.split('~')[0]).sort()).toEqual(['berlin', 'tokyo'])
})

it('of one proxy alone only its accounts and sources are shown, and the others are still known', () => {
  showFleet({ tokyo: [ana], berlin: [ana, bob] }, 'tokyo')

  expect(isMixed.value).toBe(false)
  expect(accounts.value.map(({ upstream }) => upstream)).toEqual(['tokyo'])
  expect(allAccounts.value).toHaveLength(3)
  expect(accounts.value.flatMap(elsewhere).map(({ upstream }) => upstream)).toEqual(['berlin'])
  expect(upstreams.value).toHaveLength(2)
  expect(new Set(shownSources.value.map(({ upstream }) => upstream))).toEqual(
    new Set(['tokyo', undefined]),
  )
})

it('of one proxy alone only its actions are shown, and what belongs to none', () => {
  showFleet({ tokyo: [ana], berlin: [bob] }, 'tokyo')
  change(() => {
    const { value } = health
    if (value === null) return
    const action = { ...aHealthAction, upstream: 'tokyo' }
    health.value = {
      ...value,
      actions: [action, { ...action, upstream: 'berlin' }, aHealthAction],
    }
  })

  expect(shownActions.value.map(({ upstream }) => upstream)).toEqual(['tokyo', undefined])
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
