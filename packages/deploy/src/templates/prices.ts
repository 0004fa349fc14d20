import { dirname } from 'node:path'
import { type Installation, shellWord } from '../installation/installation.ts'

const USUAL_FILE = '/var/lib/svc-quota-prices/litellm.json'

/** An example of own prices, all of it commented out. Its head says how to fetch a file of list prices, which the program never does. */
export function pricesToml({ config }: Installation): string {
  const file = config.history.priceFile ?? USUAL_FILE
  const fetched = shellWord(`${file}.new`)
  const place = shellWord(file)
  // In a crontab a percent sign ends the command.
  const line = (url: string) =>
    `#   17 4 * * * root curl -fsS --max-time 60 -o ${fetched} ${url} && mv ${fetched} ${place}`.replaceAll(
      /%/g,
      '\\%',
    )
  return `# What usage would cost at the list prices of the API. svc-quota-monitor reads two files, and again when they change; it fetches nothing.
#
# price_file = "${file}" has the list prices. Make its folder, with files that others may read and not write:
#   install -d -m 755 ${shellWord(dirname(file))}
# then one of these lines in /etc/cron.d/svc-quota-prices. The prices of LiteLLM:
${line('https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json')}
# or of models.dev:
${line('https://models.dev/api.json')}
# The old prices stay in force if a file cannot be used; doctor says why.
#
# price_overrides = "/etc/svc-quota-monitor/prices.toml" is this file, mode 644. What it says goes before the list.

# Rates of a model, in dollars a million tokens. A cache rate that is left out is that of the input. They are for requests of this
# tier (standard, priority, flex) with more input tokens than above (0, 128000, 200000, 272000), from a day of UTC on; without from, always.
#[[rate]]
#model = "my-model"
#tier = "standard"
#above = 0
#from = "2026-07-01"
#input = 1.25
#cache_read = 0.125
#cache_write = 1.25
#output = 10

# A relay that takes a part of the list price. An account is named by its accountKey, and goes before its provider.
#[[multiplier]]
#provider = "codex"
#times = "0.3"
#from = "2026-07-01"

# What is paid for each account of a plan, or for one account, a month or a year.
#[[subscription]]
#provider = "codex"
#plan = "plus"
#usd = 20
#per = "month"
#from = "2026-07-01"
`
}
