import { readPaths } from './read-text.ts'
import { freePort } from './service/built-program.ts'
import { startService } from './service/start-service.ts'

/** Paths that a scraper, a wrapper and a dashboard request first. */
const PATHS = [
  '/',
  ...readPaths,
  '/api/v1/stats/series?range=30d&group=client',
  '/api/v1/stats/series?format=csv',
]

const demo = await startService({
  where: 'program',
  args: ['--demo', '--port', String(await freePort())],
})
const ranking = await fetch(`${demo.url}/api/v1/recommendations`)
const { items } = (await ranking.json()) as {
  readonly items: readonly [{ readonly selector: { readonly accountKey: string } }]
}
const paths = [...PATHS, `/api/v1/accounts/${items[0].selector.accountKey}/quota?range=30d`]
let failed = 0
for (const path of paths) {
  const started = performance.now()
  const answer = await fetch(demo.url + path)
  const bytes = (await answer.arrayBuffer()).byteLength
  const verdict = answer.status === 200 ? 'ok  ' : 'FAIL'
  if (answer.status !== 200) failed += 1
  console.log(
    `${verdict} ${answer.status} ${path} ${bytes} bytes in ${(performance.now() - started).toFixed(1)} ms`,
  )
}
const code = await demo.stop()
if (code !== 0) failed += 1
console.log(`${paths.length + 1 - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
