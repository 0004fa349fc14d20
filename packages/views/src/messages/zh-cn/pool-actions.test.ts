import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../wording.ts'
import { poolActions } from './pool-actions.ts'

const reading = { now: NOW, text: createWording('Asia/Shanghai', 'zh-CN') }

describe('in Chinese, nothing routable', () => {
  it.each([
    { blockedCount: 1, summary: '没有账号可以接受请求：唯一的账号受阻。' },
    { blockedCount: 8, summary: '没有账号可以接受请求：全部 8 个账号受阻。' },
  ])('counts $blockedCount blocked', ({ blockedCount, summary }) => {
    const action = {
      code: 'nothing_routable',
      provider: 'codex',
      blockedCount,
      nextRoutableAt: null,
    } as const
    expect(poolActions.nothing_routable.summary?.(action, reading)).toBe(summary)
  })

  it.each([
    { blockedCount: 0, seconds: null, detail: null },
    { blockedCount: 2, seconds: null, detail: '恢复时间均未知。' },
    { blockedCount: 2, seconds: 2_460, detail: '最早在 20:41 恢复，还有 41 分钟。' },
    { blockedCount: 2, seconds: 200_000, detail: '最早在周一 03:33 恢复，还有 2 天 7 小时。' },
  ])(
    'says of $blockedCount blocked when the first is back',
    ({ blockedCount, seconds, detail }) => {
      const nextRoutableAt = seconds === null ? null : fromNow(seconds)
      const action = {
        code: 'nothing_routable',
        provider: 'codex',
        blockedCount,
        nextRoutableAt,
      } as const
      expect(poolActions.nothing_routable.detail?.(action, reading)).toBe(detail)
    },
  )
})

it('in Chinese, a runway says when it ends and when more comes', () => {
  const action = {
    code: 'runway_short',
    provider: 'codex',
    windowId: '5h',
    runsDryAt: fromNow(8_940),
    returnsBefore: { units: 5.04, firstAt: fromNow(600) },
    returnsAgainAt: fromNow(18_000),
  } as const
  const { summary, detail } = poolActions.runway_short
  expect([summary?.(action, reading), detail?.(action, reading)]).toEqual([
    '5 小时配额将在 22:29 耗尽，2 小时 31 分钟后才有配额恢复。',
    '按预期消耗估算，已计入此前恢复的 5.0 Plus，最早在 20:10。',
  ])
})
