/** What keeps its meaning elsewhere; of its attributes those that stand here. Anything else is unwrapped. */
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
/** An answer stands below two of the page's headings; elsewhere it may be all there is. */
const HEADINGS: Readonly<Record<string, string>> = { H3: 'H1', H4: 'H2', H5: 'H3', H6: 'H4' }
/** Ours, beside the words. */
const LEFT_OUT = 'button, svg, figcaption, [data-not-copied]'

/** The answer around this element as HTML for other programs: its structure and words, nothing of our page. */
export function answerHtml(inside: Element): string | null {
  const answer = inside.closest('article')?.querySelector('[data-answer]')
  if (!answer) return null
  // A document of its own: nothing in it is loaded or run.
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

/** MathML without our looks. */
function bareFormula(formula: Element): Node {
  const holder = document.createElement('div')
  holder.append(formula.cloneNode(true))
  for (const element of holder.querySelectorAll('*')) {
    element.removeAttribute('class')
    element.removeAttribute('style')
  }
  return holder.firstChild ?? holder
}
