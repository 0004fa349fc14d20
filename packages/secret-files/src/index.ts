// The door of @svc/secret-files: which secret files are read, and why others are refused.
export { secretFileProblems } from './secret-file-problems.ts'
export {
  hasAuthFilesReadableByOthers,
  isReadableByOthers,
  isUntrusted,
  onlyLineOf,
  readAuthFile,
  readPlainFile,
  readSecretFile,
  readSecretLine,
  type SecretFileReading,
} from './secret-files.ts'
