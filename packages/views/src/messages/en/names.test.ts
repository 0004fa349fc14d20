import type { NamedAccount } from '@svc/core/health'
import { describe, expect, it } from 'vitest'
import { countedAccountsText as inChinese } from '../zh-cn/names.ts'
import { countedAccountsText, namesIn, whoIn } from './names.ts'

const group = (count: number) => ({
  accounts: Array.from(
    { length: count },
    (_, index) => ({ title: `acc-${index + 1}` }) as NamedAccount,
  ),
})

describe('the accounts an action is about', () => {
  it.each([
    { count: 0, who: '0 accounts', names: '' },
    { count: 1, who: 'acc-1', names: null },
    { count: 2, who: '2 accounts', names: 'acc-1, acc-2' },
    { count: 5, who: '5 accounts', names: 'acc-1, acc-2, acc-3, acc-4, acc-5' },
    { count: 6, who: '6 accounts', names: 'acc-1, acc-2, acc-3, acc-4, acc-5 and 1 more' },
    { count: 40, who: '40 accounts', names: 'acc-1, acc-2, acc-3, acc-4, acc-5 and 35 more' },
  ])('$count are called "$who", and named as $names', ({ count, who, names }) => {
    expect(whoIn(group(count))).toBe(who)
    expect(namesIn(group(count))).toBe(names)
  })
})

const some = (provider: string, count: number) => Array.from({ length: count }, () => provider)

it.each([
  { providers: [], text: '0 accounts', chinese: '0 个账号' },
  { providers: ['codex'], text: '1 Codex account', chinese: '1 个 Codex 账号' },
  { providers: some('codex', 24), text: '24 Codex accounts', chinese: '24 个 Codex 账号' },
  { providers: ['nobody'], text: '1 Nobody account', chinese: '1 个 Nobody 账号' },
  {
    providers: [...some('codex', 2), 'nobody'],
    text: '2 Codex, 1 Nobody accounts',
    chinese: '2 个 Codex、1 个 Nobody 账号',
  },
  {
    // A name that begins small keeps its own way of writing.
    providers: ['xai', 'kiro'],
    text: '1 xAI, 1 Kiro accounts',
    chinese: '1 个 xAI、1 个 Kiro 账号',
  },
  {
    providers: ['kimi', 'kimi-ai'],
    text: '1 Kimi, 1 Kimi (kimi-ai) accounts',
    chinese: '1 个 Kimi、1 个 Kimi (kimi-ai) 账号',
  },
  {
    providers: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    text: '1 A, 1 B, 1 C, 1 D, 1 E, 1 F, 1 other accounts',
    chinese: '1 个 A、1 个 B、1 个 C、1 个 D、1 个 E、1 个 F、1 个其他账号',
  },
])('a pool of $providers is $text', ({ providers, text, chinese }) => {
  expect(countedAccountsText(providers)).toBe(text)
  expect(inChinese(providers)).toBe(chinese)
})
