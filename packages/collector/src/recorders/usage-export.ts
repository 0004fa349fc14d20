import type { DocumentRecorder } from '@svc/core/usage'
import { accountDirectoryOf } from '../usage/account-directory.ts'
import { decodeTree } from '../usage/usage-decoder.ts'

/** What `usage/export` of a proxy before v6.10 answers. Its keys are those of a monitor that has read the same tree. */
export const usageExport: DocumentRecorder = {
  form: 'document',
  reader({ accounts, now }) {
    const context = { receivedAt: now, directory: accountDirectoryOf({ accounts }) }
    return (chunks) => decodeTree(chunks, context)?.batches ?? null
  },
}
