import type { DocumentReader, Part } from './parts.ts'

/** Control sequences of a terminal for colours and the cursor, raw and as JSON and shells spell them. */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
  /\u001b(?:\[[0-9;:?]{0,32}[A-Za-z]|[()][0-9AB])|(?<!\\)\\{1,16}(?:u001[bB]|x1[bB]|033|e)\[[0-9;]{0,32}m/g
/** Start of a control sequence at the end of a piece. */
const BEGINNING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  /(?:\u001b|\\{1,16}[ux0-3e]?[0-9bB]{0,4})(?:\[[0-9;:?]{0,32}|[()])?$/
const BEGINNING_LENGTH_MAX = 64

/** Reads a text without its control sequences, which would stand between names and values, and puts them back around the text that stays. */
export function withoutControlSequences(reader: DocumentReader): DocumentReader {
  /** Held back until the next piece shows whether a sequence begins there. */
  let held = ''
  /** Length of the text handed on, without sequences. */
  let length = 0
  let taken: { readonly at: number; readonly text: string }[] = []

  const stripped = (text: string): string => {
    let plain = ''
    let from = 0
    for (const { 0: sequence, index } of text.matchAll(SEQUENCE)) {
      plain += text.slice(from, index)
      taken.push({ at: length + plain.length, text: sequence })
      from = index + sequence.length
    }
    plain += text.slice(from)
    length += plain.length
    return plain
  }
  const restored = (parts: readonly Part[]): readonly Part[] => {
    if (taken.length === 0) return parts
    const out: Part[] = []
    let next = 0
    const putBack = (to: number) => {
      for (; (taken[next]?.at ?? Number.POSITIVE_INFINITY) <= to; next += 1)
        out.push({ kind: 'text', start: to, text: taken[next]?.text ?? '' })
    }
    for (const part of parts) {
      if (part.kind === 'hidden') {
        if (!part.goesOn) putBack(part.span.start)
        out.push(part)
        continue
      }
      const { start, text } = part
      let from = 0
      for (; (taken[next]?.at ?? Number.POSITIVE_INFINITY) <= start + text.length; next += 1) {
        const to = Math.max(from, (taken[next]?.at ?? 0) - start)
        out.push({ kind: 'text', start, text: text.slice(from, to) + (taken[next]?.text ?? '') })
        from = to
      }
      out.push({ kind: 'text', start: start + from, text: text.slice(from) })
    }
    taken = taken.slice(next)
    return out
  }

  return {
    push(piece) {
      const text = held + piece
      held = BEGINNING.exec(text.slice(-BEGINNING_LENGTH_MAX))?.[0] ?? ''
      return restored(reader.push(stripped(text.slice(0, text.length - held.length))))
    },
    end() {
      const rest = reader.push(stripped(held))
      const parts = [...restored(rest), ...restored(reader.end())]
      return [
        ...parts,
        ...taken.map(({ at, text }) => ({ kind: 'text', start: at, text }) as const),
      ]
    },
  }
}
