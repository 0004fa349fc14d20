// The door of @svc/secret-files: which files with secrets are read, and why others are not.
export {
  hasAuthFilesReadableByOthers,
  isReadableByOthers,
  isUntrusted,
  readAuthFile,
  readPlainFile,
  readSecretFile,
  type SecretFileReading,
} from './secret-files.ts'
