/** The same methods, each of which answers at once. */
export type AtOnce<Api> = {
  readonly [Method in keyof Api]: Api[Method] extends (
    ...args: infer Arguments
  ) => Promise<infer Answer>
    ? (...args: Arguments) => Answer
    : never
}

/** SQLite answers at once; a port answers by promises, which reject where a method throws. */
export function promised<Api extends object>(methods: AtOnce<Api>): Api {
  return Object.fromEntries(
    Object.entries<(...args: readonly unknown[]) => unknown>(methods).map(([name, method]) => [
      name,
      async (...args: readonly unknown[]) => method(...args),
    ]),
  ) as Api
}
