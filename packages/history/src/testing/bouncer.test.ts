import { afterAll, expect, it } from 'vitest'
import { connectionOf } from '../postgres/address.ts'
import { openSession } from '../postgres/session.ts'
import { startBouncer } from './bouncer.ts'
import { ownDatabases } from './own-databases.ts'
import { whyNoBouncer } from './postgres-programs.ts'

const databases = ownDatabases()
afterAll(() => databases.remove())

it('gives each transaction whichever connection is free', async ({ skip }) => {
  const why = whyNoBouncer()
  if (why !== null) return skip(why)
  const name = new URL(await databases.nextAddress()).pathname.slice(1)
  const bouncer = await startBouncer(await databases.server())
  const [one, other] = [await opened(bouncer.address(name)), await opened(bouncer.address(name))]
  try {
    // The other holds one of the two, so that the next question of the first has the one that is left.
    const servers = new Set<unknown>()
    const ask = async (session: typeof one) => {
      const [row] = await session.rows<{ pid: number; name: string }>(
        'SELECT pg_backend_pid() AS pid, current_database() AS name',
      )
      expect(row?.name).toBe(name)
      servers.add(row?.pid)
    }
    await other.transaction('write', async () => {
      await ask(other)
      await ask(one)
    })
    await one.transaction('write', async () => {
      await ask(one)
      await ask(other)
    })
    expect(servers.size).toBe(2)
  } finally {
    await one.close()
    await other.close()
    await bouncer.remove()
  }
})

const opened = (address: string) => openSession(connectionOf(address, null))
