/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { MESSAGE_BOX_ID } from '@/components/ui/focus'
import type { Message } from '@/lib/local/domain/conversation'
import { renderInEnglish } from '@/test/support/render'
import { DraftPictures } from './draft-pictures'
import { UserMessage } from './user-message'

const picture = (end: string) => `data:image/png;base64,${Buffer.from(end).toString('base64')}`

/** A draft with two pictures, and its message box. */
function Draft() {
  const [urls, setUrls] = useState([picture('a'), picture('b')])
  return (
    <>
      <DraftPictures
        urls={urls}
        readings={[]}
        onRemove={url => setUrls(known => known.filter(one => one !== url))}
      />
      <textarea id={MESSAGE_BOX_ID} />
    </>
  )
}

afterEach(cleanup)

test('several attached pictures are numbered in their accessible names', async () => {
  const onRemove = jest.fn()
  const urls = [picture('a'), picture('b')]
  renderInEnglish(<DraftPictures urls={urls} readings={[]} onRemove={onRemove} />)
  expect(await screen.findByRole('img', { name: 'Picture 2 of 2' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Remove Picture 2 of 2' }))
  expect(onRemove).toHaveBeenCalledWith(urls[1])
})

test('the focus moves from a removed picture to the next one, and from the last to the message box', async () => {
  renderInEnglish(<Draft />)
  await screen.findByRole('img', { name: 'Picture 2 of 2' })
  fireEvent.click(screen.getByRole('button', { name: 'Remove Picture 1 of 2' }))
  const last = screen.getByRole('button', { name: 'Remove picture' })
  expect(document.activeElement).toBe(last)
  fireEvent.click(last)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox')))
})

test('a single attached picture has no number', async () => {
  renderInEnglish(<DraftPictures urls={[picture('a')]} readings={[]} onRemove={() => {}} />)
  expect(await screen.findByRole('img', { name: 'Attached picture' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Remove picture' })).toBeTruthy()
})

test.each([
  [['a'], ['Attached picture']],
  [
    ['a', 'b', 'c'],
    ['Picture 1 of 3', 'Picture 2 of 3', 'Picture 3 of 3'],
  ],
])('of %j that were sent, the names are %j', async (ends, names) => {
  const content = ends.map(end => ({
    type: 'image_url' as const,
    image_url: { url: picture(end), created_at: '2026-11-20T00:00:00.000Z' },
  }))
  const message: Message = { id: 'q', role: 'user', content }
  renderInEnglish(<UserMessage message={message} versions={null} actions={null} />)
  const shown = await screen.findAllByRole('img')
  expect(shown.map(image => image.getAttribute('alt'))).toEqual(names)
})
