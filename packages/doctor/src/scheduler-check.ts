import type { Inspected, SchedulerPlugin } from '@svc/collector'
import type { EpochMs } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import { countingDurationText } from '@svc/views/format'
import { schedulerWords } from '@svc/views/messages'
import { type CheckVerdict, ok, skip, warn } from './finding.ts'
import type { RunningService } from './running-service.ts'

interface Circumstances {
  readonly name: UpstreamName
  /** The running service; null if there is none. */
  readonly service: RunningService | null
  readonly now: EpochMs
}

const LOG_HINT = 'The log of the proxy says why.'

/** Verdict on the plugin that routes by the ranking. `plugin` is null if the proxy cannot load it. */
export function schedulerVerdict(
  loadsPlugins: boolean | null,
  plugin: Inspected<SchedulerPlugin | null> | null,
  circumstances: Circumstances,
): CheckVerdict {
  if (plugin === null)
    return skip(
      loadsPlugins === false
        ? 'this build of the proxy cannot load any'
        : 'the proxy does not say, so it is from before there were any',
    )
  if (plugin.kind === 'failed')
    return warn(plugin.failure.code, `their list: ${plugin.failure.message}`, LOG_HINT)
  if (plugin.value === null)
    return ok('it can load the plugin that routes by the ranking, which is not installed')
  const { state, version, others } = plugin.value
  const named = `the plugin that routes by the ranking${version === null ? '' : `, ${version},`}`
  switch (state) {
    case 'on':
      return askingVerdict(`${named} is in use`, others, circumstances)
    case 'off':
      return ok(`${named} is switched off`, 'off')
    case 'all_off':
      return warn(
        'off',
        `${named} is installed, and the proxy loads no plugins`,
        'Set plugins.enabled: true in its configuration.',
      )
    case 'not_loaded':
      return warn(
        'not_loaded',
        `${named} is switched on, and the proxy has not loaded it`,
        `${LOG_HINT} Where it names GLIBC, install the library that npm run package -- --plugin makes.`,
      )
  }
}

function askingVerdict(
  used: string,
  others: readonly string[],
  { name, service, now }: Circumstances,
): CheckVerdict {
  if (service === null) return ok(`${used}; whether it asks, only the running service can tell`)
  const [last] = service.schedulers
    .filter(({ upstream }) => (upstream ?? name) === name)
    .sort((one, other) => other.askedAt - one.askedAt)
  const refused = service.schedulers.find(({ state }) => state?.startsWith('refused_'))
  const { state, askedAt } = last ?? refused ?? { state: null, askedAt: null }
  if (askedAt === null)
    return warn(
      'not_asking',
      `${used}, and has not asked this service since its start`,
      'It asks while there are requests. Where there are, let its url name this service; the log of the proxy says why it does not ask.',
    )
  const { what, remedy } = state === null ? { what: '' } : schedulerWords.states[state]
  if (state === null || remedy === undefined)
    return ok(
      `${used}, and last asked ${countingDurationText(Math.max(0, now - askedAt) / 1000)} ago`,
    )
  const beside =
    state === 'not_consulted' && others.length > 0 ? ` Also in use: ${others.join(', ')}.` : ''
  return warn(state, `${used}. ${what}${beside}`, remedy)
}
