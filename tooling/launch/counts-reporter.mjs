/**
 * What one run of the tests came to.
 * @typedef {{ readonly passed: number, readonly failed: number, readonly skipped: readonly string[] }} Counts
 */

/**
 * A failed test, a file that failed outside its tests, or an error that nobody caught; `file` is null for an error that belongs to none.
 * @typedef {{ readonly file: string | null, readonly name: string }} Failed
 */

/** Tells the process that started vitest how far the tests are, and at the end how many passed, which failed, and why the others were skipped. */
export default class CountsReporter {
  #ended = 0

  onTestCaseResult() {
    this.#ended += 1
    process.send?.({ ended: this.#ended })
  }

  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly import('vitest/node').SerializedError[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0
    /** @type {Failed[]} */
    const failures = unhandledErrors.map(({ message, VITEST_TEST_PATH: path }) => ({
      file: modules.find(({ moduleId }) => moduleId === path)?.relativeModuleId ?? null,
      name: `an error that nobody caught: ${message}`,
    }))
    /** @type {string[]} */
    const skipped = []
    for (const module of modules) {
      const file = module.relativeModuleId
      const before = failures.length
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state === 'passed') passed += 1
        else if (result.state === 'failed') failures.push({ file, name: test.fullName })
        else skipped.push((result.state === 'skipped' && result.note) || 'no reason is given')
      }
      // A file that cannot be loaded, or fails between its tests, is one failure.
      if (module.state() === 'failed' && failures.length === before)
        failures.push({ file, name: file })
    }
    process.send?.({ counts: { passed, failed: failures.length, skipped }, failures })
  }
}
