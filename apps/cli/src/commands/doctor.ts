import { connectResp } from '@svc/collector'
import { MANAGEMENT_KEY_ENV } from '@svc/config'
import { examine } from '@svc/doctor'
import { findingsReport } from '../doctor/findings-report.ts'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { configInput, isOn, type ParsedOptions } from '../program/flags.ts'
import { printed } from '../program/outcome.ts'

/** Checks the set-up and prints the findings. Resolves with the exit code, which is a failure if any check failed. */
export async function doctor(options: ParsedOptions, context: CliContext): Promise<number> {
  const { clock, fetch, version, nodeVersion } = context
  const input = configInput(options, context)
  const examined = examine(input, { clock, fetch, connectResp, nodeVersion })
  context.forgetEnv(MANAGEMENT_KEY_ENV)
  const findings = await examined
  const isGood = findings.every(({ status }) => status !== 'fail')
  const document = { ok: isGood, version, checks: findings }
  const text = () => findingsReport(findings, isOn(options.verbose), context)
  return printed({ exit: isGood ? EXIT.ok : EXIT.failed, document, text }, options, context)
}
