import sax from 'sax'

/* The answers of WebDAV servers (RFC 4918). A stranger writes them: entities and depth are refused, size is bounded. */

/** An element of an answer. Only the local part of its name counts. */
interface Element {
  name: string
  text: string
  children: Element[]
}

/** One resource of an answer. */
export interface DavResponse {
  /** As the server writes it: a path or an address. */
  href: string
  /** Returns the text of a property that the server knows. */
  text: (property: string) => string | undefined
  /** Returns the text of the first `href` in a property. */
  hrefIn: (property: string) => string | undefined
  /** Returns true if a property contains an element of this name. */
  contains: (property: string, name: string) => boolean
  /** The values of an attribute `name` within a property. */
  names: (property: string) => string[]
}

const maxDepth = 20

/** Reads an answer with several resources. Throws for what is no such answer. */
export function responsesOf(xml: string, maxNodes: number): DavResponse[] {
  const root = parsed(xml, maxNodes)
  if (root.name !== 'multistatus') throw new Error('the answer is no multistatus')
  return root.children.filter(({ name }) => name === 'response').map(readResponse)
}

function readResponse({ children }: Element): DavResponse {
  const known = children
    .filter(({ name }) => name === 'propstat')
    .filter((propstat) => / 200 /.test(`${find(propstat, 'status')?.text ?? ''} `))
    .flatMap((propstat) => find(propstat, 'prop')?.children ?? [])
  const property = (wanted: string) => known.find(({ name }) => name === wanted)
  return {
    href: children.find(({ name }) => name === 'href')?.text.trim() ?? '',
    text: (wanted) => property(wanted)?.text,
    hrefIn: (wanted) => deep(property(wanted), 'href')?.text.trim(),
    contains: (wanted, name) => deep(property(wanted), name) !== undefined,
    names: (wanted) => property(wanted)?.children.map(({ text }) => text) ?? [],
  }
}

function find({ children }: Element, wanted: string): Element | undefined {
  return children.find(({ name }) => name === wanted)
}

function deep(element: Element | undefined, wanted: string): Element | undefined {
  for (const child of element?.children ?? []) {
    const found = child.name === wanted ? child : deep(child, wanted)
    if (found) return found
  }
  return undefined
}

function parsed(xml: string, maxNodes: number): Element {
  // without `xmlns`, because it takes quadratic time for the attributes of an element
  const parser = sax.parser(true, { trim: false })
  const root: Element = { name: '', text: '', children: [] }
  const open = [root]
  let nodes = 0
  parser.ondoctype = () => {
    throw new Error('the answer declares entities')
  }
  parser.onerror = (error) => {
    throw error
  }
  parser.onopentag = ({ name: whole, attributes: { name: named } }) => {
    nodes += 1
    if (nodes > maxNodes || open.length > maxDepth) throw new Error('the answer has too many elements')
    const name = whole.slice(whole.indexOf(':') + 1)
    // components are named by an attribute (RFC 4791, section 5.2.3)
    const element: Element = { name, text: typeof named === 'string' ? named : '', children: [] }
    open.at(-1)?.children.push(element)
    open.push(element)
  }
  parser.onclosetag = () => void open.pop()
  const add = (text: string) => {
    const element = open.at(-1)
    if (element) element.text += text
  }
  parser.ontext = add
  parser.oncdata = add
  parser.write(xml).close()
  const [first] = root.children
  if (!first) throw new Error('the answer is empty')
  return first
}
