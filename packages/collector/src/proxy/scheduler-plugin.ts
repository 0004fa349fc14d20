import * as v from 'valibot'
import { isRecord, wireArray, wireFlag, wireText } from '../wire/wire-fields.ts'
import type { ManagementCall, UpstreamClient } from './upstream-client.ts'
import { UpstreamError } from './upstream-error.ts'

/** The plugin that routes by the ranking, as the proxy lists it. */
export interface SchedulerPlugin {
  /** Null until the proxy has loaded the plugin. */
  readonly version: string | null
  /** `all_off`: the proxy loads no plugins. `off`: this plugin is disabled. `not_loaded`: it is enabled, but not loaded. */
  readonly state: 'on' | 'off' | 'all_off' | 'not_loaded'
  /** Other plugins in use. The list does not say which of them are schedulers. */
  readonly others: readonly string[]
}

/** Plugin names that the proxy allows. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
/** Name of the plugin, and of its file before the version. */
const NAME = 'quota-scheduler'

const listSchema = v.object({ plugins_enabled: wireFlag, plugins: wireArray })
const entrySchema = v.object({
  id: wireText,
  enabled: wireFlag,
  effective_enabled: wireFlag,
  metadata: v.fallback(v.object({ name: wireText, version: wireText }), {
    name: null,
    version: null,
  }),
})

/** Reads the state of the plugin; null if it is not installed. See docs/upstream.md#plugins. Throws UpstreamError. */
export async function fetchSchedulerPlugin(
  client: UpstreamClient,
  call: ManagementCall,
): Promise<SchedulerPlugin | null> {
  const { body } = await client.get('plugins', call)
  const list = v.safeParse(listSchema, body)
  if (!list.success || list.output.plugins === null)
    throw new UpstreamError('bad_payload', 'plugins: expected a list')
  const { plugins, plugins_enabled: loadsAny } = list.output
  const entries = plugins.filter(isRecord).map((one) => v.parse(entrySchema, one))
  const entry = entries.find(({ id, metadata }) => id === NAME || metadata.name === NAME)
  if (entry === undefined) return null
  const others = entries
    .filter((one) => one !== entry && one.effective_enabled === true)
    .flatMap(({ id }) => (id !== null && ID.test(id) ? [id] : []))
  const listed = { version: entry.metadata.version, others }
  if (loadsAny !== true) return { ...listed, state: 'all_off' }
  if (entry.enabled !== true) return { ...listed, state: 'off' }
  return { ...listed, state: entry.effective_enabled === true ? 'on' : 'not_loaded' }
}
