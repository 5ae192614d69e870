/** LaTeX commands with a character of their own, which every voice reads in its own language. */
const SYMBOLS: Readonly<Record<string, string>> = {
  times: '×',
  cdot: '·',
  div: '÷',
  pm: '±',
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

/** Nested formulas; deeper ones are read as plain characters. */
const NESTING_MAX = 4
/** One part of a formula; limits what the patterns below have to search. */
const FRACTION = /\\d?frac\s*\{([^{}]{0,200})\}\s*\{([^{}]{0,200})\}/g
const ROOT = /\\sqrt\s*\{([^{}]{0,200})\}/g
const WRAPPED = /\\(?:text|mathrm|mathbf|operatorname)\s*\{([^{}]{0,200})\}/g

/** A formula's LaTeX as characters: `\frac{a}{b^2}` becomes `a / b²`. */
export function plainMath(latex: string): string {
  let text = latex
  for (let depth = 0; depth < NESTING_MAX; depth += 1) {
    text = text.replace(FRACTION, '$1 / $2').replace(ROOT, '√$1').replace(WRAPPED, '$1')
  }
  return text
    .replace(/\^\{?([23])\}?(?!\d)/g, (_, power: string) => POWERS[power] ?? '')
    .replace(/\\([A-Za-z]+)/g, (_, name: string) => symbolOf(name) ?? ` ${name} `)
    .replace(/\\[,;:! ]/g, ' ')
    .replace(/[{}\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function symbolOf(name: string): string | undefined {
  return Object.hasOwn(SYMBOLS, name) ? SYMBOLS[name] : undefined
}
