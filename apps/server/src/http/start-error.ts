/** The service cannot listen. The message is one line that names host and port. */
export class StartError extends Error {
  readonly code: 'port_in_use' | 'bind_failed'

  constructor(code: 'port_in_use' | 'bind_failed', message: string) {
    super(message)
    this.name = 'StartError'
    this.code = code
  }
}
