/** Runs one attempt at a time; all callers share it. */
export interface SingleFlight<Result> {
  /** Begins an attempt or joins the one under way. */
  run(): Promise<Result>
  /** Begins an attempt after the one under way, or joins one that already waits. */
  runAfresh(): Promise<Result>
  /** Waits for the attempt under way. */
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
