import type { EpochMs } from '@svc/core'
import { isVerdictMessage, readStatusMessage, type VerdictMessage } from '@svc/core/service'
import type { Provider, VendorFailure } from '../contract/provider.ts'
import { identityOf, loginOf } from './account.ts'
import { windowsOf } from './answer.ts'
import { windowsFromHeaders } from './headers.ts'
import { quotaRequest } from './request.ts'

/** OpenAI's Codex. */
export const codex: Provider = {
  id: 'codex',
  endpoint: 'wham-usage',
  // The proxy itself gives up after 60 s and reports it.
  politeness: { seconds: 65, answerBytesMax: 256 * 1024 },
  identityOf,
  loginOf,
  quotaRequest,
  windowsOf,
  windowsFromHeaders,
  // In core, beside the type of the message it reads, and in core's door.
  readStatusMessage,
  refusalIn,
}

/** Status of a limit, with any body. */
const THROTTLED = 429

/** The fault of the login or the used-up limit that the body names; any other 429 is a limit without a time. */
function refusalIn({ httpStatus, body }: VendorFailure, at: EpochMs): VerdictMessage | null {
  const message = readStatusMessage(body, at)
  if (isVerdictMessage(message)) return message
  return httpStatus === THROTTLED ? { kind: 'quota' } : null
}
