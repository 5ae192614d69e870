import { jest } from '@jest/globals'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import type { ReactElement } from 'react'
import { SWRConfig } from 'swr'
import { PersistentParts } from '@/components/shell/persistent-parts'
import { en } from './messages'

/**
 * The interface's zone in tests, unlike that of the machine, in which people's times are shown: there, the day before
 * begins with each local midnight.
 */
export const NOBODYS_ZONE = 'Etc/GMT+12'

/** Renders with all English messages and an empty SWR cache. */
export function renderInEnglish(element: ReactElement) {
  return render(
    <SWRConfig value={{ provider: () => new Map(), dedupingInterval: 0, shouldRetryOnError: false }}>
      <NextIntlClientProvider locale="en" messages={en} timeZone={NOBODYS_ZONE}>
        {element}
        <PersistentParts />
      </NextIntlClientProvider>
    </SWRConfig>,
  )
}

/** Presses a button by its name, and lets what follows at once happen. */
export function press(name: string): Promise<void> {
  return act(async () => void fireEvent.click(screen.getByRole('button', { name })))
}

/** jsdom has the dialog element, but not its modal methods. */
export function stubDialogs(): void {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
}

/** jsdom has no Web Locks. These are a browser's with one tab: of the tasks under one name, one runs at a time. */
export function stubLocks(): void {
  const ends = new Map<string, Promise<unknown>>()
  const request = async (name: string, ...rest: unknown[]) => {
    const task = rest.at(-1) as (lock: object | null) => unknown
    const before = ends.get(name)
    if (before && Object(rest[0]).ifAvailable) return task(null)
    const running = Promise.resolve(before).then(() => task({}))
    const end = running.then(
      () => undefined,
      () => undefined,
    )
    ends.set(name, end)
    await end
    if (ends.get(name) === end) ends.delete(name)
    return running
  }
  Object.defineProperty(navigator, 'locks', {
    configurable: true,
    value: { request, query: async () => ({ held: [] }) },
  })
}

/** jsdom has no layout, and therefore no ResizeObserver. */
export function stubResizeObserver(): void {
  Reflect.set(
    globalThis,
    'ResizeObserver',
    class {
      observe = jest.fn()
      disconnect = jest.fn()
    },
  )
}

export interface FakeCall {
  method: string
  path: string
  authorization: string | undefined
  body: unknown
}

interface FakeAnswer {
  status?: number
  json?: unknown
  text?: string
  headers?: Record<string, string>
}

/** Replaces `fetch` with the test's function, and records the calls. */
export function fakeServer(answer: (call: FakeCall) => FakeAnswer): FakeCall[] {
  const calls: FakeCall[] = []
  const fakeFetch = jest.fn(async (path: string, init: RequestInit = {}) => {
    const headers: Record<string, string> = Object(init.headers)
    const call: FakeCall = {
      method: init.method ?? 'GET',
      path,
      authorization: headers.authorization,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    }
    calls.push(call)
    const { status = 200, json, text = '', headers: answerHeaders = {} } = answer(call)
    return {
      ok: status < 400,
      status,
      statusText: String(status),
      headers: { get: (name: string) => answerHeaders[name] ?? null },
      json: async () => json,
      text: async () => text,
    }
  })
  Reflect.set(globalThis, 'fetch', fakeFetch)
  return calls
}
