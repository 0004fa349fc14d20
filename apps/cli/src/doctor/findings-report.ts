import type { Finding } from '@svc/doctor'
import type { CliContext } from '../program/cli-context.ts'
import { colouring } from '../program/terminal.ts'
import { columnsOf, padded } from '../program/text-columns.ts'

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'grey' } as const

/** Order of the report: failures come last, where a terminal shows them. */
const ORDER: readonly Finding['status'][] = ['ok', 'skip', 'warn', 'fail']

/** The report of doctor: one line per check, by its id as in docs/reference.md, plus one for its advice. Skipped checks are only counted, unless the verbose report is requested. */
export function findingsReport(
  findings: readonly Finding[],
  isVerbose: boolean,
  context: CliContext,
): string {
  const coloured = colouring(context)
  const shown = (status: Finding['status']) => coloured(status.padEnd(4), COLOURS[status])
  const rows = ORDER.flatMap((wanted) => findings.filter(({ status }) => status === wanted)).filter(
    ({ status }) => isVerbose || status !== 'skip',
  )
  const nameOf = ({ id, upstream, target }: Finding) =>
    [id, upstream ?? target].filter((part) => part !== undefined).join(' · ')
  const width = Math.max(...rows.map((row) => columnsOf(nameOf(row))))
  const lines = rows.map((row) => {
    const { status, detail, hint } = row
    const remedy = hint === '' ? '' : `      -> ${hint}\n`
    return `${shown(status)}  ${padded(nameOf(row), width)}  ${detail}\n${remedy}`
  })
  const count = (status: Finding['status']) =>
    findings.filter((finding) => finding.status === status).length
  return `${lines.join('')}\n${count('fail')} failed, ${count('warn')} warning${count('warn') === 1 ? '' : 's'}, ${count('ok')} ok, ${count('skip')} skipped${isVerbose || count('skip') === 0 ? '' : ' (--verbose names them)'}\n`
}
