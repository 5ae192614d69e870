import { expect, test } from '@jest/globals'
import { renderToStaticMarkup } from 'react-dom/server'
import { Status } from './status'

test('a status in the page that the server sends has no style attribute, which the policy refuses', () => {
  expect(renderToStaticMarkup(<Status>Signed in as Ada</Status>)).not.toContain('style=')
})
