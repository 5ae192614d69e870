/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { keepPicture } from '@/lib/local/images/pictures'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { StoredPicture } from './stored-picture'
import { ViewablePicture } from './viewable-picture'

/** The header of a picture of 800 by 600 pixels. */
const header = '89504e470d0a1a0a0000000d494844520000032000000258'
const picture = (end: string) =>
  `data:image/png;base64,${Buffer.from(`${header}${end}`, 'hex').toString('base64')}`

beforeEach(stubDialogs)
afterEach(cleanup)

test('the space for a picture is reserved before it loads', async () => {
  const url = await keepPicture(picture('00'), '2026-11-20T00:00:00.000Z')
  const { container } = renderInEnglish(<StoredPicture url={url} alt="Drawn" />)
  const placeOf = (element: Element | null) =>
    element instanceof HTMLElement ? element.style.getPropertyValue('--picture-ratio') : null
  expect(Number(placeOf(container.firstElementChild))).toBeCloseTo(4 / 3)
  await screen.findByRole('button', { name: 'Drawn' })
  expect(Number(placeOf(container.firstElementChild))).toBeCloseTo(4 / 3)
})

test('a click opens the pictures of the message in a viewer, and closing returns the focus', async () => {
  const urls = [picture('01'), picture('02')]
  renderInEnglish(
    <>
      <article>
        {urls.map((url, index) => (
          <StoredPicture key={url} url={url} alt={`Drawn ${index + 1}`} />
        ))}
      </article>
      <article>
        <StoredPicture url={picture('03')} alt="Another message's" />
      </article>
    </>,
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Drawn 2' }))
  const viewer = await screen.findByRole('dialog')
  const shownSource = () => viewer.querySelector('img')?.getAttribute('src')
  expect(viewer.getAttribute('aria-label')).toBe('Picture 2 of 2')
  expect(shownSource()).toBe(urls[1])
  fireEvent.click(screen.getByRole('button', { name: 'Next picture' }))
  expect(shownSource()).toBe(urls[0])
  fireEvent.keyDown(viewer, { key: 'ArrowLeft' })
  expect(shownSource()).toBe(urls[1])
  fireEvent.click(viewer)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Drawn 2' }))
})

test('the viewer of a picture without a description has a name all the same', async () => {
  renderInEnglish(<ViewablePicture src={picture('04')} alt="" size={null} />)
  fireEvent.click(screen.getByRole('button', { name: 'View picture' }))
  await screen.findByRole('dialog', { name: 'Picture' })
})
