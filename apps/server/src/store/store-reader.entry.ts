import { workerData } from 'node:worker_threads'
import { type NothingOffered, openChannel } from '../threads/channel.ts'
import { portOfStarter } from '../threads/thread.ts'
import { createReaderThread } from './reader-thread.ts'
import type { ReaderApi, ReaderSetup } from './store-threads.ts'

openChannel<NothingOffered, ReaderApi>(
  portOfStarter(),
  createReaderThread(workerData as ReaderSetup),
)
