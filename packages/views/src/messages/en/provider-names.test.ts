import { expect, it } from 'vitest'
import { countedAccountsText as inChinese } from '../zh-cn/provider-names.ts'
import { countedAccountsText } from './provider-names.ts'

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
    text: '2 Kimi accounts',
    chinese: '2 个 Kimi 账号',
  },
  {
    providers: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    text: '1 A, 1 B, 1 C, 1 D, 1 E, 2 other accounts',
    chinese: '1 个 A、1 个 B、1 个 C、1 个 D、1 个 E、2 个其他 账号',
  },
])('a pool of $providers is $text', ({ providers, text, chinese }) => {
  expect(countedAccountsText(providers)).toBe(text)
  expect(inChinese(providers)).toBe(chinese)
})
