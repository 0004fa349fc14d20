import { type Clock, epochMs } from '@svc/core'

/**
 * A clock for whole-system tests over real sockets: `factor` times as fast as the real one from `originMs` on (real time at which both say the same),
 * and as fast as the real one again after `fastMs`. Two processes that are given the same three agree.
 */
export function acceleratedClock(factor: number, originMs = realNowMs(), fastMs = Number.POSITIVE_INFINITY): Clock {
  const elapsedMs = () => {
    const realMs = realNowMs() - originMs
    return realMs <= fastMs ? realMs * factor : fastMs * factor + (realMs - fastMs)
  }
  return {
    now: () => epochMs(originMs + elapsedMs()),
    monotonicMs: elapsedMs,
    schedule(delayMs, task) {
      const timer = setTimeout(task, realNowMs() - originMs <= fastMs ? delayMs / factor : delayMs)
      return () => clearTimeout(timer)
    },
  }
}

/** Real time that does not jump, in milliseconds since 1970. */
export function realNowMs(): number {
  return performance.timeOrigin + performance.now()
}

/** Options of a program that lives by such a clock, for `parseArgs`. */
export const paceOptions = {
  factor: { type: 'string', default: '1' },
  'origin-ms': { type: 'string' },
  'fast-ms': { type: 'string' },
} as const

/** The clock those options ask for. */
export function clockOf(values: { readonly factor: string; readonly 'origin-ms'?: string; readonly 'fast-ms'?: string }): Clock {
  const given = (text: string | undefined) => (text === undefined ? undefined : Number(text))
  return acceleratedClock(Number(values.factor), given(values['origin-ms']), given(values['fast-ms']))
}
