/**
 * The parts of a document that this page needs to be drawn without a browser: elements, text, attributes, listeners and the selectors in
 * use. Layout and styles are left to tests in a real browser.
 */

type Listener = (this: unknown, event: SmallEvent) => void

export interface SmallEvent {
  readonly type: string
  readonly target: SmallNode | null
  readonly defaultPrevented: boolean
  readonly [detail: string]: unknown
}

/** Target of events: nodes, the document and the window. */
export class SmallTarget {
  private readonly listeners = new Map<string, Set<Listener>>()

  addEventListener(type: string, listener: Listener): void {
    const all = this.listeners.get(type) ?? new Set()
    this.listeners.set(type, all.add(listener))
  }

  removeEventListener(type: string, listener: Listener): void {
    this.listeners.get(type)?.delete(listener)
  }

  hear(event: SmallEvent): void {
    for (const listener of [...(this.listeners.get(event.type) ?? [])]) {
      Object.assign(event, { currentTarget: this })
      listener.call(this, event)
    }
  }
}

export class SmallNode extends SmallTarget {
  parentNode: SmallElement | null = null
  readonly childNodes: SmallNode[] = []
  readonly nodeType: number

  constructor(nodeType: number) {
    super()
    this.nodeType = nodeType
  }

  get nextSibling(): SmallNode | null {
    const all = this.parentNode?.childNodes ?? []
    return all[all.indexOf(this) + 1] ?? null
  }

  get isConnected(): boolean {
    return this.parentNode !== null
  }

  get firstChild(): SmallNode | null {
    return this.childNodes[0] ?? null
  }

  get textContent(): string {
    return this.childNodes.map(({ textContent }) => textContent).join('')
  }

  contains(other: SmallNode | null): boolean {
    return other !== null && (other === this || this.contains(other.parentNode))
  }

  remove(): void {
    const all = this.parentNode?.childNodes ?? []
    if (all.includes(this)) all.splice(all.indexOf(this), 1)
    this.parentNode = null
  }
}

export class SmallText extends SmallNode {
  data: string

  constructor(data: string) {
    super(3)
    this.data = data
  }

  override get textContent(): string {
    return String(this.data)
  }
}

interface Styles {
  setProperty(): void
  removeProperty(): void
}

export class SmallElement extends SmallNode {
  readonly attributes = new Map<string, string>()
  readonly style: { [property: string]: unknown } & Styles = {
    setProperty() {},
    removeProperty() {},
  }
  readonly dataset: Record<string, string> = {}
  /** Height of the element; a test may set it. */
  offsetHeight = 0
  clientWidth = 800
  top = 0
  scrolledIntoView = 0

  readonly localName: string
  readonly namespaceURI: string
  readonly ownerDocument: SmallDocument

  constructor(localName: string, namespaceURI: string, ownerDocument: SmallDocument) {
    super(1)
    this.localName = localName
    this.namespaceURI = namespaceURI
    this.ownerDocument = ownerDocument
    // In a browser only fields have these as properties; elsewhere they are attributes.
    if (['input', 'select'].includes(localName)) Object.assign(this, { value: '', checked: false })
  }

  /** A removed element loses the focus, and so do the elements inside it. */
  override remove(): void {
    super.remove()
    if (this.contains(this.ownerDocument.activeElement)) this.blur()
  }

  override get textContent(): string {
    return super.textContent
  }

  override set textContent(text: string) {
    this.replaceChildren(new SmallText(text))
  }

  get className(): string {
    return this.attribute('class') ?? ''
  }

  set className(names: string) {
    this.setAttribute('class', names)
  }

  readonly classList = {
    toggle: (name: string, isOn: boolean): void => {
      const others = this.className.split(' ').filter((each) => each !== '' && each !== name)
      this.className = [...others, ...(isOn ? [name] : [])].join(' ')
    },
  }

  replaceChildren(...nodes: readonly SmallNode[]): void {
    for (const child of [...this.childNodes]) child.remove()
    this.append(...nodes)
  }

  insertBefore(node: SmallNode, before: SmallNode | null): SmallNode {
    node.remove()
    const at = before === null ? this.childNodes.length : this.childNodes.indexOf(before)
    this.childNodes.splice(at, 0, node)
    node.parentNode = this
    return node
  }

  append(...nodes: readonly SmallNode[]): void {
    for (const node of nodes) this.insertBefore(node, null)
  }

