import type { FailedAttempt, Message } from '@svc/core/notify'

/** One kind of receiver: a plain POST of JSON. The file of the target holds only its address. */
export interface Kind {
  /** Whether an address can be one of this kind; left out: any http or https address can. */
  readonly accepts?: (address: URL) => boolean
  readonly post: (
    message: WordedMessage,
    address: URL,
  ) => { readonly url: URL; readonly json: object }
  /** A failure reported in a JSON answer, which takes precedence over the status; null for none. Left out: the status decides. */
  readonly failureIn?: (answer: Answer) => FailedAttempt | null
}

export interface WordedMessage {
  readonly message: Message
  readonly receiver: string
  readonly title: string
  /** Lines of text; empty if the title is all. */
  readonly text: string
  readonly isUrgent: boolean
}

export type Answer = Readonly<Record<string, unknown>>

/** A failure of this code that asks for no wait. */
export function failedWith(code: FailedAttempt['code']): FailedAttempt {
  return { code, retryAfterSeconds: null }
}

export function wholeText({ title, text }: WordedMessage): string {
  return text === '' ? title : `${title}\n${text}`
}

/** The text, cut between two code points so that its size is at most `max`. Size: UTF-16 units, or by `sizeOf`. */
export function cutToSize(
  text: string,
  max: number,
  sizeOf = (part: string) => part.length,
): string {
  if (sizeOf(text) <= max) return text
  let kept = ''
  let size = sizeOf('…')
  for (const character of text) {
    size += sizeOf(character)
    if (size > max) break
    kept += character
  }
  return `${kept}…`
}

/** Size as UTF-8, as JSON writes it. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}
