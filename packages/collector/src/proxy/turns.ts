/** The right to send one call. */
export interface Turn<Pass> {
  readonly pass: Pass
  /** False once all turns were taken back: the result of this call then says nothing about the current state. */
  isCurrent(): boolean
  end(): void
}

/** Lets calls pass one after the other, or a few at a time. */
export interface Turns<Pass> {
  /** Waits for a turn. Throws the error of `admit`. */
  take(): Promise<Turn<Pass>>
  /** Takes all turns back; waiting calls ask for a new one. */
  startOver(): void
}

/** Creates turns. `admit` returns a call's pass and the most calls that may run with that pass; it throws while no call may go out. */
export function createTurns<Pass>(
  admit: () => { readonly pass: Pass; readonly inFlightMax: number },
): Turns<Pass> {
  let inFlightCount = 0
  let generation = 0
  let waiting: (() => void)[] = []

  const wakeWaiting = () => {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  const begin = (pass: Pass): Turn<Pass> => {
    const mine = generation
    inFlightCount += 1
    const isCurrent = () => mine === generation
    return {
      pass,
      isCurrent,
      end() {
        if (isCurrent()) inFlightCount -= 1
        wakeWaiting()
      },
    }
  }

  return {
    async take() {
      for (;;) {
        // Asked and taken synchronously, so that no other call can take the same turn.
        const { pass, inFlightMax } = admit()
        if (inFlightCount < inFlightMax) return begin(pass)
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    startOver() {
      inFlightCount = 0
      generation += 1
      wakeWaiting()
    },
  }
}
