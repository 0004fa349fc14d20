import { expect, it } from 'vitest'
import { aScheduler, fromNow, NOW } from '../testing/builders.ts'
import { type Scheduler, type SchedulerState, schedulerStateOf } from './scheduler.ts'

const follows = { askedCount: 0, pickCount: 0, follows: true }

it.each<readonly [state: SchedulerState, what: string, set: Partial<Scheduler>]>([
  ['routes', 'has named accounts', {}],
  ['routes', 'asked a minute ago', { askedAt: fromNow(-60), requestsAfter: NOW }],
  ['routes', 'waits while long requests end', { consultedAt: fromNow(-240), requestCount: 9 }],
  ['pauses', 'is silent without requests', { askedAt: fromNow(-61) }],
  [
    'pauses',
    'fell silent after the last request',
    { askedAt: fromNow(-90), requestsAfter: fromNow(-91) },
  ],
  [
    'pauses',
    'paused while a long request went on',
    { askedAt: fromNow(-1_000), consultedAt: fromNow(-1_300), requestsAfter: fromNow(-101) },
  ],
  [
    'silent',
    'paused, and requests of after that go by',
    { askedAt: fromNow(-1_000), consultedAt: fromNow(-1_300), requestsAfter: fromNow(-100) },
  ],
  [
    'silent',
    'stopped in the middle of requests',
    { askedAt: fromNow(-61), consultedAt: fromNow(-62), requestsAfter: fromNow(-61) },
  ],
  ['unreported', 'sends no report', { report: null, requestCount: 9 }],
  ['not_following', 'cannot use what it reads', { report: { ...follows, follows: false } }],
  [
    'waits',
    'has just started and has no ranking yet',
    { report: { ...follows, follows: false }, askingSince: fromNow(-59), consultedAt: null },
  ],
  [
    'waits',
    'was not consulted, and two requests have ended',
    { report: follows, consultedAt: null, requestCount: 2 },
  ],
  [
    'not_consulted',
    'is passed over',
    { report: follows, consultedAt: null, requestCount: 3, askingSince: fromNow(-60) },
  ],
  ['picks_nothing', 'knows none of the candidates', { pickCount: 0 }],
  ['refused_host', 'names a host that is not allowed', { refusal: 'host' }],
  ['refused_upstream', 'names no proxy of ours', { refusal: 'upstream', askedAt: fromNow(-9_000) }],
])('the state is %s where the plugin %s', (state, _, set) => {
  expect(schedulerStateOf(aScheduler(set), NOW)).toBe(state)
})
