/** Runs one attempt at a time; all who ask for it wait for the same one. */
export interface SingleFlight<Result> {
  /** Begins an attempt; joins the one that is under way. */
  run(): Promise<Result>
  /** Begins an attempt after the one that is under way; joins one that waits already. */
  runAfresh(): Promise<Result>
  /** Waits for the attempt that is under way. */
  settled(): Promise<void>
}

export function createSingleFlight<Result>(attempt: () => Promise<Result>): SingleFlight<Result> {
  let underWay: Promise<Result> | null = null
  let next: Promise<Result> | null = null

  const run = () => {
    underWay ??= attempt().finally(() => {
      underWay = null
    })
    return underWay
  }

  return {
    run,
    runAfresh() {
      next ??= Promise.resolve(underWay).then(() => {
        next = null
        return run()
      })
      return next
    },
    async settled() {
      await underWay
    },
  }
}
