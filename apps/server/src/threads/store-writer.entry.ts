import type { WriterApi } from '../store/store-threads.ts'
import { createWriterThread } from '../store/writer-thread.ts'
import { type NothingOffered, openChannel } from './channel.ts'
import { portOfStarter } from './thread.ts'

openChannel<NothingOffered, WriterApi>(portOfStarter(), createWriterThread())
