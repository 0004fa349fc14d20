import { endOnCrash, processContext } from './cli-context.ts'
import { runCli } from './run-cli.ts'

/** Put in by the build, from package.json. */
declare const __VERSION__: string

const context = processContext(__VERSION__)
endOnCrash(context.stderr, context.exitNow)
process.exitCode = await runCli(context)
