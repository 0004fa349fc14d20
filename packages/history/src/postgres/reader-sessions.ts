import { HistoryError } from '../contract/history-error.ts'
import type { Session } from './session.ts'

/** A few connections that answers share: each has one to itself until it is done. */
export interface ReaderSessions {
  /** Waits for a connection that is free. Rejects as `work` or opening one does. `work` only reads: it runs a second time when an idle connection turns out to be lost. */
  use<Answer>(work: (session: Session) => Promise<Answer>): Promise<Answer>
  /** After the answers under way. */
  close(): Promise<void>
}

/** Connections are opened when they are needed, up to `max`; `first` is open already. One on which an answer has failed is not used again. */
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
      // It may be lost, or in the middle of an answer.
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
        // A database that was started again has dropped the connections of before, and answers over a new one.
        if (!isLost(error)) throw error
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
