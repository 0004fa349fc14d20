import type { AskedAccount } from '@svc/core/account'
import type { AskedStore } from '../quota/asked-notes.ts'

/** A process's view of a store in memory. */
export interface AskedHere extends AskedStore {
  /** Becomes `known`, or `none`. */
  settle(standing: 'known' | 'none'): void
}

/** Last queries in memory, for several processes. Each begins as `awaited`. */
export function askedInMemory() {
  const rows = new Map<string, AskedAccount>()
  let afterWrite = () => {}
  /** Outcome of the next writes. */
  let outcome: Awaited<ReturnType<AskedStore['keep']>> = 'kept'
  return {
    rows: (): readonly AskedAccount[] => [...rows.values()],
    /** Calls `heard` once, after the next write and before its end is told. */
    afterNextWrite(heard: () => void) {
      afterWrite = heard
    },
    answerWith(next: typeof outcome) {
      outcome = next
    },
    process(): AskedHere {
      let standing: ReturnType<AskedStore['standing']> = 'awaited'
      const listeners: (() => void)[] = []
      const settled = (next: typeof standing) => {
        standing = next
        for (const listener of listeners) listener()
      }
      return {
        standing: () => standing,
        async keep(accounts) {
          // As text, as a store keeps them.
          const kept = JSON.parse(JSON.stringify(accounts)) as readonly AskedAccount[]
          if (outcome === 'kept')
            for (const one of kept) rows.set(`${one.upstream}/${one.authName}`, one)
          if (outcome === 'not_ours') settled('awaited')
          const heard = afterWrite
          afterWrite = () => {}
          heard()
          return outcome
        },
        onChange: (listener) => void listeners.push(listener),
        settle: settled,
      }
    },
  }
}
