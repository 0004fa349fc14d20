/** Runs work one after the other, in order of arrival: at once on one connection, each would become part of another's transaction. */
export type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Begins each work once the one before it has ended, however it ended. */
export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}

/** The same methods, each run in the queue. */
export function queued<Api extends object>(queue: SerialQueue, methods: Api): Api {
  return Object.fromEntries(
    Object.entries<(...args: readonly unknown[]) => Promise<unknown>>(
      methods as Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>,
    ).map(([name, method]) => [
      name,
      (...args: readonly unknown[]) => queue(async () => method(...args)),
    ]),
  ) as Api
}
