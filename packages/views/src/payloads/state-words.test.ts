import { namingBlockOf } from '@svc/core/account'
import { noTrends } from '@svc/core/pool'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { changeWords } from '../messages/health-words.ts'
import { createWording } from '../messages/wording.ts'
import { healthView } from './health.ts'
import { statusView } from './status.ts'

const read = aQuotaSample({ fiveHour: 50, week: 60 })
const spend = { id: 'spend', periodSeconds: null, percent: 0, resetAt: null }
const message = {
  message: { kind: 'auth_fault' as const, code: 'unauthorized', deactivated: false },
  messageAt: NOW,
}
const ended = {
  message: { kind: 'auth_fault' as const, code: 'unauthorized', deactivated: true },
  messageAt: NOW,
}

describe.each(['en', 'zh-CN'] as const)('the state of a blocked account in %s', (language) => {
  const text = createWording('Asia/Shanghai', language)

  it.each([
    ['used up until a reset', {}, aQuotaSample({ fiveHour: 0, week: 60 })],
    ['used up for the week', {}, aQuotaSample({ fiveHour: 40, week: 0 })],
    ['at its spending limit', {}, { ...read, windows: [...read.windows, spend] }],
    ['held back by the proxy', { nextRetryAt: fromNow(600), unavailable: true }, read],
    ['signed out', message, read],
    ['no longer paid for', ended, read],
    ['unavailable', { unavailable: true }, read],
    ['switched off', { operatorDisabled: true }, read],
  ])(
    'is one word in the row, what blocks it, the ranking, Health and the log: %s',
    (_, changes, sample) => {
      const snapshot = aSnapshot([[anAccount('ana', changes), evidenceOf([sample])]])
      const { tabs, recommendations } = statusView(snapshot, {
        text,
        usage: { kind: 'off' },
        refresh: { status: 'idle' },
        trends: noTrends,
      })
      const [row] = tabs.pool.accounts
      const [item] = recommendations.items
      const word = row?.status.text ?? ''
      const about = healthView(snapshot, { text, trends: noTrends }).actions.filter(
        ({ accountKeys }) => accountKeys?.length === 1,
      )
      const [account] = snapshot.accounts
      const reason = account === undefined ? null : namingBlockOf(account)
      if (account === undefined || reason === null) throw new Error('the account is not blocked')
      const { kind: to, until } = account.status
      const change = { code: 'status_changed', title: 'ana', from: 'active', to, until } as const
      const logged = changeWords({ ...change, toReason: reason.slug }, NOW, text)

      expect(word).not.toBe('')
      expect(item?.blocked?.[0]?.text).toBe(word)
      expect(item?.summary.split(' · ')[0]).toBe(word)
      expect(about.map(({ title }) => title)).toEqual(about.map(() => word))
      expect(logged.badge).toBe(word)
    },
  )
})