  removeChild(node: SmallNode): SmallNode {
    node.remove()
    return node
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name.toLowerCase(), String(value))
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name.toLowerCase())
  }

  attribute(name: string): string | null {
    return this.attributes.get(name.toLowerCase()) ?? null
  }

  getAttribute(name: string): string | null {
    return this.attribute(name)
  }

  get hash(): string {
    return this.attribute('href') ?? ''
  }

  get open(): boolean {
    return this.attributes.has('open')
  }

  set open(open: boolean) {
    if (open) this.setAttribute('open', '')
    else this.removeAttribute('open')
  }

  showModal(): void {
    this.open = true
  }

  close(): void {
    this.open = false
  }

  focus(): void {
    this.ownerDocument.activeElement = this
  }

  click(): void {
    const event = { type: 'click', target: this, defaultPrevented: false }
    for (let node: SmallElement | null = this; node !== null; node = node.parentNode)
      node.hear(event)
  }

  blur(): void {
    this.ownerDocument.activeElement = null
  }

  select(): void {}

  scrollIntoView(): void {
    this.scrolledIntoView += 1
  }

  getBoundingClientRect(): { readonly top: number; readonly left: number; readonly width: number } {
    return { top: this.top, left: 0, width: this.clientWidth }
  }

  matches(selector: string): boolean {
    return matchesAny(this, selector)
  }

  closest(selector: string): SmallElement | null {
    return this.matches(selector) ? this : (this.parentNode?.closest(selector) ?? null)
  }

  querySelectorAll(selector: string): SmallElement[] {
    return this.childNodes.flatMap((child) =>
      child instanceof SmallElement
        ? [...(child.matches(selector) ? [child] : []), ...child.querySelectorAll(selector)]
        : [],
    )
  }

  querySelector(selector: string): SmallElement | null {
    return this.querySelectorAll(selector)[0] ?? null
  }
}

export class SmallDocument extends SmallTarget {
  title = ''
  hidden = false
  activeElement: SmallElement | null = null
  readonly documentElement = new SmallElement('html', '', this)
  readonly body = this.documentElement
  /** Whether this browser can copy the selection. */
  execCommand = (): boolean => false

  createElement = (name: string): SmallElement => new SmallElement(name, '', this)
  createElementNS = (space: string, name: string): SmallElement =>
    new SmallElement(name, space, this)
  createTextNode = (text: string): SmallText => new SmallText(text)
  getElementById = (id: string): SmallElement | null => this.querySelector(`#${id}`)
  querySelector = (selector: string): SmallElement | null =>
    this.documentElement.querySelector(selector)
  querySelectorAll = (selector: string): SmallElement[] =>
    this.documentElement.querySelectorAll(selector)
}

function matchesAny(element: SmallElement, selector: string): boolean {
  return splitOutside(selector, ',').some((alternative) =>
    matchesPath(element, splitOutside(alternative.trim(), ' ')),
  )
}

/** Splits a text at each `mark` outside brackets. */
function splitOutside(text: string, mark: string): readonly string[] {
  const parts = ['']
  let depth = 0
  for (const letter of text) {
    if ('(['.includes(letter)) depth += 1
    if (')]'.includes(letter)) depth -= 1
    if (letter === mark && depth === 0) parts.push('')
    else parts.push(`${parts.pop()}${letter}`)
  }
  return parts
}

function matchesPath(element: SmallElement, path: readonly string[]): boolean {
  const [last = ''] = path.slice(-1)
  if (!matchesCompound(element, last)) return false
  const outer = path.slice(0, -1)
  if (outer.length === 0) return true
  for (let parent = element.parentNode; parent !== null; parent = parent.parentNode) {
    if (matchesPath(parent, outer)) return true
  }
  return false
}

const PART = /:not\([^)]*\)|[#.:]?[\w-]+|\[[^\]]*\]/g

function matchesCompound(element: SmallElement, compound: string): boolean {
  return [...compound.matchAll(PART)].every(([part]) => {
    if (part.startsWith(':not(')) return !matchesAny(element, part.slice(5, -1))
    if (part === ':focus') return element.ownerDocument.activeElement === element
    if (part.startsWith('#')) return element.attribute('id') === part.slice(1)
    if (part.startsWith('.'))
      return (element.attribute('class') ?? '').split(' ').includes(part.slice(1))
    if (!part.startsWith('[')) return element.localName === part
    const [name = '', value] = part.slice(1, -1).split('=')
    return value === undefined
      ? element.attributes.has(name)
      : element.attribute(name) === value.replace(/"/g, '')
  })
}
