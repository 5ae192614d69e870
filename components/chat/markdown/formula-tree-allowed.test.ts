import { expect, jest, test } from '@jest/globals'

/** The output of a converter that lets everything through. */
const tree = {
  type: 'math',
  attributes: { display: 'block', onclick: 'alert(1)', href: 'javascript:alert(1)', 'xlink:href': 'x' },
  style: { color: 'red', backgroundColor: 'url(https://evil.example)', position: 'fixed' },
  classes: ['tml-right', 'evil'],
  children: [
    { type: 'script', children: [{ text: 'alert(1)' }] },
    { type: 'a', attributes: { href: 'https://evil.example' }, children: [{ text: 'x' }] },
    { type: 'annotation-xml', attributes: { width: 'expression(alert(1))' }, children: [] },
  ],
}
jest.unstable_mockModule('temml', () => ({ default: { __renderToMathMLTree: () => tree } }))
const { readFormula } = await import('./formula-tree')

test('only elements, attributes and styles on the allow list pass, whatever the converter makes', () => {
  const nothing = { attributes: {}, style: {}, className: undefined }
  expect(readFormula('x', true)).toEqual({
    tag: 'math',
    attributes: { display: 'block' },
    style: { color: 'red' },
    className: 'tml-right',
    children: [
      { tag: 'mrow', ...nothing, children: ['alert(1)'] },
      { tag: 'mrow', ...nothing, children: ['x'] },
      { tag: 'mrow', ...nothing, children: [] },
    ],
  })
})
