type Method = (...args: readonly unknown[]) => unknown

/** The same methods, each call of which begins when the one before it has ended, however it ended. */
export function inTurn<Api extends object>(methods: Api): Api {
  let last: Promise<unknown> = Promise.resolve()
  const queued = (method: Method) => {
    return (...args: readonly unknown[]) => {
      const answer = last.then(() => method(...args))
      last = answer.catch(() => undefined)
      return answer
    }
  }
  return Object.fromEntries(
    Object.entries(methods as Readonly<Record<string, Method>>).map(([name, method]) => [
      name,
      queued(method),
    ]),
  ) as Api
}
