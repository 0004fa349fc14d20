import type { Redactor } from './redactor.ts'

/** Text in pieces of any size, in and out. */
export interface TextStream {
  push(piece: string): string
  end(): string
}

/** A secret that lies across two pieces is seen if it is no longer than this. Source: outputs-and-redaction 1.10.7. */
const OVERLAP_LENGTH = 16 * 1024
/** Work is done when so much has come together. */
const BATCH_LENGTH = 96 * 1024
/** A stretch that has no end is replaced bit by bit. */
const SPOT_LENGTH_MAX = 1024 * 1024

/** Redacts text of any length in constant memory and in time that grows with it. */
export function createTextStream(redactor: Redactor): TextStream {
  let held = ''
  /** What still belongs to a stretch that was replaced before its end was seen. */
  let rest: RegExp | null = null

  const dropRest = (): void => {
    if (rest === null) return
    const length = rest.exec(held)?.[0].length ?? 0
    const isWhole = length === held.length
    held = held.slice(length)
    if (!isWhole) rest = null
  }

  /** Redacts what is certain not to change with what may come. */
  const flush = (isLast: boolean): string => {
    dropRest()
    if (isLast) return redactor.text(held)
    let cut = Math.max(0, held.length - OVERLAP_LENGTH)
    // Between two lines where there are any, so that few stretches are cut.
    const line = held.lastIndexOf('\n', cut)
    if (line > 0 && cut - line < OVERLAP_LENGTH) cut = line + 1
    const spots = redactor.find(held)
    for (const { from, end, rule } of spots) {
      if (from >= cut || end <= cut) continue
      cut = from
      if (held.length - from < SPOT_LENGTH_MAX) break
      const stand = redactor.text(held, spots)
      rest = rule === 'pem' ? /^(?:(?!-----END)[\s\S]){1,100000}/ : /^[A-Za-z0-9+/_=.-]+/
      held = ''
      return stand
    }
    const done = held.slice(0, cut)
    held = held.slice(cut)
    return done === ''
      ? ''
      : redactor.text(
          done,
          spots.filter(({ start }) => start < cut),
        )
  }

  return {
    push(piece) {
      held += piece
      return held.length < BATCH_LENGTH ? '' : flush(false)
    },
    end() {
      const last = flush(true)
      held = ''
      rest = null
      return last
    },
  }
}
