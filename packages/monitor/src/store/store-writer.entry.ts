import { serveStarter } from '../threads/thread.ts'
import { createWriterThread } from './writer-thread.ts'

serveStarter(createWriterThread())
