/** A computation in parts: each `next()` does a bounded amount of it, so that whoever runs it can do something else in between. */
export type Steps<Value> = Generator<void, Value, void>

/** Elements between two rests; some hundred microseconds of work. */
const ELEMENTS_PER_STEP = 50

/** Does something with each element, resting every 50. */
export function* eachInSteps<Element>(list: readonly Element[], use: (element: Element, index: number) => void): Steps<void> {
  for (const [index, element] of list.entries()) {
    use(element, index)
    if (index % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield
  }
}

/** Maps a list, resting every 50 elements. */
export function* mapInSteps<From, To>(list: readonly From[], map: (element: From) => To): Steps<To[]> {
  const mapped: To[] = []
  yield* eachInSteps(list, (element) => mapped.push(map(element)))
  return mapped
}

/** Runs a computation to its end in one go. */
export function finish<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
