/** A secret that prints as `***` wherever it is logged, serialised or joined, and must be opened by name. */
export class Redacted {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The secret itself. Call it only to hand the secret to its owner. */
  reveal(): string {
    return this.#secret
  }

  toString(): string {
    return '***'
  }

  toJSON(): string {
    return '***'
  }

  /** Node's console and util.inspect look for this symbol. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***'
  }
}
