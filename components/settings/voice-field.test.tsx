/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { fakeServer, renderInEnglish } from '@/components/account/testing'
import { SpeechFields } from './speech-fields'

const MODEL = { id: 'a/voice', type: 'speech', pricing: { input_character: '0' } }
const VOICES = [
  { id: 'alloy', name: 'Alloy', language: 'en' },
  { id: 'nova', name: 'Nova' },
]

const storedVoice = () => JSON.parse(localStorage.getItem('settings') ?? '{}').defaultTtsVoice

function showWith({ models, voices }: { models: unknown[]; voices: unknown[] | null }) {
  const calls = fakeServer(({ path }) => {
    if (path.startsWith('/v1/models')) return { json: { data: models } }
    return voices ? { json: { data: voices } } : { status: 502, json: { error: { code: 'upstream_error' } } }
  })
  renderInEnglish(<SpeechFields />)
  return calls
}

beforeEach(() => localStorage.clear())
afterEach(cleanup)

test('a site without a speech model says so, and keeps what is set', async () => {
  const calls = showWith({ models: [], voices: VOICES })
  expect(await screen.findByText(/does not read aloud at present/)).toBeTruthy()
  expect(screen.getByLabelText('Voice').tagName).toBe('INPUT')
  expect(calls.map(({ path }) => path)).toEqual(['/v1/models?type=audio'])
})

test('without the list of voices, an id can be typed', async () => {
  const calls = showWith({ models: [MODEL], voices: null })
  fireEvent.change(screen.getByLabelText('Voice'), { target: { value: 'my-voice' } })
  expect(storedVoice()).toBe('my-voice')
  expect(await screen.findByDisplayValue('my-voice')).toBeTruthy()
  expect(calls.length).toBeGreaterThan(0)
})

test('a stored voice that the site does not have stays stored, and who reads instead is told', async () => {
  localStorage.setItem('settings', JSON.stringify({ defaultTtsVoice: 'rachel' }))
  showWith({ models: [MODEL], voices: VOICES })
  expect(await screen.findByText(/Alloy reads until it does/)).toBeTruthy()
  expect(screen.getByDisplayValue('rachel (not offered here)')).toBeTruthy()
  expect(storedVoice()).toBe('rachel')
})

test('the default voice is called by its name where the site does not have it', async () => {
  showWith({ models: [MODEL], voices: VOICES })
  expect(await screen.findByDisplayValue('Rachel (not offered here)')).toBeTruthy()
})

test('a voice of the list is stored when it is chosen', async () => {
  showWith({ models: [MODEL], voices: VOICES })
  await screen.findByRole('option', { name: 'Alloy · en' })
  fireEvent.change(screen.getByLabelText('Voice'), { target: { value: 'nova' } })
  expect(storedVoice()).toBe('nova')
  expect(screen.queryByText(/reads until it does/)).toBeNull()
})

test('another voice can be had by its id, beside the list', async () => {
  showWith({ models: [MODEL], voices: VOICES })
  await screen.findByRole('option', { name: 'Alloy · en' })
  fireEvent.change(screen.getByLabelText('Voice'), { target: { value: '' } })
  fireEvent.change(screen.getByLabelText('Voice ID'), { target: { value: 'custom' } })
  expect(storedVoice()).toBe('custom')
})
