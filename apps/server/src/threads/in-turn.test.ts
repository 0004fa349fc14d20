import { expect, it } from 'vitest'
import { inTurn } from './in-turn.ts'

it('a call begins when the one before it has ended, even where that has failed', async () => {
  const seen: string[] = []
  const open: (() => void)[] = []
  const api = inTurn({
    slow: () =>
      new Promise<void>((resolve) => {
        seen.push('slow begins')
        open.push(() => {
          seen.push('slow ends')
          resolve()
        })
      }),
    async failing() {
      seen.push('failing')
      throw new Error('no')
    },
    async quick(text: string) {
      seen.push('quick')
      return text
    },
  })

  const calls = [api.slow(), api.failing(), api.quick('answer')]
  await Promise.resolve()
  for (const end of open) end()

  expect(await Promise.allSettled(calls)).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected' },
    { status: 'fulfilled', value: 'answer' },
  ])
  expect(seen).toEqual(['slow begins', 'slow ends', 'failing', 'quick'])
})
