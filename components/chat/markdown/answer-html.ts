/** Elements that are kept, with their allowed attributes. All others are replaced by their content. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  P: [],
  H1: [],
  H2: [],
  H3: [],
  H4: [],
  UL: [],
  OL: ['start'],
  LI: [],
  BLOCKQUOTE: [],
  HR: [],
  BR: [],
  STRONG: [],
  EM: [],
  DEL: [],
  PRE: [],
  CODE: [],
  A: ['href'],
  IMG: ['src', 'alt'],
  TABLE: [],
  THEAD: [],
  TBODY: [],
  TR: [],
  TH: [],
  TD: [],
}
/** Headings in an answer are below two of the page's; elsewhere the answer may be the whole document. */
const HEADINGS: Readonly<Record<string, string>> = { H3: 'H1', H4: 'H2', H5: 'H3', H6: 'H4' }
/** Our own controls. */
const LEFT_OUT = 'button, svg, figcaption, [data-not-copied]'

/** The answer around this element as HTML for other programs: its structure and text, without our page's controls. */
export function answerHtml(inside: Element): string | null {
  const answer = inside.closest('article')?.querySelector('[data-answer]')
  if (!answer) return null
  // A detached document, in which nothing is loaded or run.
  const target = document.implementation.createHTMLDocument('')
  target.body.append(...convertChildren(answer, target))
  return target.body.innerHTML
}

function convertChildren(source: Node, target: Document): (Node | string)[] {
  return [...source.childNodes].flatMap(child => convert(child, target))
}

function convert(node: Node, target: Document): (Node | string)[] {
  if (node instanceof Text) return [node.data]
  if (!(node instanceof Element) || node.matches(LEFT_OUT)) return []
  if (node instanceof HTMLInputElement) return [node.checked ? '☑ ' : '☐ ']
  const picture = node.getAttribute('data-remote-picture')
  if (picture) return [linkToPicture(node, picture, target)]
  if (node.localName === 'math') return [bareFormula(node)]
  const tag = HEADINGS[node.tagName] ?? node.tagName
  const attributes = KEPT[tag]
  if (!attributes) return convertChildren(node, target)
  const copy = target.createElement(tag)
  for (const name of attributes) {
    const value = node.getAttribute(name)
    if (value !== null) copy.setAttribute(name, value)
  }
  copy.append(...convertChildren(node, target))
  return [copy]
}

/** A remote picture by its name. Other programs would load it unasked, which tells its host that it was read. */
function linkToPicture(placeholder: Element, name: string, target: Document): Node {
  const link = target.createElement('a')
  link.setAttribute('href', placeholder.querySelector('a')?.getAttribute('href') ?? '')
  link.append(name)
  return link
}

/** MathML without our classes and styles. */
function bareFormula(formula: Element): Node {
  const holder = document.createElement('div')
  holder.append(formula.cloneNode(true))
  for (const element of holder.querySelectorAll('*')) {
    element.removeAttribute('class')
    element.removeAttribute('style')
  }
  return holder.firstChild ?? holder
}
