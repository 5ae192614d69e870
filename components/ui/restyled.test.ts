import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

/** To these nobody gives a class of their own. */
const FIXED = ['dialog.module.css', 'visually-hidden.module.css']
const SHEETS = readdirSync('components/ui').filter(
  name => name.endsWith('.module.css') && !FIXED.includes(name),
)

// The order of style sheets differs from build to build.
test.each(SHEETS)('what %s says of a class gives way to the class of whoever uses it', name => {
  const rules = readFileSync(`components/ui/${name}`, 'utf8')
  expect(rules.match(/^\.\w+ \{/gm)).toBeNull()
})
