/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { fakeServer, renderInEnglish } from '@/test/support/render'
import { SpeechFields } from './speech-fields'

const MODEL = { id: 'a/voice', type: 'speech', pricing: { input_character: '0' } }
const VOICES = [
  { id: 'alloy', name: 'Alloy', language: 'en' },
  { id: 'nova', name: 'Nova' },
]

const storedVoice = () => JSON.parse(localStorage.getItem('settings') ?? '{}').defaultTtsVoice

const optionsOf = (label: string) =>
  [...screen.getByLabelText(label).querySelectorAll('option')].map(option => option.textContent)

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

test('a site without a speech model says so, and shows no speech settings', async () => {
  const calls = showWith({ models: [], voices: VOICES })
  expect(await screen.findByText(/does not read aloud at present/)).toBeTruthy()
  for (const label of [/aloud/, 'Voice', 'Speech service', 'Speed']) {
    expect(screen.queryByLabelText(label)).toBeNull()
  }
  expect(calls.map(({ path }) => path)).toEqual(['/v1/models?type=audio'])
})

test('without a list of voices, a voice id can be typed', async () => {
  const calls = showWith({ models: [MODEL], voices: null })
  const field = await screen.findByLabelText('Voice')
  fireEvent.change(field, { target: { value: 'my-voice' } })
  expect(storedVoice()).toBe('my-voice')
  expect(await screen.findByDisplayValue('my-voice')).toBeTruthy()
  fireEvent.change(field, { target: { value: '' } })
  expect(storedVoice()).toBe('21m00Tcm4TlvDq8ikWAM')
  expect(calls.length).toBeGreaterThan(0)
})

test('a stored voice that the site lacks stays stored, and its replacement is named', async () => {
  localStorage.setItem('settings', JSON.stringify({ defaultTtsVoice: 'rachel' }))
  showWith({ models: [MODEL], voices: VOICES })
  expect(await screen.findByText(/Alloy reads until it does/)).toBeTruthy()
  expect(screen.getByDisplayValue('rachel (not offered here)')).toBeTruthy()
  expect(storedVoice()).toBe('rachel')
})

test('a site without the default service and voice shows what it has instead', async () => {
  showWith({ models: [MODEL], voices: VOICES })
  expect(await screen.findByDisplayValue('Alloy · English')).toBeTruthy()
  expect(optionsOf('Speech service')).toEqual(['A'])
  expect(optionsOf('Voice')).toEqual(['Alloy · English', 'Nova', 'Another voice, by its ID…'])
  expect(screen.queryByText(/reads until it does/)).toBeNull()
})

test('choosing a speech service changes the voices, and the selected voice', async () => {
  const models = [MODEL, { ...MODEL, id: 'elevenlabs/flash' }, { ...MODEL, id: 'tts-1' }]
  const voices = [
    { id: 'alloy', name: 'Alloy', models: ['a/voice'] },
    { id: 'bella', name: 'Bella', models: ['elevenlabs/flash'] },
    { id: '21m00Tcm4TlvDq8ikWAM', name: 'Rachel', models: ['elevenlabs/flash'] },
  ]
  showWith({ models, voices })
  expect(await screen.findByDisplayValue('ElevenLabs')).toBeTruthy()
  expect(screen.getByDisplayValue('Rachel')).toBeTruthy()
  expect(optionsOf('Speech service')).toEqual(['A', 'ElevenLabs', 'This site’s own'])
  expect(optionsOf('Voice')).toEqual(['Bella', 'Rachel', 'Another voice, by its ID…'])
  fireEvent.change(screen.getByLabelText('Speech service'), { target: { value: 'a' } })
  expect(JSON.parse(localStorage.getItem('settings') ?? '{}')).toMatchObject({
    ttsProvider: 'a',
    defaultTtsVoice: 'alloy',
  })
  expect(optionsOf('Voice')).toEqual(['Alloy', 'Another voice, by its ID…'])
})

test('choosing a voice from the list stores it', async () => {
  showWith({ models: [MODEL], voices: VOICES })
  await screen.findByRole('option', { name: 'Alloy · English' })
  fireEvent.change(screen.getByLabelText('Voice'), { target: { value: 'nova' } })
  expect(storedVoice()).toBe('nova')
  expect(screen.queryByText(/reads until it does/)).toBeNull()
})

test('a voice that is not in the list can be entered by its id', async () => {
  showWith({ models: [MODEL], voices: VOICES })
  await screen.findByRole('option', { name: 'Alloy · English' })
  fireEvent.change(screen.getByLabelText('Voice'), { target: { value: '' } })
  fireEvent.change(screen.getByLabelText('Voice ID'), { target: { value: 'custom' } })
  expect(storedVoice()).toBe('custom')
})
