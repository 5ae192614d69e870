import { expect, test } from '@jest/globals'
import { plainMath } from './plain-math'

const { raw } = String

test.each([
  [raw`x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}`, 'x = (-b ± √(b² - 4ac)) / (2a)'],
  [raw`\frac{x^{2}}{2} + \frac{a_{1}}{b}`, 'x² / 2 + a_1 / b'],
  [raw`e^{-\frac{(x-\mu)^2}{2\sigma^2}}`, 'e^(-((x-μ)²) / (2σ²))'],
  [raw`\sum_{i=1}^{n} x_{i+1} = 10^{-3}`, '∑_(i=1)^n x_(i+1) = 10^(-3)'],
  [raw`\binom{n}{k}`, '(n k)'],
])('in %s it is still told what belongs together', (latex, told) => {
  expect(plainMath(latex)).toBe(told)
})

test.each([
  [raw`\tfrac13 + \frac12 \sqrt2 + \sqrt[3]{x}`, '1 / 3 + 1 / 2 √2 + ∛x'],
  [raw`\left(\frac{a}{b}\right)^2 = \Bigl[ c \Bigr]`, '(a / b)² = [ c ]'],
  [raw`\boxed{\mathbf{v} \in \mathbb{R}}`, 'v ∈ R'],
  [raw`\lim\limits_{x \to 0} a_1, \ldots, a_n`, 'lim _(x → 0) a_1, …, a_n'],
  [raw`\displaystyle 90^\circ \quad 50\%`, '90° 50%'],
])('%s is told without the commands that only typeset it', (latex, told) => {
  expect(plainMath(latex)).toBe(told)
})

test.each([
  [raw`\begin{pmatrix}1&2\\3&4\end{pmatrix}`, '1 2; 3 4'],
  [raw`\begin{aligned} x &= 1 \\ y &= 2 \\ \end{aligned}`, 'x = 1; y = 2'],
])('the rows and columns of %s stay apart', (latex, told) => {
  expect(plainMath(latex)).toBe(told)
})
