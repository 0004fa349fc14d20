import { parseArgs } from 'node:util'

export const LIVE_HELP = `npm run live -- [options]: the service before a simulated proxy whose quota moves

  --accounts <count>  accounts of the proxy, 25 unless told
  --port <port>       where the dashboard is, 4515 unless told
  --language <tag>    en or zh-CN
  --help              this text
`

type LiveOptions =
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly why: string }
  | {
      readonly kind: 'run'
      readonly accountCount: number
      readonly port: string
      readonly language: string
    }

/** Options that the simulated deployment is started with. */
export function liveOptions(args: readonly string[]): LiveOptions {
  const values = valuesIn(args)
  if (typeof values === 'string') return { kind: 'refused', why: values }
  const { accounts, port, language, help } = values
  if (help) return { kind: 'help' }
  if (!/^[1-9]\d*$/.test(accounts))
    return { kind: 'refused', why: `--accounts must be a count, not ${accounts}` }
  return { kind: 'run', accountCount: Number(accounts), port, language }
}

/** Values of the options, or the reason why they are invalid. */
function valuesIn(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '4515' },
        accounts: { type: 'string', default: '25' },
        language: { type: 'string', default: 'en' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // What follows the first sentence is advice for those who write programs.
    return error.message.split(/\.\s/)[0] ?? error.message
  }
}
