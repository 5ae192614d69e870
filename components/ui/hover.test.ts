import { globSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

const SHEETS = globSync('{components,app}/**/*.css')

// A touch screen keeps the place that was last touched hovered, also when something else has appeared there.
test.each(SHEETS)('%s looks different under a pointer only where there is one', name => {
  const rules = readFileSync(name, 'utf8').replace(/^@media [^{]*\(hover: hover\)[^{]*\{[\s\S]*?^\}/gm, '')
  expect(rules.match(/^.*:hover.*/gm)).toBeNull()
})
