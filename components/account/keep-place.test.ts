/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { keepHeading } from './keep-heading'

let resize: () => void
let end: () => void
let scrolled: ReturnType<typeof jest.spyOn>
/** How far above the window's top edge the heading is in the page, and how far the page is scrolled. */
let page: { above: number; scrollY: number }
const heading = () => document.querySelector('h2') ?? document.body

beforeEach(() => {
  document.body.innerHTML = '<h2 tabindex="-1">Your data</h2><input>'
  page = { above: 1_000, scrollY: 0 }
  Object.defineProperty(window, 'scrollY', { configurable: true, get: () => page.scrollY })
  scrolled = jest.spyOn(window, 'scrollBy').mockImplementation((...[, y]: unknown[]) => {
    page.scrollY += Number(y)
  })
  heading().getBoundingClientRect = () => new DOMRect(0, page.above - page.scrollY, 100, 20)
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
  end = keepHeading()
})
afterEach(() => {
  end()
  jest.restoreAllMocks()
})

/** As page-focus.tsx does: the focus first, then the scrolling. */
async function goToHeading() {
  heading().focus()
  page.scrollY = page.above
  await Promise.resolve()
}

function grow(height: number) {
  page.above += height
  resize()
}

const top = () => heading().getBoundingClientRect().top

test('a heading that has the focus stays where it is while the page above it grows', async () => {
  await goToHeading()
  for (const height of [65, 850, -20]) {
    grow(height)
    expect(top()).toBe(0)
  }
})

test('nothing scrolls where the browser has done so itself, or the person', async () => {
  await goToHeading()
  page.scrollY += 300
  grow(300)
  expect(page.scrollY).toBe(1_300)
  // From where the person has scrolled to, it stays there.
  grow(100)
  expect(top()).toBe(0)
})

test('nothing scrolls once the heading is out of sight', async () => {
  await goToHeading()
  page.scrollY = 0
  grow(100)
  grow(100)
  expect(scrolled).not.toHaveBeenCalled()
})

test('nothing scrolls without the focus on a heading, and after the end', async () => {
  grow(100)
  await goToHeading()
  document.querySelector('input')?.focus()
  await Promise.resolve()
  grow(100)
  await goToHeading()
  end()
  grow(100)
  expect(scrolled).not.toHaveBeenCalled()
})
