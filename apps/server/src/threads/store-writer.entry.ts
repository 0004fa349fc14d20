import type { WriterApi } from '../store/store-threads.ts'
import { createWriterThread } from '../store/writer-thread.ts'
import { openChannel } from './channel.ts'
import { portOfStarter } from './thread.ts'

openChannel<Record<never, never>, WriterApi>(portOfStarter(), createWriterThread())
