import type { HealthAction, Snapshot } from '@svc/core'
import type { NotifyStanding } from '@svc/core/notify'
import { noTrends } from '@svc/core/pool'
import { fromNow, NOW } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { languages } from '../language/language.ts'
import { createWording } from '../messages/wording.ts'
import { everyAction, everyChange } from '../testing/every-code.ts'
import { aMixedPool, anEvaluatedAccount, anOpenAction, aSnapshot } from '../testing/snapshots.ts'
import { healthSchema, healthView } from './health.ts'
import { noticesView } from './notices.ts'

const text = createWording('Asia/Shanghai')

/** Nothing of this may stand in a message without names. */
const CANARIES = ['canary-title', 'canary-mail', 'canary-file', 'canary-host', '0.0.0.0']
const anAccount = (accountKey: string) => ({
  authName: `canary-file-${accountKey}.json`,
  accountKey,
  // An operator's note, or an address.
  title: accountKey.startsWith('a')
    ? 'canary-title of the lab'
    : `canary-title-${accountKey}@canary-mail.example`,
})
const pool = [
  { accountKey: 'aaaa1111', plan: 'plus' },
  { accountKey: 'bbbb2222', plan: 'plus' },
  { accountKey: 'cccc3333', plan: 'pro' },
].map(({ accountKey, plan }) =>
  anEvaluatedAccount('canary-title', {
    plan,
    selector: { ...anAccount(accountKey), authIndex: '' },
  }),
)
const keys = pool.map(({ selector }) => selector.accountKey)

/** The action about these accounts, with a canary in everything that names something. */
function planted(action: HealthAction, accountKeys: readonly string[]): HealthAction {
  if ('accounts' in action) {
    const [example] = action.accounts
    const accounts = accountKeys.map((key) => ({ ...example, ...anAccount(key) }))
    return { ...action, accounts } as HealthAction
  }
  return action.code === 'gateway_down' ? { ...action, address: 'http://canary-host:8317' } : action
}

function noticesOf(actions: Snapshot['health']['actions'], inText = text) {
  const snapshot = aSnapshot(pool)
  return noticesView(null, { ...snapshot, health: { ...snapshot.health, actions } }, inText).open
}

describe.each(languages)('a message in %s', (language) => {
  const inText = createWording('Asia/Shanghai', language)

  it.each(Object.values(everyAction))('without names has none: $code', (action) => {
    for (const concerned of [keys.slice(0, 1), keys]) {
      const open = anOpenAction({ tone: 'bad', action: planted(action, concerned) })
      const { named, unnamed } = noticesOf([open], inText)

      for (const canary of CANARIES) expect(JSON.stringify(unnamed)).not.toContain(canary)
      expect(named[0]).toMatchObject({ id: unnamed[0]?.id, code: action.code })
      expect(unnamed[0]?.summary).not.toBe('')
      if ('accounts' in action && concerned.length === 1)
        expect(JSON.stringify(named)).toContain('canary-title')
    }
  })
})

it('names one account by its plan and key, and a group by how many of each plan it has', () => {
  const loggedOut = (accountKeys: readonly string[]) =>
    anOpenAction({
      tone: 'bad',
      action: { code: 'auth_invalid', accounts: accountKeys.map(anAccount) },
    })
  const { unnamed } = noticesOf([loggedOut(keys.slice(0, 1)), loggedOut(keys)])

  expect(unnamed.map(({ count, title, summary }) => ({ count, title, summary }))).toEqual([
    {
      count: 1,
      title: 'Auth invalid · Plus account aaaa',
      summary: 'Plus account aaaa: the login is no longer accepted.',
    },
    {
      count: 3,
      title: 'Auth invalid',
      summary: '3 accounts: the login is no longer accepted. 2 Plus accounts, 1 Pro account',
    },
  ])
})

it.each([
  { action: everyAction.nothing_routable, topic: 'action', notFor: undefined },
  { action: everyAction.runway_short, topic: 'runway', notFor: undefined },
  { action: everyAction.subscription_ends, topic: 'subscription', notFor: undefined },
  { action: everyAction.banked_reset_lapses, topic: 'banked_reset', notFor: undefined },
  { action: everyAction.notify_failing, topic: 'action', notFor: ['team_phone'] },
])('the topic of $action.code is $topic', ({ action, topic, notFor }) => {
  const open = {
    ...anOpenAction({ tone: 'warn', action }),
    upstream: 'tokyo',
    since: fromNow(-90),
  }
  const [notice] = noticesOf([open]).named

  expect(notice).toMatchObject({ id: open.id, topic, tone: 'warn', startsAt: fromNow(-90) })
  expect(notice).toMatchObject({ upstream: 'tokyo', remedy: expect.any(String) })
  expect(notice?.notFor).toEqual(notFor)
})

it('tells of resets by the vendor and of banked ones once, and of no change that names an account', () => {
  const before = aSnapshot(aMixedPool(3))
  const recentChanges = Object.values(everyChange).map(
    (detail) => ({ at: NOW, tone: 'good', detail }) as const,
  )
  const after = { ...before, recentChanges }
  const { named, unnamed } = noticesView(before, after, text).happened

  expect(named).toMatchObject([
    { topic: 'vendor_reset', tone: 'good', count: 12, title: 'Vendor · Reset' },
    { topic: 'banked_reset', tone: 'good', count: 3, title: 'Banked resets · Arrived' },
  ])
  expect(unnamed).toEqual(named)
  for (const [previous, now] of [
    [null, after],
    [after, after],
    [before, { ...after, evaluatedAt: fromNow(15) }],
  ] as const)
    expect(noticesView(previous, now, text).happened.named).toEqual([])
})

const context = { text: createWording('UTC'), trends: noTrends }
const untried: NotifyStanding = {
  name: 'phone',
  kind: 'ntfy',
  sentCount: 0,
  lostCount: 0,
  waitingCount: 0,
  lastSentAt: null,
  failure: null,
  isFailing: false,
}

it.each<readonly [why: string, changes: Partial<NotifyStanding>, tone: string, text: string]>([
  ['nothing was sent', {}, 'unknown', 'Nothing has been sent yet.'],
  ['it works', { sentCount: 3, lastSentAt: fromNow(-3_600) }, 'good', 'Last sent at 11:00.'],
  [
    'it fails',
    {
      lastSentAt: fromNow(-3_600),
      failure: { code: 'refused', since: fromNow(-60) },
      waitingCount: 1,
      lostCount: 2,
    },
    'warn',
    'The receiver refused the message. It has failed since 11:59. Last sent at 11:00. A message waits for the next attempt. 2 were given up.',
  ],
])('health says of a target of which %s how it stands', (_, changes, tone, text) => {
  const health = healthView(
    { ...aSnapshot(aMixedPool(3)), notify: [{ ...untried, ...changes }] },
    context,
  )

  expect(v.parse(healthSchema, health)).toEqual(health)
  expect(health.messages).toMatchObject([{ name: 'phone', kind: 'ntfy', tone, text }])
})

it('without targets health does not speak of messages', () => {
  expect(healthView(aSnapshot(aMixedPool(3)), context).messages).toBeUndefined()
})
