/** Methods of a port with direct results instead of promises. */
export type AtOnce<Api> = {
  readonly [Method in keyof Api]: Api[Method] extends (
    ...args: infer Arguments
  ) => Promise<infer Answer>
    ? (...args: Arguments) => Answer
    : never
}

/** Turns direct methods into methods of a port, which return promises and reject instead of throwing. */
export function promised<Api extends object>(methods: AtOnce<Api>): Api {
  return Object.fromEntries(
    Object.entries<(...args: readonly unknown[]) => unknown>(methods).map(([name, method]) => [
      name,
      async (...args: readonly unknown[]) => method(...args),
    ]),
  ) as Api
}
