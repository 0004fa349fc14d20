import { expect, it } from 'vitest'
import { spaced } from './spaced.ts'

it.each([
  { moment: '12:15', text: '自 12:15 起' },
  { moment: '周日 09:00', text: '自周日 09:00 起' },
  { moment: '上周', text: '自上周起' },
  { moment: '', text: '自起' },
])('$text has a space where letters of two kinds meet', ({ moment, text }) => {
  expect(spaced`自${moment}起`).toBe(text)
})

it('two values are joined in the same way', () => {
  expect(spaced`${'账号池'}${'<0.1'}${'天'}`).toBe('账号池 <0.1 天')
})
