/** A computation in parts: each `next()` does a bounded amount of it, so that whoever runs it can do something else in between. */
export type Steps<Value> = Generator<void, Value, void>

/** Elements between two rests; some hundred microseconds of work. */
export const ELEMENTS_PER_STEP = 50

/** Maps a list, resting every 50 elements. */
export function* mapInSteps<From, To>(list: readonly From[], map: (element: From) => To): Steps<To[]> {
  const mapped: To[] = []
  for (const element of list) {
    mapped.push(map(element))
    if (mapped.length % ELEMENTS_PER_STEP === 0) yield
  }
  return mapped
}

/** Runs a computation to its end in one go. */
export function finish<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
