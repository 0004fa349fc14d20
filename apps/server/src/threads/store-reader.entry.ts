import { workerData } from 'node:worker_threads'
import { createReaderThread } from '../store/reader-thread.ts'
import type { ReaderApi, ReaderSetup } from '../store/store-threads.ts'
import { type NothingOffered, openChannel } from './channel.ts'
import { portOfStarter } from './thread.ts'

openChannel<NothingOffered, ReaderApi>(portOfStarter(), createReaderThread(workerData as ReaderSetup))
