import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { top } from './top.ts'

/** Prints what the fault tests observed, from the results of the last test run. */
interface Results {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly meta: { readonly observed?: string }
    }[]
  }[]
}
const { testResults } = JSON.parse(readFileSync(join(top, 'test-results.json'), 'utf8')) as Results
const rows = testResults
  .filter(({ name }) => /\/system\/(?:faults|postgres)\//.test(name))
  .flatMap(({ assertionResults }) => assertionResults)
  .map(
    ({ title, status, meta }) =>
      `| ${title} | ${status === 'passed' ? (meta.observed ?? 'passed') : status.toUpperCase()} |`,
  )
console.log(['| fault | observed |', '|---|---|', ...rows.sort()].join('\n'))
