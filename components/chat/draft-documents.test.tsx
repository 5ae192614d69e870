/** @jest-environment jsdom */
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { type ComponentProps, useState } from 'react'
import { renderInEnglish } from '@/test/support/render'
import { canSendDocuments, type DraftDocument, documentPart, isDraftDocument } from './draft-document'
import { DraftDocuments } from './draft-documents'

const REPORT: DraftDocument = {
  url: 'document-store:1',
  name: 'report.pdf',
  size: 1_200_000,
  isPdf: true,
  pageCount: 12,
  textTokenCount: 3_000,
  isCut: false,
  isWhole: false,
}
const SCAN = { ...REPORT, url: 'document-store:2', name: 'scan.pdf', textTokenCount: 0 }

function show(documents: readonly DraftDocument[], takesFiles: boolean) {
  const onChange = jest.fn()
  const cancel = jest.fn()
  const file = new File([], 'slow.pdf')
  const { signal } = new AbortController()
  const readings = [{ id: 'r', draftId: 'new', file, name: file.name, isPicture: false, signal, cancel }]
  renderInEnglish(
    <Draft documents={documents} readings={readings} takesFiles={takesFiles} onChange={onChange} />,
  )
  return { onChange, cancel }
}

/** With a button that ends the reading. */
function Draft({ documents, readings, ...rest }: ComponentProps<typeof DraftDocuments>) {
  const [isRead, setRead] = useState(false)
  const read = readings.map(({ name }) => ({ ...REPORT, url: name, name }))
  return (
    <>
      <DraftDocuments
        documents={isRead ? [...documents, ...read] : documents}
        readings={isRead ? [] : readings}
        {...rest}
      />
      <button type="button" onClick={() => setRead(true)}>
        End
      </button>
    </>
  )
}

afterEach(cleanup)

describe('documents in the composer', () => {
  test('a scan that the model cannot read shows an alert and prevents sending', () => {
    show([SCAN], false)
    expect(screen.getByRole('alert').textContent).toContain('Choose a model that takes files')
    expect(canSendDocuments([SCAN], false)).toBe(false)
    expect(canSendDocuments([SCAN], true)).toBe(true)
  })

  test('files that are too large together show an alert and prevent sending', () => {
    const large = [1, 2, 3].map(id => ({ ...SCAN, url: `document-store:${id}`, size: 8_000_000 }))
    show(large, true)
    expect(screen.getByRole('alert').textContent).toContain('too large for one message')
    expect(canSendDocuments(large, true)).toBe(false)
  })

  test('each document shows its name, pages, size and how it is sent', () => {
    show([{ ...REPORT, isCut: true }], false)
    const [item] = screen.getAllByRole('listitem')
    expect(item?.textContent).toContain('report.pdf12 pages · 1.2 MB · beginning only · sent as text')
    expect(screen.queryByRole('checkbox')).toBeNull()
  })

  test('a document can be sent as a whole file if the model accepts files', () => {
    const { onChange } = show([REPORT], true)
    fireEvent.click(screen.getByRole('checkbox', { name: 'Send the whole file' }))
    expect(onChange).toHaveBeenCalledWith([{ ...REPORT, isWhole: true }])
  })

  test('the list is scrolled to the newest document', () => {
    const tall = jest.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(300)
    show([REPORT, SCAN], true)
    expect(screen.getByRole('list').scrollTop).toBe(300)
    tall.mockRestore()
  })

  test('a document can be removed, also while it is being read', () => {
    const { onChange, cancel } = show([REPORT, SCAN], true)
    fireEvent.click(screen.getByRole('button', { name: 'Remove report.pdf' }))
    expect(onChange).toHaveBeenCalledWith([SCAN])
    fireEvent.click(screen.getByRole('button', { name: 'Remove slow.pdf' }))
    expect(cancel).toHaveBeenCalledTimes(1)
  })

  test('the focus is not lost with a document that is removed', () => {
    show([REPORT, SCAN], true)
    fireEvent.click(screen.getByRole('button', { name: 'Remove report.pdf' }))
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove scan.pdf' }))
    fireEvent.click(screen.getByRole('button', { name: 'Remove slow.pdf' }))
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove scan.pdf' }))
  })

  test('the focus stays on the button of a document once it has been read', async () => {
    show([REPORT], true)
    screen.getByRole('button', { name: 'Remove slow.pdf' }).focus()
    fireEvent.click(screen.getByRole('button', { name: 'End' }))
    expect(screen.queryByText('Reading…')).toBeNull()
    const button = screen.getByRole('button', { name: 'Remove slow.pdf' })
    await waitFor(() => expect(document.activeElement).toBe(button))
  })
})

test('the message part has the specified shape, and the token count for the estimate', () => {
  expect(documentPart(REPORT, '2026-11-20', true)).toEqual({
    type: 'document_url',
    document_url: {
      url: 'document-store:1',
      created_at: '2026-11-20',
      name: 'report.pdf',
      token_count: 3_000,
    },
  })
  expect(documentPart({ ...REPORT, isWhole: true }, '2026-11-20', true)).toMatchObject({
    document_url: { token_count: 30_000, whole: true },
  })
})

test.each([null, 'x', {}, { ...REPORT, name: 7 }, { ...REPORT, pageCount: '12' }, { ...REPORT, isPdf: 1 }])(
  'a damaged stored draft (%j) is recognised as invalid',
  value => expect(isDraftDocument(value)).toBe(false),
)
