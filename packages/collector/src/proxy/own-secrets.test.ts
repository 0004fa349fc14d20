import { Redacted } from '@svc/core/service'
import { expect, it } from 'vitest'
import { createOwnSecrets } from './own-secrets.ts'

const KEY = 'Key & <value>'

async function shown(answer: unknown, learned: Promise<Redacted | null> = Promise.resolve(null)) {
  const secrets = createOwnSecrets()
  secrets.add(new Redacted(`${KEY}\n`))
  secrets.add(new Redacted(''))
  secrets.learn(learned)
  const copy: unknown = structuredClone(answer)
  await secrets.replaceIn(copy)
  return copy
}

it.each([
  { why: 'a text', answer: { label: KEY }, shows: { label: '[secret]' } },
  { why: 'with blanks around it', answer: { name: ` ${KEY}\n` }, shows: { name: '[secret]' } },
  {
    why: 'at any depth',
    answer: { files: [{ id_token: { name: KEY } }, { names: ['a', KEY] }] },
    shows: { files: [{ id_token: { name: '[secret]' } }, { names: ['a', '[secret]'] }] },
  },
])('replaces a secret of ours: $why', async ({ answer, shows }) => {
  expect(await shown(answer)).toEqual(shows)
})

it.each([
  { why: 'another text', answer: { label: 'alice' } },
  { why: 'a longer text', answer: { label: `${KEY}!` } },
  { why: 'an empty one', answer: { label: '', name: ' ' } },
  { why: 'what is no text', answer: { files: [null, 7, true, []] } },
  { why: 'a word of the proxy', answer: { provider: KEY, status: KEY } },
  { why: 'no object', answer: null },
])('leaves $why as it is', async ({ answer }) => {
  expect(await shown(answer)).toEqual(answer)
})

it('waits for a secret that is being read', async () => {
  const reading = new Promise<Redacted>((resolve) =>
    setImmediate(resolve, new Redacted('from-a-file')),
  )

  expect(await shown({ label: 'from-a-file' }, reading)).toEqual({ label: '[secret]' })
})
