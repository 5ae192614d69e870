import temml from 'temml'
import { isObject, listOf } from '@/lib/http/domain/is-object'

/** A MathML element with its allowed attributes and styles. */
export interface FormulaElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly style: Readonly<Record<string, string>>
  readonly className: string | undefined
  readonly children: readonly (FormulaElement | string)[]
}

/** Limits macros that expand into macros; real formulas need far fewer. */
const EXPANSION_COUNT_MAX = 300
/** Each use of a definition counts as one expansion, however long its content; long ones take seconds. */
const DEFINITION = /\\(?:[gex]?def|(?:re)?newcommand|providecommand|(?:future)?let)(?![A-Za-z])/
const DEFINING_LENGTH_MAX = 300
/** In em, so that nothing reaches beyond the answer. */
const SIZE_MAX: [number, number] = [20, 40]
const ELEMENT_COUNT_MAX = 5_000
/**
 * Of what is written out, two to four. By definitions 140 characters were 1,800 elements, and 100 kB of such formulas
 * 1.2 million.
 */
const ELEMENTS_PER_CHARACTER_MAX = 6
const ELEMENT_COUNT_FREE = 100
const DEPTH_MAX = 60

const TAGS = new Set(
  'math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd menclose'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(
  'display displaystyle scriptlevel mathvariant form stretchy symmetric fence separator largeop movablelimits accent accentunder minsize maxsize lspace rspace linethickness width height depth voffset columnalign columnlines rowlines rowspacing columnspacing notation mathcolor mathbackground'.split(
    ' ',
  ),
)
const STYLES = new Set(
  'color backgroundColor padding paddingLeft paddingRight paddingTop paddingBottom border borderTop borderBottom borderLeft borderRight width height textAlign margin marginLeft marginRight mathDepth mathStyle verticalAlign'.split(
    ' ',
  ),
)
const CLASSES =
  /^(?:tml-(?:left|right|cancel|xcancel|overline|underline|prime)|upstrike|downstrike|sout|menclose)$/
/** No URL, no function, no further declaration. */
const VALUE = /^[\w\s.,%#+-]{0,100}$/

/**
 * Converts TeX to MathML elements from a list of allowed names. No markup text ever exists, and the converter rejects
 * commands that make links, load pictures or set styles. Null if it cannot be read.
 */
export function readFormula(tex: string, isDisplay: boolean): FormulaElement | null {
  if (tex.length > DEFINING_LENGTH_MAX && DEFINITION.test(tex)) return null
  try {
    const tree: unknown = temml.__renderToMathMLTree(tex, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      maxExpand: EXPANSION_COUNT_MAX,
      maxSize: SIZE_MAX,
    })
    const written = ELEMENT_COUNT_FREE + ELEMENTS_PER_CHARACTER_MAX * tex.length
    const root = new FormulaReader(Math.min(written, ELEMENT_COUNT_MAX)).read(tree, 0)
    return typeof root === 'object' ? root : null
  } catch {
    return null
  }
}

class FormulaReader {
  readonly #countMax: number
  #count = 0

  constructor(countMax: number) {
    this.#countMax = countMax
  }

  /** @throws RangeError for a formula beyond the limits */
  read(node: unknown, depth: number): FormulaElement | string | null {
    this.#count += 1
    if (this.#count > this.#countMax || depth > DEPTH_MAX) throw new RangeError('The formula is too large.')
    if (!isObject(node)) return null
    if (typeof node.text === 'string') return node.text
    const read = listOf(node.children).map(child => this.read(child, depth + 1))
    const tag = typeof node.type === 'string' && TAGS.has(node.type) ? node.type : 'mrow'
    return {
      tag,
      attributes: pick(node.attributes, ATTRIBUTES),
      style: pick(node.style, STYLES),
      className: classNameOf(node.classes),
      children: read.filter(child => child !== null),
    }
  }
}

function pick(values: unknown, names: ReadonlySet<string>): Record<string, string> {
  if (!isObject(values)) return {}
  const picked: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const text = String(value)
    if (names.has(name) && VALUE.test(text)) picked[name] = text
  }
  return picked
}

function classNameOf(classes: unknown): string | undefined {
  if (!Array.isArray(classes)) return undefined
  return classes.filter(name => typeof name === 'string' && CLASSES.test(name)).join(' ') || undefined
}
