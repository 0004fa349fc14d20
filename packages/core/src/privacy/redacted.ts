/** A secret that prints as `***` wherever it is logged, serialised or joined; only `reveal` returns it. */
export class Redacted {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The secret itself. Call only to pass it to its owner. */
  reveal(): string {
    return this.#secret
  }

  toString(): string {
    return '***'
  }

  toJSON(): string {
    return '***'
  }

  /** Symbol that Node's console and util.inspect look for. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***'
  }
}
