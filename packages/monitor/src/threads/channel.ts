/** Either end of a channel: a worker as its starter sees it, a worker's own port, or one port of a `MessageChannel`. */
export interface Port {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/** The methods that one end offers. Their arguments and results are copied by the structured clone algorithm. */
// biome-ignore lint/suspicious/noExplicitAny: a bound for methods of any signature.
export type Methods<Api> = { readonly [Method in keyof Api]: (...args: any[]) => unknown }

/** The methods of an end that only makes calls. */
export type NothingOffered = Record<never, never>

type Arguments<Api extends Methods<Api>, Method extends keyof Api> = Parameters<Api[Method]>
type Result<Api extends Methods<Api>, Method extends keyof Api> = Awaited<ReturnType<Api[Method]>>

/** The other end, with the calls it takes. */
export interface Channel<Far extends Methods<Far>> {
  /** Rejects with ChannelError. Buffers in `transfer` belong to the other end afterwards. */
  call<Method extends keyof Far>(
    method: Method,
    args: Arguments<Far, Method>,
    transfer?: readonly ArrayBuffer[],
  ): Promise<Result<Far, Method>>
  /** Makes a call without waiting for its result. */
  tell<Method extends keyof Far>(
    method: Method,
    args: Arguments<Far, Method>,
    transfer?: readonly ArrayBuffer[],
  ): void
  /** Number of calls that have no result yet. */
  pendingCount(): number
  /** Treats the other end as gone: pending calls and all later ones reject with `crashed`. */
  close(): void
}

/**
 * A call without a result. `code`: the code of the thrown error, `crashed` if the thread has ended, `internal` if there is no such method. `detail`:
 * a line for a person, if there is one.
 */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly code: string
  readonly detail: string | null

  constructor(code: string, detail: string | null = null) {
    super(`the call failed: ${code}`)
    this.code = code
    this.detail = detail
  }
}

/** `id` null: no result is expected. */
interface Call {
  readonly id: number | null
  readonly method: string
  readonly args: readonly unknown[]
}

type Answer =
  | { readonly answers: number; readonly ok: true; readonly value: unknown }
  | {
      readonly answers: number
      readonly ok: false
      readonly code: string
      readonly detail: string | null
    }

interface PendingCall {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/**
 * Opens typed calls in both directions over one port. Calls of one end begin in the order they were made. A method that throws an error with a text
 * `code` fails the call with that code; any other error is thrown again here, so that the crash handler of the thread sees it. `near`: the methods
 * that this end offers, or a function that makes them from the other end.
 */
export function openChannel<Far extends Methods<Far>, Near extends Methods<Near>>(
  port: Port,
  near: Near | ((far: Channel<Far>) => Near),
): Channel<Far> {
  const pending = new Map<number, PendingCall>()
  let nextId = 0
  let isOpen = true

  port.on('message', (received) => {
    const message = received as Call | Answer
    if (!('answers' in message)) return serveCall(port, offered, message)
    const call = pending.get(message.answers)
    pending.delete(message.answers)
    if (message.ok) call?.resolve(message.value as never)
    else call?.reject(new ChannelError(message.code, message.detail))
  })

  const post = (call: Call, transfer: readonly ArrayBuffer[]) =>
    port.postMessage(call, [...transfer])

  const far: Channel<Far> = {
    call(method, args, transfer = []) {
      if (!isOpen) return Promise.reject(new ChannelError('crashed'))
      return new Promise((resolve, reject) => {
        nextId += 1
        pending.set(nextId, { resolve, reject })
        post({ id: nextId, method: String(method), args }, transfer)
      })
    },
    tell(method, args, transfer = []) {
      if (isOpen) post({ id: null, method: String(method), args }, transfer)
    },
    pendingCount: () => pending.size,
    close() {
      isOpen = false
      for (const { reject } of pending.values()) reject(new ChannelError('crashed'))
      pending.clear()
    },
  }
  // No message is taken before this function has returned.
  const offered = typeof near === 'function' ? near(far) : near
  return far
}

/** Implements these methods by passing each name and its arguments to `call`. */
export function forwarded<Api extends Methods<Api>>(
  methods: Readonly<Record<keyof Api, unknown>>,
  call: (method: keyof Api, args: never) => unknown,
): Api {
  const names = Object.keys(methods) as (keyof Api & string)[]
  return Object.fromEntries(
    names.map((name) => [name, (...args: unknown[]) => call(name, args as never)]),
  ) as Api
}

function serveCall<Near extends Methods<Near>>(
  port: Port,
  near: Near,
  { id, method, args }: Call,
): void {
  const post = (answer: Answer) => {
    if (id !== null) port.postMessage(answer)
  }
  const answer = (value: unknown) => post({ answers: Number(id), ok: true, value })
  const fail = (error: unknown) => {
    const code = textOf(error, 'code')
    if (code === null) throw error
    post({ answers: Number(id), ok: false, code, detail: textOf(error, 'detail') })
  }
  const handler = Object.hasOwn(near, method) ? near[method as keyof Near] : undefined
  if (handler === undefined) {
    fail(new ChannelError('internal'))
    return
  }
  try {
    const value = handler(...args)
    if (value instanceof Promise) void value.then(answer, fail)
    else answer(value)
  } catch (error) {
    fail(error)
  }
}

/** A text member of an error; null without one. */
function textOf(error: unknown, name: 'code' | 'detail'): string | null {
  const value = error instanceof Error && name in error ? (error as never)[name] : null
  return typeof value === 'string' ? value : null
}
