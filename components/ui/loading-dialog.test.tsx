/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { en } from '@/test/support/messages'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { Dialog } from './dialog'
import { lazyPart } from './lazy-part'
import { whileLoading } from './loading-dialog'

interface OfferProps {
  onClose: () => void
}

const Offer = ({ onClose }: OfferProps) => (
  <Dialog open onClose={onClose} title="The offer">
    <p>Ten cents</p>
  </Dialog>
)

function Page({ load }: { load: () => Promise<typeof Offer> }) {
  const [LazyOffer] = useState(() => lazyPart(load))
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Show
      </button>
      {isOpen && <LazyOffer onClose={close} {...whileLoading('The offer', close)} />}
    </>
  )
}

/** Opens the dialog and waits for so long. */
async function open(load: () => Promise<typeof Offer>, afterMs: number) {
  renderInEnglish(<Page load={load} />)
  await press()
  await act(() => jest.advanceTimersByTimeAsync(afterMs))
}
const press = () => act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Show' })))
const dialog = () => screen.queryByRole('dialog', { name: 'The offer' })

beforeEach(() => {
  stubDialogs()
  jest.useFakeTimers()
})
afterEach(() => {
  cleanup()
  jest.useRealTimers()
})

test('a dialog that is there in a moment shows nothing else first', async () => {
  let arrive: (offer: typeof Offer) => void = () => undefined
  await open(() => new Promise(resolve => (arrive = resolve)), 300)
  expect(dialog()).toBeNull()
  await act(async () => arrive(Offer))
  expect(dialog()?.textContent).toContain('Ten cents')
})

test('one that is late says that it loads, can be closed meanwhile, and comes', async () => {
  let arrive: (offer: typeof Offer) => void = () => undefined
  await open(() => new Promise(resolve => (arrive = resolve)), 600)
  expect(dialog()?.textContent).toContain(en.common.loading)
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(dialog()).toBeNull()
  await press()
  await act(async () => arrive(Offer))
  expect(dialog()?.textContent).toContain('Ten cents')
})

test('one that cannot be loaded says so in its place, and is loaded when it is opened again', async () => {
  const load = jest
    .fn<() => Promise<typeof Offer>>()
    .mockRejectedValueOnce(new Error('ChunkLoadError'))
    .mockResolvedValue(Offer)
  await open(load, 0)
  expect(screen.getByRole('alert').textContent).toBe(en.errors.part_missing)
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  await press()
  expect(dialog()?.textContent).toContain('Ten cents')
})
