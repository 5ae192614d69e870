import { describe, expect, test } from '@jest/globals'
import { createCreditIdStore, creditIdFirstSegment, isCreditId } from './credit-id'
import { createMaxContextStore } from './max-context'
import { createFakeBrowser } from './testing'
import { collectUtm, readUtm } from './utm'
import { createVirtualApiKeyStore } from './virtual-api-key'

const CREDIT = '1a2b3c4d-2222-4333-8444-555555555555'

function storageWith(key?: string, text?: string) {
  const browser = createFakeBrowser()
  if (key !== undefined && text !== undefined) browser.area.setItem(key, text)
  return { browser, storage: browser.openTab().storage }
}

describe('the utm record', () => {
  test('has the five parameters and no other', () => {
    const { storage } = storageWith()
    collectUtm('?utm_source=s&utm_medium=m&utm_campaign=c&utm_term=t&utm_content=k&utm_id=9&q=1', storage)
    expect(readUtm(storage)).toEqual({
      utm_source: 's',
      utm_medium: 'm',
      utm_campaign: 'c',
      utm_term: 't',
      utm_content: 'k',
    })
  })

  test('is from the first visit that has one', () => {
    const { storage } = storageWith()
    collectUtm('', storage)
    collectUtm('?utm_source=first', storage)
    collectUtm('?utm_source=second&utm_term=x', storage)
    expect(readUtm(storage)).toEqual({ utm_source: 'first' })
  })

  test('is limited in length, without control characters', () => {
    const { storage } = storageWith()
    collectUtm(`?utm_source=${'x'.repeat(5_000)}&utm_term=a%00b%0Ac&utm_medium=%20`, storage)
    expect(readUtm(storage)).toEqual({ utm_source: 'x'.repeat(200), utm_term: 'abc' })
  })

  test('contains no half characters, with which no account could be opened', () => {
    const long = 'x'.repeat(199)
    const { storage } = storageWith()
    collectUtm(`?utm_source=${long}😀`, storage)
    expect(readUtm(storage)).toEqual({ utm_source: long })
    const { storage: older } = storageWith('utm', JSON.stringify({ utm_source: `${long}\ud83d` }))
    expect(readUtm(older)).toEqual({ utm_source: long })
  })

  test('that is damaged is set aside by the next visit', () => {
    const { storage, browser } = storageWith('utm', '{"utm_')
    expect(readUtm(storage)).toBeNull()
    collectUtm('?utm_source=s', storage)
    expect(readUtm(storage)).toEqual({ utm_source: 's' })
    expect(browser.area.getItem('utm.damaged.1')).toBe('{"utm_')
  })
})

describe('the credit_id', () => {
  test('is reported only by its first segment', () => {
    expect(creditIdFirstSegment(CREDIT)).toBe('1a2b3c4d')
    expect(creditIdFirstSegment('not-a-uuid-at-all')).toBe('not')
    expect(creditIdFirstSegment('x'.repeat(40))).toBe('xxxxxxxx')
  })

  test.each([
    [CREDIT, true],
    [CREDIT.toUpperCase(), true],
    [`${CREDIT}0`, false],
    ['', false],
  ])('is recognised: %s: %s', (text, expected) => expect(isCreditId(text)).toBe(expected))

  test.each([
    [CREDIT, CREDIT],
    [` ${CREDIT}\n`, CREDIT],
    [JSON.stringify(CREDIT), CREDIT],
    ['another form', 'another form'],
    ['', null],
    ['""', null],
    ['null', null],
    ['undefined', null],
  ])('stored as %j is read as %j', (text, expected) => {
    expect(createCreditIdStore(storageWith('credit_id', text).storage).getSnapshot()).toBe(expected)
  })

  test('changes in this and other tabs', () => {
    const { browser, storage } = storageWith()
    const here = createCreditIdStore(storage)
    const there = createCreditIdStore(browser.openTab().storage)
    const seen: (string | null)[] = []
    here.subscribe(() => seen.push(here.getSnapshot()))
    there.subscribe(() => seen.push(there.getSnapshot()))
    here.write(CREDIT)
    browser.deliver()
    there.remove()
    browser.deliver()
    expect(seen).toEqual([CREDIT, CREDIT, null, null])
  })
})

describe('maxContext', () => {
  test.each([
    ['4096', 4096],
    ['"4096"', 4096],
    ['0', 2048],
    ['-5', 2048],
    ['many', 2048],
    ['1e99', 2048],
    ['20.5', 2048],
  ])('stored as %s is %d', (text, expected) => {
    expect(createMaxContextStore(storageWith('maxContext', text).storage).getSnapshot()).toBe(expected)
  })

  test('is 2048 by default, and then the written value', () => {
    const store = createMaxContextStore(storageWith().storage)
    expect(store.getSnapshot()).toBe(2048)
    expect(store.write('8192')).toBe(true)
    expect(store.getSnapshot()).toBe(8192)
  })
})

describe('the legacy key', () => {
  test.each([
    ['sk-abcdefghijklmnopqrstuvwx', 'sk-abcdefghijklmnopqrstuvwx'],
    ['"sk-abcdefghijklmnopqrstuvwx"', 'sk-abcdefghijklmnopqrstuvwx'],
    ['sk-short', null],
    ['null', null],
  ])('stored as %s is recognised as %s', (text, expected) => {
    expect(createVirtualApiKeyStore(storageWith('virtual_api_key', text).storage).getSnapshot()).toBe(
      expected,
    )
  })
})
