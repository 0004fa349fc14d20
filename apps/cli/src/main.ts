import { setFlagsFromString } from 'node:v8'
import { endOnCrash, processContext } from './cli-context.ts'
import { runCli } from './run-cli.ts'

/** Put in by the build, from package.json. */
declare const __VERSION__: string

// Without this the heap keeps tens of megabytes for garbage between two evaluations; a smaller one costs no more processor time (goal P11).
setFlagsFromString('--semi-space-growth-factor=1')

const context = processContext(__VERSION__)
endOnCrash(context.stderr, context.exitNow)
process.exitCode = await runCli(context)
