/** @jest-environment jsdom */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { html } from './html'

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('<b>', '"><script>', '&lt;', "' onclick='x", '</td>', '&amp'),
)

test('every text stays text, whatever a host calls its models', () => {
  fc.assert(
    fc.property(text, fc.array(text), (value, inner) => {
      const place = document.createElement('div')
      const parts = inner.map(one => html`<i>${one}</i>`)
      place.innerHTML = html`<p title="${value}">${value}</p><b>${parts}</b>`.text
      const [paragraph, bold] = place.children
      expect(place.children).toHaveLength(2)
      expect(paragraph?.textContent).toBe(value)
      expect(paragraph?.getAttributeNames()).toEqual(['title'])
      expect(paragraph?.getAttribute('title')).toBe(value)
      expect([...(bold?.children ?? [])].map(one => one.textContent)).toEqual(inner)
    }),
  )
})
