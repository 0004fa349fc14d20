import { expect, it } from 'vitest'
import { unitNoun as chineseNoun } from '../zh-cn/unit-name.ts'
import { unitNoun } from './unit-name.ts'

it.each([
  { shown: '1', unit: 'accounts', noun: 'account', chinese: '个账号' },
  // A share of one is not one.
  { shown: '1.0', unit: 'accounts', noun: 'accounts', chinese: '个账号' },
  { shown: '0', unit: 'accounts', noun: 'accounts', chinese: '个账号' },
  { shown: '1', unit: 'plus', noun: 'Plus', chinese: 'Plus' },
  { shown: '1', unit: 'mixed', noun: 'units', chinese: '单位' },
] as const)('$shown is one of $noun', ({ shown, unit, noun, chinese }) => {
  expect([unitNoun(shown, unit), chineseNoun(shown, unit)]).toEqual([noun, chinese])
})
