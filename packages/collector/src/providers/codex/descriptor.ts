import { readStatusMessage } from '@svc/core/service'
import type { Provider } from '../contract/provider.ts'
import { identityOf, loginOf } from './account.ts'
import { windowsOf } from './answer.ts'
import { windowsFromHeaders } from './headers.ts'
import { quotaRequest } from './request.ts'

/** OpenAI's Codex. */
export const codex: Provider = {
  id: 'codex',
  endpoint: 'wham-usage',
  // The proxy itself gives up after 60 s, and says so.
  politeness: { seconds: 65, answerBytesMax: 256 * 1024 },
  identityOf,
  loginOf,
  quotaRequest,
  windowsOf,
  windowsFromHeaders,
  // It stands in core beside the type of what it reads, and in core's door.
  readStatusMessage,
}
