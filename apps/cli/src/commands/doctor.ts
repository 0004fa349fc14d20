import { connectResp } from '@svc/collector'
import { MANAGEMENT_KEY_ENV } from '@svc/config'
import type { Finding } from '@svc/doctor'
import { examine } from '@svc/doctor'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../program/flags.ts'
import { printed } from '../program/outcome.ts'
import { colouring } from '../program/terminal.ts'
import { columnsOf, hanging, padded } from '../program/text-columns.ts'

/** Checks the set-up and prints the findings. Resolves with the exit code, which is a failure if any check failed. */
export async function doctor(options: ParsedOptions, context: CliContext): Promise<number> {
  const { clock, fetch, version, nodeVersion } = context
  const input = configInput(options, context)
  const examined = examine(input, { clock, fetch, connectResp, nodeVersion })
  context.forgetEnv(MANAGEMENT_KEY_ENV)
  const findings = await examined
  const isGood = findings.every(({ status }) => status !== 'fail')
  const document = { ok: isGood, version, checks: findings }
  const text = () => findingsReport(findings, isOn(options.verbose) ? 'all' : 'checked', context)
  return printed({ exit: isGood ? EXIT.ok : EXIT.failed, document, text }, options, context)
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'grey' } as const

/** Order of the report: failures come last, where a terminal shows them. */
const ORDER: readonly Finding['status'][] = ['ok', 'skip', 'warn', 'fail']

/** Checks that a report names, and where the others are named. */
const EXTENTS = {
  problems: [['warn', 'fail'], ' (svc-quota-monitor doctor names them)'],
  checked: [['ok', 'warn', 'fail'], ' (--verbose names them)'],
  all: [ORDER, ''],
} as const satisfies Readonly<Record<string, readonly [readonly Finding['status'][], string]>>

/** The report: one line per named check, by its id as in docs/reference.md, plus one for its advice, wrapped on a terminal. The others are only counted. */
export function findingsReport(
  findings: readonly Finding[],
  extent: keyof typeof EXTENTS,
  context: CliContext,
): string {
  const [named, elsewhere] = EXTENTS[extent]
  const isNamed = ({ id, status }: Finding) =>
    // The answer of the proxy is the good news of a set-up.
    named.some((one) => one === status) || (id === 'upstream.management' && status === 'ok')
  const coloured = colouring(context)
  const columns = context.stdoutColumns
  const shown = (status: Finding['status']) => coloured(status.padEnd(4), COLOURS[status])
  const rows = ORDER.flatMap((wanted) => findings.filter(({ status }) => status === wanted)).filter(
    isNamed,
  )
  const nameOf = ({ id, upstream, target }: Finding) =>
    [id, upstream ?? target].filter((part) => part !== undefined).join(' · ')
  const width = Math.max(...rows.map((row) => columnsOf(nameOf(row))))
  const lines = rows.map((row) => {
    const { status, detail, hint } = row
    const told = (head: string, text: string) =>
      columns === null ? `${head}${text}\n` : hanging(head, text, columns - columnsOf(head))
    const remedy = hint === '' ? '' : told('      -> ', hint)
    return told(`${shown(status)}  ${padded(nameOf(row), width)}  `, detail) + remedy
  })
  const count = (status: Finding['status']) =>
    findings.filter((finding) => finding.status === status).length
  return `${lines.join('')}\n${count('fail')} failed, ${count('warn')} warning${count('warn') === 1 ? '' : 's'}, ${count('ok')} ok, ${count('skip')} skipped${rows.length === findings.length ? '' : elsewhere}\n`
}
