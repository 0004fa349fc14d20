/** Inserted by the build: the version of package.json and, after a plus sign, the commit. */
declare const __VERSION__: string

// Without a handler Node opens a debugger on 127.0.0.1 for this signal, which every user of the machine could join. The rest of the program
// is loaded only after this line.
process.on('SIGUSR1', () => undefined)

void start()

async function start(): Promise<void> {
  const { endOnCrash, processContext } = await import('./program/cli-context.ts')
  const { runCli } = await import('./run-cli.ts')
  const context = processContext(__VERSION__)
  endOnCrash(context.stderr, context.exitNow)
  process.exitCode = await runCli(context)
}
