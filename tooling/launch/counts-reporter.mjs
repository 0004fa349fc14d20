/**
 * What one run of the tests came to.
 * @typedef {{ readonly passed: number, readonly failed: number, readonly skipped: readonly string[] }} Counts
 */

/** Tells the process that started vitest how far the tests are, and at the end how many passed and failed, why the others were skipped, and which passed only when run again. */
export default class CountsReporter {
  #ended = 0

  onTestCaseResult() {
    this.#ended += 1
    process.send?.({ ended: this.#ended })
  }

  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0
    let failed = unhandledErrors.length
    /** @type {string[]} */
    const skipped = []
    /** @type {string[]} */
    const again = []
    for (const module of modules) {
      const before = failed
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (test.diagnostic()?.flaky) again.push(test.fullName)
        if (result.state === 'passed') passed += 1
        else if (result.state === 'failed') failed += 1
        else skipped.push((result.state === 'skipped' && result.note) || 'no reason is given')
      }
      // A file that cannot be loaded, or fails between its tests, is one failure.
      if (module.state() === 'failed' && failed === before) failed += 1
    }
    process.send?.({ counts: { passed, failed, skipped }, again })
  }
}
