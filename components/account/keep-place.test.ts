/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { keepPlace } from './keep-place'

let resize: () => void
let end: () => void
let scrolled: ReturnType<typeof jest.spyOn>
/** How far above the window's top edge the heading is in the page, and how far the page is scrolled. */
let page: { above: number; scrollY: number }
const found = (selector: string) => document.querySelector<HTMLElement>(selector) ?? document.body

beforeEach(() => {
  document.body.innerHTML = '<h2 tabindex="-1">Your data</h2><select></select><input>'
  page = { above: 1_000, scrollY: 0 }
  Object.defineProperty(window, 'scrollY', { configurable: true, get: () => page.scrollY })
  scrolled = jest.spyOn(window, 'scrollBy').mockImplementation((...[, y]: unknown[]) => {
    page.scrollY += Number(y)
  })
  for (const selector of ['h2', 'select']) {
    found(selector).getBoundingClientRect = () => new DOMRect(0, page.above - page.scrollY, 100, 20)
  }
  window.ResizeObserver = class {
    constructor(callback: ResizeObserverCallback) {
      resize = () => callback([], this)
    }
    observe() {}
    unobserve() {}
    disconnect() {
      resize = () => undefined
    }
  }
  end = keepPlace()
})
afterEach(() => {
  end()
  jest.restoreAllMocks()
})

/** As page-focus.tsx does: the focus first, then the scrolling. */
async function goTo(selector: string) {
  found(selector).focus()
  page.scrollY = page.above
  await Promise.resolve()
}

function grow(height: number) {
  page.above += height
  resize()
}

const top = () => found('h2').getBoundingClientRect().top

test.each([
  ['heading', 'h2'],
  ['choice', 'select'],
])('a %s that has the focus stays where it is while the page above it grows', async (_, selector) => {
  await goTo(selector)
  for (const height of [65, 850, -20]) {
    grow(height)
    expect(top()).toBe(0)
  }
})

/** The browser tells of it before it tells of what has grown. */
function scrollTo(scrollY: number) {
  page.scrollY = scrollY
  window.dispatchEvent(new Event('scroll'))
}

test.each([
  ['all', 300],
  ['a part', 52],
])('where the browser has scrolled by %s of what was added, only the rest is scrolled', async (_, by) => {
  await goTo('h2')
  page.above += 300
  scrollTo(1_000 + by)
  resize()
  expect([page.scrollY, top()]).toEqual([1_300, 0])
})

test('where the person has scrolled to, the heading stays', async () => {
  await goTo('h2')
  scrollTo(900)
  grow(100)
  expect([page.scrollY, top()]).toEqual([1_000, 100])
})

test('nothing scrolls once the heading is out of sight', async () => {
  await goTo('h2')
  scrollTo(0)
  grow(100)
  grow(100)
  expect(scrolled).not.toHaveBeenCalled()
})

test('nothing scrolls without the focus on either, and after the end', async () => {
  grow(100)
  await goTo('h2')
  found('input').focus()
  await Promise.resolve()
  grow(100)
  await goTo('h2')
  end()
  grow(100)
  expect(scrolled).not.toHaveBeenCalled()
})
