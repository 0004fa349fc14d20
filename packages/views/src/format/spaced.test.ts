import { describe, expect, it } from 'vitest'
import { spaced } from './spaced.ts'

describe('a Chinese text with values', () => {
  it.each([
    { when: '20:41', text: '将在 20:41 恢复' },
    { when: '周日 09:00', text: '将在周日 09:00 恢复' },
    { when: '11月30日 09:00', text: '将在 11月30日 09:00 恢复' },
    { when: '不到 1 分钟', text: '将在不到 1 分钟恢复' },
    { when: '“a”', text: '将在 “a” 恢复' },
    { when: '', text: '将在恢复' },
  ])('has a space where Han meets $when, and none between Han', ({ when, text }) => {
    expect(spaced`将在 ${when} 恢复`).toBe(text)
  })

  it('adds a space that the text does not have', () => {
    expect(spaced`仅知其${'5 小时'}配额：剩余${'74%'}，共${3}个`).toBe(
      '仅知其 5 小时配额：剩余 74%，共 3 个',
    )
  })

  it('leaves values as they are', () => {
    expect(spaced`${'张三 abc王'}：${''}完`).toBe('张三 abc王：完')
    expect(spaced`无值`).toBe('无值')
  })

  it('joins two values in the same way', () => {
    expect(spaced`${'账号池'}${'<0.1'}${'天'}`).toBe('账号池 <0.1 天')
  })
})
