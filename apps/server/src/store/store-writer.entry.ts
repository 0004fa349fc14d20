import { type NothingOffered, openChannel } from '../threads/channel.ts'
import { portOfStarter } from '../threads/thread.ts'
import type { WriterApi } from './store-threads.ts'
import { createWriterThread } from './writer-thread.ts'

openChannel<NothingOffered, WriterApi>(portOfStarter(), createWriterThread())
