import { plusMs } from '@svc/core'
import type { Clock, EngineName, HistoryState, Log } from '@svc/core/service'

/** A call that takes longer counts as hanging; on a working disk, or a database that answers, no call does. */
const ANSWER_MS_MAX = 30_000

/** The state of the store, as health shows it. */
export interface StoreState {
  now(): HistoryState
  /** `detail` is for the log alone. */
  become(next: HistoryState, detail?: string | null): void
  /** Whether a call has not returned for so long that the store counts as failing. */
  isSilent(): boolean
  /** The call; while it does not return the store counts as failing, afterwards as what it was before. */
  watch<Value>(call: Promise<Value>): Promise<Value>
}

interface StoreStateDeps {
  readonly engine: EngineName
  readonly clock: Clock
  readonly log: Log
  /** Called when the state has changed. */
  readonly onState: () => void
  /** The store takes usage again after it was silent. */
  readonly onAnswering: () => void
}

/** Begins in the state `opening`. */
export function createStoreState(deps: StoreStateDeps): StoreState {
  const { engine, clock, log, onState, onAnswering } = deps
  let state: HistoryState = { kind: 'opening' }

  const become = (next: HistoryState, detail: string | null = null) => {
    const changed =
      next.kind !== state.kind ||
      (next.kind === 'failing' && state.kind === 'failing' && next.code !== state.code)
    state = next
    if (!changed) return
    if (next.kind === 'failing')
      log.error(
        'history store not usable',
        { reason: next.code, ...(detail === null ? {} : { detail }) },
        'news',
      )
    if (next.kind === 'ok') log.info('history store open')
    onState()
  }

  const isSilent = () => state.kind === 'failing' && state.code === 'not_answering'

  return {
    now: () => state,
    become,
    isSilent,
    async watch(call) {
      let before: HistoryState | null = null
      let cancel = () => {}
      const wait = () => {
        cancel = clock.schedule(ANSWER_MS_MAX, () => {
          // An earlier call has said so already; this one may go on hanging after it.
          if (isSilent()) return wait()
          before = state
          const since = plusMs(clock.now(), -ANSWER_MS_MAX)
          become({ kind: 'failing', code: 'not_answering', since, engine })
        })
      }
      wait()
      try {
        return await call
      } finally {
        cancel()
        if (before !== null && isSilent()) {
          become(before)
          if (state.kind === 'ok') onAnswering()
        }
      }
    },
  }
}
