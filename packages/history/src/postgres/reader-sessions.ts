import { HistoryError } from '../contract/history-error.ts'
import type { Session } from './session.ts'

/** A few connections shared by answers, each used by one answer at a time. */
export interface ReaderSessions {
  /**
   * Waits for a free connection. Rejects with the error of `work` or of opening a connection. `work` must only read: it runs again if an idle
   * connection turns out to be lost.
   */
  use<Answer>(work: (session: Session) => Promise<Answer>): Promise<Answer>
  close(): Promise<void>
}

/** Opens connections as needed, up to `max`; `first` is already open. A connection with a failed answer is not used again. */
export function createReaderSessions(
  open: () => Promise<Session>,
  { first, max }: { readonly first: Session; readonly max: number },
): ReaderSessions {
  const idle: Session[] = [first]
  const waiting: (() => void)[] = []
  const underWay = new Set<Promise<unknown>>()
  let busy = 0

  const turn = async () => {
    while (busy >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    busy += 1
  }
  const answeredBy = async <Answer>(
    session: Session,
    work: (session: Session) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      const answer = await work(session)
      idle.push(session)
      return answer
    } catch (error) {
      // The connection may be lost or in the middle of an answer.
      void session.close()
      throw error
    }
  }
  const answered = async <Answer>(work: (session: Session) => Promise<Answer>): Promise<Answer> => {
    await turn()
    try {
      const session = idle.pop()
      if (session === undefined) return await answeredBy(await open(), work)
      return await answeredBy(session, work).catch(async (error: unknown) => {
        // A restarted database, or a firewall that has forgotten, has dropped its earlier connections, and answers over a new one.
        if (!isLost(error)) throw error
        for (const other of idle.splice(0)) void other.close()
        return answeredBy(await open(), work)
      })
    } finally {
      busy -= 1
      waiting.shift()?.()
    }
  }
  return {
    use(work) {
      const answer = answered(work)
      const ended: Promise<unknown> = answer
        .catch(() => undefined)
        .finally(() => underWay.delete(ended))
      underWay.add(ended)
      return answer
    },
    async close() {
      await Promise.all(underWay)
      await Promise.all(idle.splice(0).map((session) => session.close()))
    },
  }
}

function isLost(error: unknown): boolean {
  return error instanceof HistoryError && error.code === 'unreachable'
}
