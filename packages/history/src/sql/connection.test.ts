import { expect, it } from 'vitest'
import { queued, serialQueue } from './connection.ts'

it('methods run one after the other, in the order they were called, however long each takes', async () => {
  const events: string[] = []
  const slow = async (name: string, ticks: number) => {
    events.push(`${name} begins`)
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
    events.push(`${name} ends`)
    return name
  }
  const queue = serialQueue()
  const [one, other] = [{ slow }, { slow }].map((methods) => queued(queue, methods))

  expect(await Promise.all([one?.slow('a', 50), other?.slow('b', 0)])).toEqual(['a', 'b'])
  expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
})

it('one that fails, at once or later, does not keep the next from running', async () => {
  const methods = queued(serialQueue(), {
    throws: () => {
      throw new Error('at once')
    },
    rejects: () => Promise.reject(new Error('later')),
    works: async () => 'done',
  })

  const answers = await Promise.allSettled([methods.throws(), methods.rejects(), methods.works()])
  expect(
    answers.map((answer) => ('value' in answer ? answer.value : answer.reason.message)),
  ).toEqual(['at once', 'later', 'done'])
})
