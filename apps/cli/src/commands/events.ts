import type { PoolEvent } from '@svc/client'
import { instantToIso } from '@svc/core'
import { printable, printableJson } from '@svc/views/format'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { isOn, type ParsedOptions } from '../program/flags.ts'
import { askService } from '../service/running-service.ts'

/** Prints the events of the pool until a signal arrives or the reader closes the output. Resolves with the exit code; throws ConfigError. */
export function events(options: ParsedOptions, context: CliContext): Promise<number> {
  const stop = new AbortController()
  const end = () => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) context.onSignal(signal, end)
  context.onReaderGone(end)
  return askService(options, context, async (client) => {
    for await (const event of client.events({ signal: stop.signal }))
      context.stdout(isOn(options.json) ? `${printableJson(event)}\n` : lineOf(event, context))
    return { exit: EXIT.ok }
  })
}

/** Time, tone and text of an event. */
function lineOf({ event, data }: PoolEvent, { clock }: CliContext): string {
  const line = (at: string | null | undefined, tone: string, text: string) =>
    `${(at ?? instantToIso(clock.now())).replace(/\.\d+Z$/, 'Z')}  ${tone.padEnd(7)}  ${printable(text)}\n`
  switch (event) {
    case 'snapshot': {
      const { sampledAt, state, routableCount, blockedCount, topScore } = data
      const text = `${routableCount} routable, ${blockedCount} blocked, top score ${topScore}`
      return line(sampledAt, state, text)
    }
    case 'change':
      return line(data.at, data.tone, textOf(data))
    case 'action': {
      const { at, transition, item } = data
      const tone = transition === 'resolved' ? 'good' : item.tone
      return line(at, tone, `${transition}: ${textOf(item)}`)
    }
    // Of a newer service.
    default:
      return event satisfies never | ''
  }
}

const textOf = ({ title, summary }: { readonly title: string; readonly summary: string }) =>
  summary === '' ? title : `${title}: ${summary}`
