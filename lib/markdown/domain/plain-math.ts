/** LaTeX commands with a character of their own, which every voice reads in its own language. */
const SYMBOLS: Readonly<Record<string, string>> = {
  times: '×',
  cdot: '·',
  div: '÷',
  pm: '±',
  mp: '∓',
  leq: '≤',
  le: '≤',
  geq: '≥',
  ge: '≥',
  neq: '≠',
  ne: '≠',
  approx: '≈',
  infty: '∞',
  to: '→',
  rightarrow: '→',
  Rightarrow: '⇒',
  implies: '⇒',
  in: '∈',
  sum: '∑',
  prod: '∏',
  int: '∫',
  partial: '∂',
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  epsilon: 'ε',
  theta: 'θ',
  lambda: 'λ',
  mu: 'μ',
  pi: 'π',
  rho: 'ρ',
  sigma: 'σ',
  tau: 'τ',
  phi: 'φ',
  omega: 'ω',
  Delta: 'Δ',
  Sigma: 'Σ',
  Omega: 'Ω',
}

const POWERS: Readonly<Record<string, string>> = { '2': '²', '3': '³' }
const ROOTS: Readonly<Record<string, string>> = { '2': '√', '3': '∛', '4': '∜' }

/** Commands that only change how something looks, or how large a bracket is. */
const LOOKS =
  /\\(?:(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\s*\.?|(?:(?:display|text|script)style|(?:no)?limits)(?![A-Za-z]))/g
const GAP = /\\(?:[,;:! ]|q?quad(?![A-Za-z]))|~/g
const DOTS = /\\[lcd]?dots[cbmio]?(?![A-Za-z])/g
/** The columns and rows of a matrix, of cases, or of an aligned calculation. */
const COLUMN = /(?<!\\)&/g
const ROW = /\\\\(?:\[[^\]\n]{0,20}\])?/g
const BLOCK_END = /\\(?:begin|end)\s*\{[^{}]{0,40}\}(?:\{[^{}]{0,40}\})?/g

/** Nested formulas; deeper ones are read as plain characters. */
const NESTING_MAX = 4
/** One part of a formula, in braces or a single character; limits what the patterns below have to search. */
const PART = String.raw`\s*(?:\{([^{}]{0,200})\}|(\d|(?<=\s)[A-Za-z]|\\[A-Za-z]{1,20}))`
const FRACTION = new RegExp(String.raw`\\[dtc]?frac${PART}${PART}`, 'g')
const BINOMIAL = new RegExp(String.raw`\\[dt]?binom${PART}${PART}`, 'g')
const ROOT = new RegExp(String.raw`\\sqrt\s*(?:\[(\d)\])?${PART}`, 'g')
const SCRIPT = /([\^_])\s*\{([^{}]{0,200})\}/g
const WRAPPED =
  /\\(?:text(?:bf|it|rm)?|math(?:rm|bf|it|sf|bb|cal)|operatorname\*?|boldsymbol|boxed|ce)\s*\{([^{}]{0,200})\}/g

/** A formula's LaTeX as characters: `\frac{a + 1}{b^2}` becomes `(a + 1) / b²`. */
export function plainMath(latex: string): string {
  let text = latex.replace(BLOCK_END, ' ').replace(ROW, '; ').replace(COLUMN, ' ')
  text = text.replace(LOOKS, '').replace(GAP, ' ').replace(DOTS, '…')
  for (let depth = 0; depth < NESTING_MAX; depth += 1) {
    text = text
      .replace(WRAPPED, '$1')
      .replace(SCRIPT, (_, sign, part) => `${sign}${grouped(part, ATOM)}`)
      .replace(
        ROOT,
        (_, degree = '2', ...part) => `${ROOTS[degree] ?? `${degree}√`}${grouped(oneOf(part), ATOM)}`,
      )
      .replace(BINOMIAL, (_, ...parts) => `(${oneOf(parts)} ${oneOf(parts.slice(2))})`)
      .replace(
        FRACTION,
        (_, ...parts) => `${grouped(oneOf(parts), PRODUCT)} / ${grouped(oneOf(parts.slice(2)), ATOM)}`,
      )
  }
  return text
    .replace(/\^\\circ(?![A-Za-z])/g, '°')
    .replace(/\^([23])(?!\d)/g, (_, power: string) => POWERS[power] ?? '')
    .replace(/\\([A-Za-z]+)/g, (_, name: string) => symbolOf(name) ?? ` ${name} `)
    .replace(/[{}\\]/g, '')
    .replace(/\s+/g, ' ')
    .replaceAll(' ;', ';')
    .replace(/^ |[; ]{1,3}$/g, '')
}

/** A part as it was found, in braces or not. */
const oneOf = ([inBraces, single]: readonly string[]): string => inBraces ?? single ?? ''

/** What needs no brackets below a fraction line or a root: a number, a letter, one of them with its power. */
const ATOM = /^\s*(?:\d+(?:[.,]\d+)*|\p{L}|\\[A-Za-z]+)(?:[\^_][\p{L}\d])?\s*$/u
/** What needs none above a fraction line. */
const PRODUCT = /^\s*[-+]?[^-+±∓=<>/;…]*$/

/** Without the braces or the line, brackets have to say what belongs together. */
function grouped(part: string, isClear: RegExp): string {
  return isClear.test(part.replace(/\\pm|\\mp/g, '±')) ? part.trim() : `(${part.trim()})`
}

function symbolOf(name: string): string | undefined {
  return Object.hasOwn(SYMBOLS, name) ? SYMBOLS[name] : undefined
}
